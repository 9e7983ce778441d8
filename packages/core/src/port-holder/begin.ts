import * as z from "zod";
import type { ProposalInfo } from "../diff/model.ts";

import { handoverSecrets } from "../endpoint/give-back.ts";
import { inheritedDescriptor, type Platform } from "../platform/platform.ts";

import type { PrivateStorage } from "../storage/private-storage.ts";
import {
  farewellKey,
  type FarewellNote,
  type FarewellOrder,
  type FarewellProposal,
  type FarewellSession,
  type GuardOrder,
  type HeldAgents,
  type Listening,
} from "./order.ts";
import { type FarewellModules, runFarewell } from "./program.ts";

/** Agents are told to come back to a keeper no later than this, ms: it holds their streams, however long the editor takes. */
const longestRetryMs = 2_000;
/** How many times the expected absence the keeper waits for the editor before it tells agents that nobody decides. */
export const patience = 3;
/** After the agents' second attempt the keeper waits this long for stragglers, ms. */
export const stragglersMs = 1_500;

export interface FarewellOptions {
  readonly platform: Platform;
  readonly storage: PrivateStorage;
  readonly listening: Listening;
  readonly comeBackMs: number;
  /** Undefined: no agent came to this run. */
  readonly agents: HeldAgents | undefined;
  readonly earlier: EarlierFarewell | undefined;
}

/**
 * Starts the process that holds the port while the editor is away, and in the end tells agents that nobody decides (see
 * `runFarewell`). Does nothing where no agent is connected. Says when agents may come back to it, ms; undefined: none was
 * started.
 */
export async function beginFarewell(options: FarewellOptions): Promise<number | undefined> {
  const { platform, storage, listening, comeBackMs, agents, earlier } = options;
  const { identity, tokens } = listening;
  const { port, descriptor } = listening.endpoint;
  const { clock, processes, random } = platform;
  const sessions = farewellSessions(agents, earlier, clock.monotonic());
  if (processes === undefined || sessions.length === 0) return undefined;
  const ticket = random.token(12);
  await storage.write(farewellKey, JSON.stringify({ ticket, told: [], sessions } satisfies FarewellNote));
  const noteFile = await storage.locate(farewellKey);
  if (noteFile === undefined) return undefined;
  const now = clock.now();
  const retryMs = Math.min(comeBackMs, longestRetryMs);
  const tellAt = now + patience * comeBackMs;
  const { ask, proofKey } = handoverSecrets(identity.sessionKey, random);
  const order: FarewellOrder = {
    port,
    tokens: Object.values(tokens),
    giveBackSecret: ask,
    proofKey,
    descriptor: descriptor === undefined ? undefined : inheritedDescriptor,
    tellAt,
    endAt: tellAt + stragglersMs,
    comeBackMs: retryMs,
    noteFile,
    ticket,
    sessions,
  };
  return (await processes.startDetached(farewellProgram(order), descriptor)) ? retryMs : undefined;
}

const modules = `{http:require("node:http"),crypto:require("node:crypto"),files:require("node:fs"),exit:()=>process.exit()}`;

/** The keeper as a program in one text, for a Node that reads it from its standard input. */
export function farewellProgram(order: FarewellOrder): string {
  return `(${runFarewell.toString()})(${modules},${JSON.stringify(order)})\n`;
}

/** The guardian as an expression for `Processes.startAttached`. */
export function guardianProgram(): string {
  return `(${standGuard.toString()})(()=>(${modules}),${runFarewell.toString()},()=>process.exit())`;
}

/** Says to a guardian that it has nothing to do any more. */
export const dismissal = "";

/**
 * The program of a guardian: a keeper that waits for the end of the run, which it hears as the end of the pipe. Sent as its
 * source text, like `runFarewell`.
 */
export function standGuard(
  load: () => FarewellModules,
  run: (modules: FarewellModules, order: FarewellOrder) => void,
  exit: () => void,
): (line: string | undefined) => void {
  let order: GuardOrder | undefined;
  return (line) => {
    if (line === "") exit();
    else if (line !== undefined) order = JSON.parse(line);
    else if (order === undefined) exit();
    else {
      const now = Date.now();
      const tellAt = now + order.holdMs;
      run(load(), { ...order, tellAt, endAt: tellAt + order.stragglersMs });
    }
  };
}

/** An agent whose stream went longer ago has come back or given up by now, ms: two attempts, each after the stream's `retry`. */
const stillTryingMs = 3_000;

/** How long after its start a run expects agents of the run before, ms. */
const expectedMs = 5_000;

/** What an earlier run left word of, and when that was read, on the monotonic clock. */
export interface EarlierFarewell {
  readonly note: string;
  readonly readAtMs: number;
}

const noteSchema = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      proposals: z.array(z.object({ id: z.string(), path: z.string(), rejection: z.string() })),
    }),
  ),
});

/**
 * The agents that come back to a port, with what they wait for: those that are connected, and those that were cut off just
 * now and are about to try. Idle ones too: the first attempt of Gemini CLI that finds nobody disconnects it until the user
 * types `/ide enable`.
 */
export function farewellSessions(
  agents: HeldAgents | undefined,
  earlier: EarlierFarewell | undefined,
  monotonicMs: number,
): readonly FarewellSession[] {
  const known = agents === undefined ? [] : knownSessions(agents, agents.diffs.undecided, monotonicMs);
  if (earlier === undefined || monotonicMs - earlier.readAtMs > expectedMs) return known;
  // A window that is reloaded twice: whoever has not come back to this run waits for the next one.
  const came = new Set(agents?.sessions.sessions.map(({ id }) => id));
  const open = new Set(agents?.diffs.undecided.map(({ id }) => id));
  const missing = readSessions(earlier.note)
    .filter(({ sessionId }) => !came.has(sessionId))
    .map(({ sessionId, proposals }) => ({ sessionId, proposals: proposals.filter(({ id }) => open.has(id)) }));
  return [...known, ...missing];
}

function readSessions(note: string): readonly FarewellSession[] {
  try {
    return noteSchema.parse(JSON.parse(note)).sessions;
  } catch {
    // Not written by a run of ours: as good as none.
    return [];
  }
}

/** The agents that would come back to the port if the run ended now, with what they wait for. */
export function presentSessions(agents: HeldAgents, monotonicMs: number): readonly FarewellSession[] {
  return knownSessions(agents, agents.diffs.proposals, monotonicMs);
}

function knownSessions(
  { sessions }: Pick<HeldAgents, "sessions">,
  undecided: readonly ProposalInfo[],
  monotonicMs: number,
): readonly FarewellSession[] {
  return sessions.sessions
    .filter(({ awaySince }) => awaySince === undefined || monotonicMs - awaySince < stillTryingMs)
    .map((session): FarewellSession => {
      const own = undecided.filter(({ sessionId, state }) => sessionId === session.id && state !== "kept");
      const proposals = own.flatMap(({ id, path }): FarewellProposal[] => {
        const rejection = session.encodeRejection(path);
        return rejection === undefined ? [] : [{ id, path, rejection }];
      });
      return { sessionId: session.id, proposals };
    });
}
