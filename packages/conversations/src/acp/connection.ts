import { type Clock, type Logger, PatchbayError } from "@patchbay/core";
import type { ListedSession, SessionLister } from "../driver.ts";
import type { SessionCapabilities, SignInMethod } from "../model/index.ts";
import { startFailure } from "../process/programs.ts";
import { asksForSignIn } from "./failures.ts";
import { type AgentChannel, JsonRpcPeer, type PeerHandlers, type Reply } from "./json-rpc.ts";
import { type AcpProfile, programOf } from "./profiles.ts";
import { initializeParams, protocolVersion, readInitialized, readSignIn, readStoredSessions } from "./v1/setup.ts";
import type { Initialized, SignInOffer, StoredSession } from "./wire.ts";

/**
 * How long an agent may take to end once its input is closed, ms: one never ends by that in a turn, and who closes a conversation
 * wants it gone within three seconds.
 */
const inputMs = 1_000;

/** What a connection to an agent needs. */
export interface ConnectionOptions {
  readonly profile: AcpProfile;
  /** Finds the program and makes its process, not yet started. Rejects with a sentence for people. */
  readonly createProcess: () => Promise<AgentChannel>;
  /** The version of Patchbay, as the agent is told. */
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long it may take to say what it is, ms; default: as long as any real one takes. */
  readonly limitMs?: number;
}

/** How long an agent may take to answer `initialize`: some load for seconds on a busy machine. */
const initializeMs = 60_000;

/** How many pages of sessions are asked for: an agent that always has another one would never end. */
const longestList = 20;

/** A running agent that speaks the Agent Client Protocol, without a session yet. */
export class AcpConnection {
  readonly agent: Initialized;
  readonly #channel: AgentChannel;
  readonly #peer: JsonRpcPeer;

  private constructor(channel: AgentChannel, peer: JsonRpcPeer, agent: Initialized) {
    this.#channel = channel;
    this.#peer = peer;
    this.agent = agent;
  }

  /** Starts an agent and agrees with it on the protocol. Rejects with a sentence for people; nothing is left running then. */
  static async open(options: ConnectionOptions, handlers: PeerHandlers): Promise<AcpConnection> {
    const { profile, clock, logger, limitMs = initializeMs } = options;
    const channel = await options.createProcess();
    const peer = new JsonRpcPeer(channel, handlers, logger);
    await channel.start();
    try {
      const asked = peer.request("initialize", initializeParams(options.version, profile.usesFiles));
      const reply = await orLate(asked, limitMs, clock);
      return new AcpConnection(channel, peer, agreed(reply, profile, channel));
    } catch (error) {
      await channel.stop({ inputMs: 0 });
      throw error;
    }
  }

  get lastErrors(): string {
    return this.#channel.lastErrors;
  }

  get onExit(): AgentChannel["onExit"] {
    return this.#channel.onExit;
  }

  async request(method: string, params: unknown): Promise<Reply> {
    return await this.#peer.request(method, params);
  }

  notify(method: string, params: unknown): void {
    this.#peer.notify(method, params);
  }

