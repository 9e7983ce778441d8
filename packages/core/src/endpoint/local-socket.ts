import { createServer, type Server } from "node:net";
import type { LocalSocketAddress, Platform } from "../platform/platform.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Endpoint } from "./endpoint.ts";

export interface LocalSocketOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  /** A file in a directory that is this user's alone, or the name of a pipe. */
  readonly place: Omit<LocalSocketAddress, "since">;
  readonly endpoint: Pick<Endpoint, "take">;
}

/** A listener beside the port. */
export interface LocalSocket {
  readonly address: LocalSocketAddress;
  /** No further connection is taken, and the socket's file goes. Never rejects. */
  close(): Promise<void>;
  /** The file goes in the last synchronous moment of a process. Never throws. */
  removeSync(): void;
}

/**
 * Listens on a Unix socket, or on Windows on a named pipe, for agents that look for no port (docs/protocols/copilot.md), and hands what
 * connects to the endpoint: the same guard, sessions and limits. The socket is 0600.
 *
 * @throws PatchbayError `port-unavailable` where nobody can listen there.
 */
export async function listenOnLocalSocket(options: LocalSocketOptions): Promise<LocalSocket> {
  const { platform, logger, endpoint, place } = options;
  const { files, clock } = platform;
  const server = createServer((connection) => endpoint.take(connection));
  server.unref();
  const address: LocalSocketAddress = { ...place, since: clock.now() };
  try {
    // Left by a run that was killed: whoever listens had this port.
    if (address.kind === "unix") await files.remove(address.path);
    await listen(server, address.path);
    // Until now nobody else could look into its directory.
    if (address.kind === "unix") await files.chmod(address.path, 0o600);
  } catch (error) {
    server.close();
    throw new PatchbayError("port-unavailable", `${address.path} cannot be listened on: ${messageOf(error)}`, {
      cause: error,
    });
  }
  server.on("error", (error) => logger.error("The socket failed", { cause: messageOf(error) }));
  return {
    address,
    close: async () => {
      // What is connected ends with the endpoint, which is closed before or after.
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        resolve();
      });
      if (address.kind === "unix") await files.remove(address.path).catch(() => undefined);
    },
    removeSync: () => {
      if (address.kind === "unix") files.removeSync(address.path);
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
