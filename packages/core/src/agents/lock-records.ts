import type { DiscoveryFacts, DiscoveryRecord, RecordPlace } from "./dialect.ts";

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
