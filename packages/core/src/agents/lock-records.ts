import type { DiscoveryFacts, DiscoveryRecord, RecordPlace } from "./dialect.ts";
import { type Surroundings, variableOf } from "./surroundings.ts";

/** The names of records that say no more than the editor's port. */
export const portLock: RegExp = /^(?<port>\d+)\.lock$/u;

/** The same record, with these members, in all of the places. */
export function lockRecords(
  { address, identity, platform, token }: DiscoveryFacts,
  places: readonly RecordPlace[],
  members: Readonly<Record<string, unknown>>,
  fileName: string = `${address.port}.lock`,
): readonly DiscoveryRecord[] {
  const content = JSON.stringify({
    // Claude Code deletes the record of a dead process; from a terminal without the port variable it must be an ancestor of the CLI.
    pid: identity.pids[0] ?? platform.process.pid,
    ideName: identity.displayName,
    authToken: token,
    ...members,
  });
  return places.map((place) => ({ ...place, fileName, content }));
}

/** The folders as opened and the real ones, for clients that resolve no links. */
export function foldersWithReal({ folders, realFolders }: DiscoveryFacts): readonly string[] {
  return [...new Set([...folders, ...realFolders])];
}

/**
 * The agent's folder in the home, and the one that a variable names in its place. A terminal may have another variable than the editor: both
 * are served. `isUsualRead`: the agent looks in the first one whatever the variable says.
 */
export function idePlaces(
  surroundings: Surroundings,
  usual: string,
  variable: string,
  { pattern = portLock, isUsualRead = false }: { readonly pattern?: RegExp; readonly isUsualRead?: boolean } = {},
): readonly RecordPlace[] {
  const chosen = variableOf(surroundings, variable);
  const place = { pattern, isRead: true };
  return [
    {
      ...place,
      root: surroundings.homeDirectory,
      directories: [usual, "ide"],
      isRead: isUsualRead || chosen === undefined,
    },
    ...(chosen === undefined ? [] : [{ ...place, root: chosen, directories: ["ide"] }]),
  ];
}
