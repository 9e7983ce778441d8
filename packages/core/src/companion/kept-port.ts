import type { EndpointIdentity } from "../discovery/endpoint-identity.ts";
import type { Endpoint, SessionAcceptor } from "../endpoint/endpoint.ts";
import { listenEndpoint } from "../endpoint/listen-endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import { PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

export interface KeptPortOptions {
  readonly identity: EndpointIdentity;
  /** The only port to listen on, or undefined. */
  readonly onlyPort: number | undefined;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly sessions: SessionAcceptor;
}

/**
 * Listens on the port of the last run, which agents dial again by themselves, asking a keeper for it where there is one;
 * on a free one where somebody else has it. Rejects with PatchbayError `port-unavailable` where only one port would do.
 */
export async function listenOnKeptPort(options: KeptPortOptions): Promise<Endpoint> {
  const { identity, onlyPort, platform, logger, sessions } = options;
  const listen = (port: number): Promise<Endpoint> =>
    listenEndpoint({
      port,
      token: identity.token,
      sessionKey: identity.sessionKey,
      clock: platform.clock,
      random: platform.random,
      logger,
      sessions,
    });
  if (onlyPort !== undefined) return await listen(onlyPort);
  try {
    return await listen(identity.port);
  } catch (error) {
    if (identity.port === 0 || !(error instanceof PatchbayError) || error.code !== "port-unavailable") throw error;
    const { askForPort, giveBackSecret } = await import("../endpoint/give-back.ts");
    await askForPort(identity.port, giveBackSecret(identity.sessionKey, platform.random));
    const regained = await listen(identity.port).catch(() => {});
    if (regained !== undefined) return regained;
    logger.warn("The port of the last run is taken; agents of that run have to connect again", {
      port: identity.port,
    });
    return await listen(0);
  }
}
