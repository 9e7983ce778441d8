import type { EndpointAddress } from "../platform/platform.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import type { EndpointIdentity } from "../storage/endpoint-identity.ts";

/** Key of the private storage under which a run leaves word of its port holder, and the port holder of what it told agents. */
export const holderNoteKey = "port-holder";

/** How many times the expected absence the port holder waits for the editor before it tells agents that nobody decides. */
export const patience = 3;

/**
 * How many times as long the port holder waits where an agent is connected that waits for nothing. On a loaded machine a window takes
 * more than `patience` covers; an idle agent loses nothing by the longer wait, and one that finds nobody stays away.
 */
const idlePatience = 2;

/** After the agents' second attempt the port holder waits this long for stragglers, ms. */
export const stragglersMs = 1_500;

/** What a port holder process is to do; goes to it through a pipe, because it holds secrets. */
export interface HoldOrder {
  readonly address: EndpointAddress;
  /** What agents show, each its own. */
  readonly tokens: readonly string[];
  /** What the next run shows when it wants the port back; good for nothing else. */
  readonly giveBackSecret: string;
  /** The key under which the port holder answers the next run that nobody else had the port. */
  readonly proofKey: string;
  /**
   * The number of the inherited descriptor on which the run listened: the port is never free. Undefined where the system
   * cannot hand one over (Windows): the port is then taken as soon as it is free.
   */
  readonly descriptor: number | undefined;
  /** When to tell agents that nobody decides any more, Unix milliseconds. */
  readonly tellAt: number;
  /** Until when to go on listening after that, for the agents that wait for nothing, Unix milliseconds; `tellAt` where there is none. */
  readonly idleUntil: number;
  /** When to end in any case, Unix milliseconds. */
  readonly endAt: number;
  /** The `retry` of streams that end because nobody came back, ms. */
  readonly comeBackMs: number;
  /** The file that holds `HolderNote`. */
  readonly noteFile: string;
  readonly ticket: string;
  readonly sessions: readonly HeldSession[];
}

/**
 * What a guardian does once the run has ended without a word: the order of a port holder, with times that count from then. It is
 * sent anew whenever something of it changes.
 */
export interface GuardOrder extends Omit<HoldOrder, "tellAt" | "idleUntil" | "endAt"> {
  /** How long to wait for the next run before agents are told that nobody decides, ms. */
  readonly holdMs: number;
  /** How long to wait for it in all, ms; at least `holdMs`. */
  readonly listenMs: number;
  /** How long to wait for stragglers after that, ms. */
  readonly stragglersMs: number;
}

export interface HeldSession {
  readonly sessionId: string;
  readonly proposals: readonly HeldProposal[];
}

/** How long to hold the port in all, ms, where agents are told after `holdMs` that nobody decides. */
export function listenMs(sessions: readonly HeldSession[], holdMs: number): number {
  return sessions.some(({ proposals }) => proposals.length === 0) ? idlePatience * holdMs : holdMs;
}

export interface HeldProposal {
  readonly id: string;
  readonly path: string;
  /** The notification by which the agent learns that it was rejected, JSON on one line. */
  readonly rejection: string;
}

/** What lies under `holderNoteKey`. A port holder that does not find its own ticket there has nothing to do any more. */
export interface HolderNote {
  readonly ticket: string;
  readonly told: readonly HolderVerdict[];
  /** Whom the port holder was told of: the next run may end before they have come back to it. */
  readonly sessions: readonly HeldSession[];
}

/** A note (`HolderNote`) that an earlier run left, as it was found, and when that was, on the monotonic clock. */
export interface EarlierNote {
  readonly text: string;
  readonly readAtMs: number;
}

export interface HolderVerdict {
  readonly proposalId: string;
  /** The event id under which the agent was sent the rejection; 0 where it decided the proposal itself. */
  readonly eventId: number;
}

/** What agents dial, and what opens it. */
export interface Listening {
  readonly endpoint: Pick<Endpoint, "address" | "descriptor">;
  readonly identity: Pick<EndpointIdentity, "sessionKey">;
  /** By agent. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** The agents of the run that ends, as far as they matter to a port holder. */
export interface HeldAgents {
  readonly sessions: Pick<SessionRegistry, "all">;
  readonly diffs: Pick<DiffRegistry, "owners" | "proposals" | "undecided">;
}
