import type { EditorHost } from "../editor-host.ts";
import type { Endpoint, SessionAcceptor } from "../endpoint/endpoint.ts";
import { askForPort } from "../endpoint/give-back.ts";
import { listenEndpoint } from "../endpoint/loopback-endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import type { Clock } from "../support/time.ts";
import type { Session } from "../session/session.ts";
import { agentTokens, type EndpointIdentity, type KeptEndpoint, newIdentity } from "../storage/endpoint-identity.ts";
import type { PrivateStorage } from "../storage/private-storage.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

export interface KeptPortOptions {
  /** What the last run left. */
  readonly kept: KeptEndpoint | undefined;
  /** The only port to listen on, or undefined. */
  readonly onlyPort: number | undefined;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly acceptor: SessionAcceptor;
  /** Ids of the agents, each of which gets a token. */
  readonly agentIds: readonly string[];
}

/** An endpoint with the secrets that open it. */
export interface OpenedEndpoint {
  readonly endpoint: Endpoint;
  readonly identity: EndpointIdentity;
  /** By agent. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Listens on the port of the last run, on a free one where somebody else has it. The secrets of the last run are good for
 * one case only: a port holder gave the port back and has shown that it was held without a gap. A port that was free for a
 * moment may have been somebody else's, to whom agents of the last run have shown their token. Rejects with
 * PatchbayError `port-unavailable` where only one port would do.
 */
export async function listenOnKeptPort(options: KeptPortOptions): Promise<OpenedEndpoint> {
  const { kept, onlyPort, platform, logger, acceptor, agentIds } = options;
  const listen = async (port: number, identity: EndpointIdentity): Promise<OpenedEndpoint> => {
    const { clock, random } = platform;
    const tokens = agentTokens(identity, agentIds, random);
    const { sessionKey } = identity;
    const endpoint = await listenEndpoint({ port, tokens, sessionKey, clock, random, logger, acceptor });
    return { endpoint, identity, tokens };
  };
  const fresh = newIdentity(platform.random);
  const port = onlyPort ?? kept?.port ?? 0;
  try {
    return await listen(port, fresh);
  } catch (error) {
    if (kept?.port !== port || !isTaken(error)) throw error;
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

/** Key under which a run that is about to come back says that agents were connected to it. */
const attachedKey = "attached";
/** Agents of a run that ended longer ago have ended with their terminals, or were connected again, ms. */
const worthTellingMs = 10 * 60_000;

/** Notes for the next run which agents were connected to this one. */
export async function noteAttached(
  storage: PrivateStorage,
  sessions: readonly Session[],
  clock: Pick<Clock, "now">,
): Promise<void> {
  const agentNames = sessions.filter(({ isOpen }) => isOpen).map(({ dialect }) => dialect.agentName);
  if (agentNames.length > 0) await storage.write(attachedKey, `${clock.now()} ${[...new Set(agentNames)].join(", ")}`);
  else await storage.remove(attachedKey);
}

/**
 * Tells the user once what to type where agents were left without their port or their token: they only ever dial the old
 * one (docs/protocols/gemini.md, claude.md), and nothing on our side can reach them.
 */
export async function tellPortLost(
  host: Pick<EditorHost, "messages">,
  storage: PrivateStorage,
  { clock, logger }: { readonly clock: Pick<Clock, "now">; readonly logger: Logger },
): Promise<void> {
  try {
    const [, at, agents] = /^(\d+) (.+)$/u.exec((await storage.read(attachedKey)) ?? "") ?? [];
    if (at === undefined || agents === undefined) return;
    await storage.remove(attachedKey);
    if (clock.now() - Number(at) > worthTellingMs) return;
    const text = `${agents} cannot come back without your help: while this editor was away, another program could have its port. Connect again: type "/ide enable" in Gemini CLI and Qwen Code, "/ide" in Claude Code.`;
    await host.messages.show({ code: "port-lost", severity: "warning", text, actions: [], values: { agents } });
  } catch (error) {
    logger.warn("It could not be told that agents have to connect again", { reason: messageOf(error) });
  }
}
