import { type EndpointIdentity, type KeptEndpoint, newIdentity } from "../discovery/endpoint-identity.ts";
import type { Endpoint, SessionAcceptor } from "../endpoint/endpoint.ts";
import { listenEndpoint } from "../endpoint/listen-endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import { PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

export interface KeptPortOptions {
  /** What the last run left. */
  readonly kept: KeptEndpoint | undefined;
  /** The only port to listen on, or undefined. */
  readonly onlyPort: number | undefined;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly sessions: SessionAcceptor;
}

/** An endpoint with the secrets that open it. */
export interface OpenedEndpoint {
  readonly endpoint: Endpoint;
  readonly identity: EndpointIdentity;
}

/**
 * Listens on the port of the last run, on a free one where somebody else has it. The secrets of the last run are good for
 * one case only: a keeper gave the port back and has shown that it was held without a gap. A port that was free for a
 * moment may have been somebody else's, to whom agents of the last run have shown their token. Rejects with
 * PatchbayError `port-unavailable` where only one port would do.
 */
export async function listenOnKeptPort(options: KeptPortOptions): Promise<OpenedEndpoint> {
  const { kept, onlyPort, platform, logger, sessions } = options;
  const listen = async (port: number, identity: EndpointIdentity): Promise<OpenedEndpoint> => {
    const { clock, random } = platform;
    return { endpoint: await listenEndpoint({ port, ...identity, clock, random, logger, sessions }), identity };
  };
  const fresh = newIdentity(platform.random);
  const port = onlyPort ?? kept?.port ?? 0;
  try {
    return await listen(port, fresh);
  } catch (error) {
    if (kept?.port !== port || !isTaken(error)) throw error;
    const { askForPort } = await import("../endpoint/give-back.ts");
    const wasHeld = await askForPort(port, kept.identity.sessionKey, platform.random);
    try {
      return await listen(port, wasHeld ? kept.identity : fresh);
    } catch (again) {
      if (onlyPort !== undefined || !isTaken(again)) throw again;
      logger.warn("The port of the last run is taken; agents of that run have to connect again", { port });
      return await listen(0, fresh);
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof PatchbayError && error.code === "port-unavailable";
}
