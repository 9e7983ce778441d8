import type { Dialect, RecordPlace } from "../agents/dialect.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { listenOnLocalSocket, type LocalSocket } from "../endpoint/local-socket.ts";
import type { LocalSocketAddress, Platform } from "../platform/platform.ts";
import { findPrivateDirectory, joinPath, ownLinksBelow } from "../storage/private-directory.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** Longest path of a Unix socket, bytes: what macOS has room for, without the NUL; Linux has four bytes more. */
const longestPath = 103;

export interface SocketDoorOptions {
  readonly host: Pick<EditorHost, "identity">;
  readonly platform: Platform;
  readonly logger: Logger;
  /** Those that come in this way. */
  readonly dialects: readonly Dialect[];
  readonly endpoint: Endpoint;
}

/** Opens the socket for agents that look for no port; undefined where there is no place for one, which the log says. Never rejects. */
export async function openSocketDoor(options: SocketDoorOptions): Promise<LocalSocket | undefined> {
  const { platform, logger, endpoint } = options;
  try {
    return await listenOnLocalSocket({ platform, logger, endpoint, place: await placeFor(options) });
  } catch (error) {
    logger.warn("Agents that look for no port cannot connect", { reason: messageOf(error) });
    return undefined;
  }
}

/**
 * Beside the records, which only this user can look into; where that path is too long for a socket, below the temporary directory. Named
 * by the port, which no other run of this machine has: what is found there was left by a run that was killed.
 */
async function placeFor({
  host,
  platform,
  dialects,
  endpoint,
}: SocketDoorOptions): Promise<Omit<LocalSocketAddress, "since">> {
  const { process, random } = platform;
  const name = `patchbay-${endpoint.address.port}`;
  // Names of pipes are everybody's: one that cannot be guessed is not taken by another user before.
  if (process.platform === "win32") return { kind: "pipe", path: `\\\\.\\pipe\\${name}-${random.token(12)}` };
  const temporaryDirectory = host.identity.temporaryDirectory ?? process.temporaryDirectory;
  const environment = (variable: string): string | undefined => process.environment(variable);
  const surroundings = { homeDirectory: process.homeDirectory, temporaryDirectory, environment };
  const places: readonly Pick<RecordPlace, "root" | "directories">[] = [
    ...dialects.flatMap((dialect) => dialect.places(surroundings)),
    { root: temporaryDirectory, directories: [`patchbay-${process.uid}`] },
  ];
  const reasons: string[] = [];
  for (const { root, directories: levels } of places) {
    const ownLinks = ownLinksBelow(platform, root);
    const directory = await findPrivateDirectory(platform, { root, levels, intent: "make", ownLinks });
    const path = joinPath(platform, directory.path, `${name}.sock`);
    if (directory.kind === "private" && Buffer.byteLength(path) <= longestPath) return { kind: "unix", path };
    reasons.push(directory.kind === "refused" ? directory.reason : `${path} is too long for a socket.`);
  }
  throw new PatchbayError("port-unavailable", reasons.join(" "));
}
