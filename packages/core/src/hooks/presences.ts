import { agents } from "../agents/catalogue.ts";
import type { Companion, SessionInfo } from "../companion.ts";
import type { Diagnostic } from "../editor-host.ts";
import type { ProposalInfo } from "../diff/model.ts";
import type { AgentActivity, AskedCommands, CommandQuestion } from "./activity.ts";

/** One session of an agent, whatever it is known by: its hook, its own protocol, or both. */
export interface Presence {
  readonly id: string;
  /** Id of the catalogue. */
  readonly agent: string;
  readonly agentName: string;
  /** The begin of its first prompt. */
  readonly title: string | undefined;
  /** `connected` and `away`: of an agent that does not say what it does. */
  readonly state: AgentActivity["state"] | "connecting" | "connected" | "away";
  readonly since: number;
  /** Its own, the nearest first; empty where nobody knows them. */
  readonly processes: readonly number[];
  readonly proposals: readonly ProposalInfo[];
  /** The files that it asks about now. */
  readonly waitsFor: readonly string[];
  /** The shell commands that it asks about now. */
  readonly commands: readonly CommandQuestion[];
  /** What is known by its own protocol. */
  readonly session: SessionInfo | undefined;
}

export interface KnownSessions extends Pick<Companion, "activities" | "sessions" | "proposals"> {
  readonly commands: Pick<AskedCommands, "all"> | undefined;
}

/** All sessions, the newest activity first, then those that say nothing of what they do. */
export function presencesOf({ activities, sessions, proposals, commands: asked }: KnownSessions): readonly Presence[] {
  const asking = proposalsBySession(proposals);
  const attached = new Set<SessionInfo>();
  const told = activities.toReversed().map((activity): Presence => {
    const { agent, owner, title, since, processes } = activity;
    const session = sessions.find(
      (one) => one.dialect === agent && one.pid !== undefined && processes.includes(one.pid) && !attached.has(one),
    );
    if (session !== undefined) attached.add(session);
    // One that is known both ways asks both ways, and its proposals keep their order.
    const own =
      session === undefined
        ? (asking.get(owner) ?? [])
        : proposals.filter(({ sessionId }) => sessionId === owner || sessionId === session.id);
    const waitsFor = awaited(own);
    const commands = asked?.all.filter((command) => command.owner === owner) ?? [];
    const waits = activity.state !== "ended" && waitsFor.length + commands.length > 0;
    const agentName = agents.find(({ id }) => id === agent)?.agentName ?? agent;
    const state = waits ? "waiting" : activity.state;
    return { id: owner, agent, agentName, title, state, since, processes, proposals: own, waitsFor, commands, session };
  });
  const others = sessions
    .filter((session) => !attached.has(session))
    .map((session): Presence => {
      const { id, agentName, since, pid } = session;
      const own = asking.get(id) ?? [];
      const waitsFor = awaited(own);
      const state = waitsFor.length > 0 ? "waiting" : session.state;
      const processes = pid === undefined ? [] : [pid];
      return {
        id,
        agent: session.dialect,
        agentName,
        title: undefined,
        state,
        since,
        processes,
        proposals: own,
        waitsFor,
        commands: [],
        session,
      };
    });
  return [...told, ...others];
}

function proposalsBySession(proposals: readonly ProposalInfo[]): ReadonlyMap<string, readonly ProposalInfo[]> {
  const found = new Map<string, ProposalInfo[]>();
  for (const proposal of proposals) {
    const own = found.get(proposal.sessionId);
    if (own === undefined) found.set(proposal.sessionId, [proposal]);
    else own.push(proposal);
  }
  return found;
}

function awaited(proposals: readonly ProposalInfo[]): readonly string[] {
  return proposals.flatMap(({ state, path }) =>
    state === "shown" || state === "listed" || state === "asking" || state === "hidden" ? [path] : [],
  );
}

/** What a user who does not look at an agent may want to know of it. */
export interface PresenceNews {
  readonly presence: Presence;
  readonly what: "waits" | "finished" | "ended";
}

/** Finds out what has happened since the last look, for notifications: a session that is seen for the first time has news only if it waits. */
export class PresenceWatch {
  #states: ReadonlyMap<string, Presence["state"]> = new Map();

  look(known: KnownSessions): readonly PresenceNews[] {
    const presences = presencesOf(known);
    const before = this.#states;
    this.#states = new Map(presences.map(({ id, state }) => [id, state]));
    return presences.flatMap((presence): PresenceNews[] => {
      const { id, state } = presence;
      const last = before.get(id);
      if (last === state) return [];
      if (state === "waiting") return [{ presence, what: "waits" }];
      const wasAtWork = last === "working" || last === "waiting";
      if (!wasAtWork || (state !== "idle" && state !== "ended")) return [];
      return [{ presence, what: state === "idle" ? "finished" : "ended" }];
    });
  }
}

/** Characters that a terminal obeys; a line end would send what stands before it. */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * What a terminal is given so that a text stands in the prompt of the agent that runs there, and is not sent: one line, pasted. Undefined while
 * the agent asks something, since keys would answer it, and where nothing is left of the text.
 */
export function promptPaste(text: string, { state }: Pick<Presence, "state">): string | undefined {
  const line = text.replace(obeyed, " ").trim();
  if (line === "" || state === "waiting" || state === "ended") return undefined;
  return `\u001b[200~${line}\u001b[201~`;
}

/** What the user names to an agent. */
export interface NamedPlace {
  /** Relative to the folder of the workspace where it is in one. */
  readonly path: string;
  /** From 0, the last one included. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined;
  /** What the editor says of these lines. */
  readonly problem?: Pick<Diagnostic, "message" | "source" | "code"> | undefined;
}

/**
 * A place as one reads it in an agent's prompt: `@path` as Gemini CLI, Qwen Code and Claude Code understand it, then lines and problem in words.
 * Undefined for a path that a terminal would not take as it is.
 */
export function namedPlace({ path, lines, problem }: NamedPlace): string | undefined {
  if (path.replace(unseen, "") !== path) return undefined;
  // They read a path up to the first blank that is not escaped.
  const file = `@${path.replaceAll(" ", "\\ ")}`;
  if (lines === undefined) return file;
  const { start, end } = lines;
  const place = `${file} (${start === end ? `line ${start + 1}` : `lines ${start + 1}-${end + 1}`})`;
  if (problem === undefined) return place;
  const origin = [problem.source, problem.code].filter((part) => part !== undefined && part !== "").join(" ");
  const message = `${problem.message}${origin === "" ? "" : ` [${origin}]`}`;
  return `${place}: ${message.replace(unseen, " ").replace(/\s+/gu, " ").trim()}`;
}

/** What could make a line look like another one, or stand where nobody sees it. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/** The same, and what has no ink or looks like a space: to a shell it is a letter. */
const inkless = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Co}\p{Cn}\p{DI}\u2800]/gu;

/** A command as one line, every character of which is seen; marked as one. */
export function shownCommand(command: string): string {
  const line = command
    .trim()
    .replaceAll(/\r?\n/gu, " ↵ ")
    .replaceAll(inkless, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
  return `$ ${line}`;
}
