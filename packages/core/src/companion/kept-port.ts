import type { Dialect } from "../agents/dialect.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Endpoint, HookAcceptor, SessionAcceptor } from "../endpoint/endpoint.ts";
import { listenEndpoint } from "../endpoint/loopback-endpoint.ts";
import type { Platform } from "../platform/platform.ts";
import type { Session } from "../session/session.ts";
import {
  agentTokens,
  type EndpointIdentity,
  keepEndpoint,
  type KeptEndpoint,
  newIdentity,
} from "../storage/endpoint-identity.ts";
import type { PrivateStorage } from "../storage/private-storage.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";

export interface KeptPortOptions {
  /** What the last run left. */
  readonly kept: KeptEndpoint | undefined;
  /** The only port to listen on, or undefined. */
  readonly port: number | undefined;
  readonly platform: Platform;
  readonly logger: Logger;
  /** See `EndpointOptions.storage`. */
  readonly storage?: PrivateStorage | undefined;
  readonly acceptor: SessionAcceptor;
  readonly hooks: HookAcceptor;
  /** Each gets a token. */
  readonly dialects: readonly Pick<Dialect, "id" | "tokenHeader">[];
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
  const { kept, port: onlyPort, platform, logger, storage, acceptor, hooks, dialects } = options;
  const ids = dialects.map(({ id }) => id);
  const tokenHeaders = dialects.flatMap(({ tokenHeader }) => tokenHeader ?? []);
  const listen = async (port: number, identity: EndpointIdentity): Promise<OpenedEndpoint> => {
    const { clock, random } = platform;
    const tokens = agentTokens(identity, ids, random);
    const { sessionKey } = identity;
    const endpoint = await listenEndpoint({
      port,
      tokens,
      tokenHeaders,
      sessionKey,
      clock,
      random,
      logger,
      storage,
      acceptor,
      hooks,
    });
    return { endpoint, identity, tokens };
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
      logger.warn("The port of the last run is taken; agents of that run have to reconnect", { port });
      return await listen(0, fresh);
    }
  }
}

/** Keeps a port and its secrets for the next start. Never rejects: this run goes on without. */
export async function keepPort(
  storage: PrivateStorage | undefined,
  { endpoint, identity }: OpenedEndpoint,
  logger: Logger,
): Promise<void> {
  try {
    await keepEndpoint(storage, { port: endpoint.address.port, identity });
  } catch (error) {
    logger.warn("The port is not kept for the next start", { reason: messageOf(error) });
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof PatchbayError && error.code === "port-unavailable";
}

/** Key under which a run that is about to come back says that agents were connected to it. */
const attachedKey = "attached";
/** Agents of a run that ended longer ago have ended with their terminals, or were connected again, ms. */
const worthTellingMs = 10 * 60_000;

/** Notes for the next run which agents were connected to this one, and what has each connect again. */
export async function noteAttached(
  storage: PrivateStorage,
  sessions: readonly Session[],
  clock: Pick<Clock, "now">,
): Promise<void> {
  const attached = new Set(sessions.filter(({ isOpen }) => isOpen).map(({ dialect }) => dialect));
  const byInput = new Map<string, string[]>();
  for (const { agentName, connecting } of attached) {
    if (connecting === undefined) continue;
    byInput.set(connecting.input, [...(byInput.get(connecting.input) ?? []), agentName]);
  }
  const note: AttachedNote = {
    at: clock.now(),
    agents: Array.from(attached, ({ agentName }) => agentName).join(", "),
    inputs: Array.from(byInput, ([input, names]) => `${input} (${names.join(", ")})`).join(", "),
  };
  if (attached.size > 0) await storage.write(attachedKey, JSON.stringify(note));
  else await storage.remove(attachedKey);
}

/** What a run leaves of the agents that were connected to it. */
interface AttachedNote {
  /** Unix milliseconds. */
  readonly at: number;
  /** Their names. */
  readonly agents: string;
  /** What is to be typed into which of them. */
  readonly inputs: string;
}

function parseAttached(text: string | undefined): AttachedNote | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    // Nobody was connected, or nothing that can be read was left.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (!("at" in value) || !("agents" in value) || !("inputs" in value)) return undefined;
  const { at, agents, inputs } = value;
  if (typeof at !== "number" || typeof agents !== "string" || typeof inputs !== "string") return undefined;
  return { at, agents, inputs };
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
    const attached = parseAttached(await storage.read(attachedKey));
    if (attached === undefined) return;
    await storage.remove(attachedKey);
    const { at, agents, inputs } = attached;
    if (clock.now() - at > worthTellingMs) return;
    const text = `${agents} cannot reconnect automatically, because another program may have used the port while this editor was closed. To reconnect, type: ${inputs}.`;
    await host.messages.show({ code: "port-lost", severity: "warning", text, actions: [], values: { agents, inputs } });
  } catch (error) {
    logger.warn("The message that agents have to reconnect could not be shown", { reason: messageOf(error) });
  }
}