  /** The sessions that the agent has kept for a folder; none where it keeps no list. Asks for them page by page. */
  async listSessions(cwd: string): Promise<readonly StoredSession[]> {
    if (!this.agent.sessionActions.has("list")) return [];
    const found: StoredSession[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < longestList; page += 1) {
      const reply = await this.request("session/list", { cwd, ...(cursor === undefined ? {} : { cursor }) });
      if (reply.kind !== "result") break;
      const { sessions, nextCursor } = readStoredSessions(reply.value);
      found.push(...sessions.filter((session) => session.cwd === undefined || session.cwd === cwd));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    return found;
  }

  /** Deletes a session that the agent has kept; false where it cannot, or did not. */
  async deleteSession(sessionId: string): Promise<boolean> {
    if (!this.agent.sessionActions.has("delete")) return false;
    return (await this.request("session/delete", { sessionId })).kind === "result";
  }

  /** Ends the agent. `interrupt`: said first, where a turn is running. */
  async close(interrupt?: () => void): Promise<void> {
    const first = interrupt === undefined ? {} : { first: { say: interrupt, waitMs: 500 } };
    await this.#channel.stop({ ...first, inputMs });
  }
}

/** What the agent is, or a rejection that says why it cannot be spoken to. */
function agreed(reply: Reply | "late", profile: AcpProfile, channel: AgentChannel): Initialized {
  const { name } = profile;
  if (reply === "late") {
    throw new PatchbayError(
      "host-failed",
      `${name} was started but does not answer. Check that it runs in a terminal.`,
    );
  }
  if (reply.kind === "closed") throw startFailure(programOf(profile), channel.lastErrors);
  const agent = reply.kind === "result" ? readInitialized(reply.value) : undefined;
  if (agent === undefined) {
    throw new PatchbayError(
      "host-failed",
      `${name} does not speak the Agent Client Protocol as Patchbay knows it. Update it.`,
    );
  }
  if (agent.protocolVersion === protocolVersion) return agent;
  const { protocolVersion: theirs } = agent;
  throw new PatchbayError(
    "host-failed",
    `${name} speaks version ${theirs} of the Agent Client Protocol; Patchbay speaks version ${protocolVersion}.`,
  );
}

/** The ways to sign in that a refused request names; undefined where it was refused for another reason. */
export function signInOf(reply: Reply, agent: Initialized): readonly SignInOffer[] | undefined {
  if (reply.kind !== "error" || !asksForSignIn(reply.error)) return undefined;
  const named = readSignIn(reply.error.data);
  return named.length > 0 ? named : agent.signIn;
}

/** Ways to sign in as the user can take them: in a terminal where there is a command for it. */
export function signInMethods(offers: readonly SignInOffer[], { command }: AcpProfile): readonly SignInMethod[] {
  return offers.map((offer) => {
    const run = offer.command ?? (offer.args === undefined ? undefined : [command, ...offer.args]);
    return {
      id: offer.id,
      name: offer.name,
      ...(offer.description === undefined ? {} : { description: offer.description }),
      ...(run === undefined ? {} : { command: run }),
    };
  });
}

/** What comes first: the answer, or the end of the time. */
export async function orLate<T>(work: Promise<T>, limitMs: number, clock: Clock): Promise<T | "late"> {
  return await new Promise<T | "late">((resolve, reject) => {
    const timer = clock.setTimeout(() => resolve("late"), limitMs);
    void work.then(resolve, reject).finally(() => timer.dispose());
  });
}

/** What a session of an agent can do; nothing while it is not known yet which agent it is. */
export function capabilitiesOf(
  agent: Initialized | undefined,
  { usesFiles }: Pick<AcpProfile, "usesFiles">,
): SessionCapabilities {
  return {
    images: agent?.takesImages === true,
    excerpts: agent?.takesResources === true,
    editableChanges: agent !== undefined && usesFiles,
    // The protocol's answer to a permission has no room for words.
    rejectionMessages: agent !== undefined,
    rejectsByPrompt: true,
    fork: agent?.sessionActions.has("fork") === true,
    forkBefore: false,
    rewind: false,
    resume: agent?.loadsSessions === true || agent?.sessionActions.has("resume") === true,
  };
}

export interface AcpSessionsOptions {
  /** The id of the agent. */
  readonly agent: string;
  /** A connection with the agent, where one is open: to list sessions is no reason to start a program. */
  readonly connection: () => AcpConnection | undefined;
}

/** The sessions that an agent keeps itself. What was said in them only the agent can replay, when one is continued. */
export class AcpSessions implements SessionLister {
  readonly agent: string;
  readonly #connection: () => AcpConnection | undefined;

  constructor({ agent, connection }: AcpSessionsOptions) {
    this.agent = agent;
    this.#connection = connection;
  }

  async list(folder: string): Promise<readonly ListedSession[]> {
    const stored = (await this.#connection()?.listSessions(folder)) ?? [];
    return stored
      .map(({ sessionId, title, updatedAt }) => ({ sessionId, folder, title: title ?? "", usedAt: updatedAt ?? 0 }))
      .toSorted((one, other) => other.usedAt - one.usedAt);
  }
}
