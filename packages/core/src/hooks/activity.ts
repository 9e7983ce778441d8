import type { HookEvent } from "../agents/hook.ts";
import { titleOf } from "../support/text.ts";

/** What an agent's session is doing, as its hooks tell. */
export interface AgentActivity {
  /** Id of the agent, e.g. `claude`. */
  readonly agent: string;
  /** The agent's own name for its session. */
  readonly session: string;
  /** `ProposalInfo.sessionId` of what it asks. */
  readonly owner: string;
  /** The processes above its hook, the nearest first: one is the agent's, one may be the shell of a terminal. Empty where it cannot be told. */
  readonly processes: readonly number[];
  /** Where it works; undefined where it has not said. */
  readonly folder: string | undefined;
  /** The begin of the first prompt; undefined before it. */
  readonly title: string | undefined;
  /** `waiting`: for the user's verdict; `idle`: its turn has ended. */
  readonly state: "working" | "waiting" | "idle" | "ended";
  /** Since when it is in this state, Unix milliseconds. */
  readonly since: number;
  /** The files whose reviews it waits for, and the ids of commands (`CommandQuestion`). */
  readonly waitsFor: readonly string[];
}

/** A shell command that an agent runs only if the user says so. */
export interface CommandQuestion {
  readonly id: string;
  readonly agentName: string;
  /** Whose it is: the `owner` of an `AgentActivity`. */
  readonly owner: string;
  /** As the agent gave it: any characters, any length. `shownCommand` makes a line of it. */
  readonly command: string;
  /** Where the agent works; undefined where it does not say. */
  readonly folder: string | undefined;
  /** Unix milliseconds. */
  readonly since: number;
}

/** The commands that agents wait for. Only the user's own word decides: a message that is closed or hides itself decides nothing. */
export interface AskedCommands {
  /** The oldest first. A change fires `Companion.onDidChangeActivities`. */
  readonly all: readonly CommandQuestion[];
  /** The user's answer, from a list. `reason`: what the agent is told with a no. False: nobody asks it any more. */
  answer(id: string, answer: "allow" | "reject", reason?: string): boolean;
  /** Asks once more, by the editor's message. False: nobody asks it any more. */
  show(id: string): boolean;
}

/** More sessions are not remembered; those that ended longest ago go first, then those that were quiet for longest. */
const mostSessions = 64;

/** What all sessions are doing, as far as their hooks tell. */
export class Activities {
  readonly #now: () => number;
  readonly #onDidChange: () => void;
  readonly #sessions: Map<string, AgentActivity> = new Map();

  constructor(now: () => number, onDidChange: () => void) {
    this.#now = now;
    this.#onDidChange = onDidChange;
  }

  /** In the order of their last change, the newest last. */
  get all(): readonly AgentActivity[] {
    return Array.from(this.#sessions.values());
  }

  /** An agent has told of itself. */
  note(agent: string, event: HookEvent): void {
    switch (event.kind) {
      case "session-began":
      case "turn-ended":
        return this.#change(agent, event, { state: "idle", waitsFor: [] });
      case "session-ended":
        return this.#change(agent, event, { state: "ended", waitsFor: [] });
      case "turn-began": {
        const known = this.#sessions.get(keyOf(agent, event.session))?.title;
        const title = known ?? titleOf(event.prompt);
        return this.#change(agent, event, { state: "working", title });
      }
      case "write":
      case "command":
      case "wrote":
      case "shows":
        // Whoever runs a tool works; reviews that run in parallel go on.
        return this.#change(agent, event, {});
    }
  }

  /** These processes run a session. */
  place(key: string, processes: readonly number[]): void {
    const known = this.#sessions.get(key);
    // Nobody needs to know before they want to go there.
    if (known !== undefined) this.#sessions.set(key, { ...known, processes });
  }

  /** A session has ended without a word; named as `keyOf` names it. */
  ended(key: string): void {
    const known = this.#sessions.get(key);
    if (known === undefined || known.state === "ended") return;
    this.#change(known.agent, { session: known.session, cwd: undefined }, { state: "ended", waitsFor: [] });
  }

  /** The session waits for the user's verdict on a file or a command; what comes back is called when it does not any more. */
  waits(agent: string, source: Pick<HookEvent, "session" | "cwd">, path: string): () => void {
    const files = (): readonly string[] => this.#sessions.get(keyOf(agent, source.session))?.waitsFor ?? [];
    this.#change(agent, source, { state: "waiting", waitsFor: [...files(), path] });
    return () => {
      const at = files().indexOf(path);
      if (at === -1) return;
      const left = files().toSpliced(at, 1);
      this.#change(agent, source, { state: left.length === 0 ? "working" : "waiting", waitsFor: left });
    };
  }

  #change(
    agent: string,
    { session, cwd }: Pick<HookEvent, "session" | "cwd">,
    change: Partial<Pick<AgentActivity, "state" | "title" | "waitsFor">>,
  ): void {
    const key = keyOf(agent, session);
    const before = this.#sessions.get(key);
    const now = this.#now();
    const waits = (change.waitsFor ?? before?.waitsFor ?? []).length > 0;
    const state = change.state ?? (waits ? "waiting" : "working");
    const after: AgentActivity = {
      agent,
      session,
      owner: ownerIdOf(agent, session),
      processes: before?.processes ?? [],
      title: before?.title,
      waitsFor: before?.waitsFor ?? [],
      ...change,
      folder: cwd ?? before?.folder,
      state,
      since: state === before?.state ? before.since : now,
    };
    this.#sessions.delete(key);
    this.#sessions.set(key, after);
    this.#dropOldest();
    this.#onDidChange();
  }

  #dropOldest(): void {
    if (this.#sessions.size <= mostSessions) return;
    const all = Array.from(this.#sessions);
    const oldest = all.find(([, { state }]) => state === "ended") ?? all.find(([, one]) => one.waitsFor.length === 0);
    if (oldest !== undefined) this.#sessions.delete(oldest[0]);
  }
}

/** No agent's session of its own protocol has such an id: those begin with the name of a dialect and a dot. */
export const hookOwnerPrefix = "hook:";

/** Whose the proposals of a hook's session are. */
export function ownerIdOf(agent: string, session: string): string {
  return hookOwnerPrefix + keyOf(agent, session);
}

/** The agent's own name for the session of such an owner. */
export function sessionOf(agent: string, ownerId: string): string {
  return ownerId.slice(ownerIdOf(agent, "").length);
}

/** Names a session among those of all agents. */
export function keyOf(agent: string, session: string): string {
  return `${agent} ${session}`;
}
