import type { HookCall } from "../endpoint/endpoint.ts";
import type { ProcessFacts } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import type { Session } from "../session/session.ts";

/** An agent starts its hooks through a shell or two; it is among the next of their ancestors. */
const mostParents = 8;

/** How often it is looked whether they live, ms. */
const lookAgainMs = 2_000;

export interface AgentProcessesOptions {
  readonly process: Pick<ProcessFacts, "isAlive" | "parentOf" | "peerOf">;
  readonly clock: Pick<Clock, "setTimeout">;
  /** The processes above a session's hook, the nearest first. */
  readonly onFound: (session: string, ancestors: readonly number[]) => void;
  /** A session's process has ended, and has not said so. */
  readonly onGone: (session: string) => void;
}

/**
 * Finds the processes of the agents whose hooks came, and tells when one has ended without a word, as a killed one does. A hook and its
 * shells end with their event, so the agent is the nearest ancestor that two hooks of its session have in common.
 */
export class AgentProcesses implements Disposable {
  readonly #options: AgentProcessesOptions;
  /** Of the first hook of a session. */
  readonly #ancestors: Map<string, readonly number[]> = new Map();
  readonly #agents: Map<string, number> = new Map();
  #look: Disposable | undefined;
  #isOver = false;

  constructor(options: AgentProcessesOptions) {
    this.#options = options;
  }

  /** A hook of a session is here and lives: its ancestors can still be asked for. `isAgent`: it runs in the agent's own process. */
  async heard(session: string, call: Pick<HookCall, "pid" | "ports">, isAgent = false): Promise<void> {
    if (this.#agents.has(session)) return;
    const ancestors = await this.#ancestorsOf(call, isAgent);
    const [itself] = ancestors;
    if (isAgent && itself !== undefined && !this.#isOver) {
      this.#options.onFound(session, ancestors);
      this.#agents.set(session, itself);
      this.#schedule();
      return;
    }
    const earlier = this.#ancestors.get(session);
    if (ancestors.length > 0) this.#options.onFound(session, ancestors);
    if (earlier === undefined) {
      if (ancestors.length > 0) this.#ancestors.set(session, ancestors);
      return;
    }
    const agent = ancestors.find((pid) => earlier.includes(pid));
    if (agent === undefined || this.#isOver) return;
    this.#ancestors.delete(session);
    this.#agents.set(session, agent);
    this.#schedule();
  }

  /** A session has begun anew, perhaps in another process, or has ended. */
  forget(session: string): void {
    this.#ancestors.delete(session);
    this.#agents.delete(session);
  }

  dispose(): void {
    this.#isOver = true;
    this.#look?.dispose();
  }

  #schedule(): void {
    this.#look ??= this.#options.clock.setTimeout(() => {
      this.#look = undefined;
      for (const [session, pid] of Array.from(this.#agents)) {
        if (this.#options.process.isAlive(pid)) continue;
        this.forget(session);
        this.#options.onGone(session);
      }
      if (this.#agents.size > 0 && !this.#isOver) this.#schedule();
    }, lookAgainMs);
  }

  /** Without the hook itself, unless it is the agent. Empty where nobody can tell, as in another container. */
  async #ancestorsOf(
    { pid: told, ports }: Pick<HookCall, "pid" | "ports">,
    isAgent: boolean,
  ): Promise<readonly number[]> {
    const { process } = this.#options;
    const hook = process.peerOf === undefined ? told : await (ports && process.peerOf(ports));
    const found: number[] = [];
    let pid = hook === undefined || isAgent ? hook : await process.parentOf(hook);
    while (pid !== undefined && pid > 1 && found.length < mostParents) {
      found.push(pid);
      pid = await process.parentOf(pid);
    }
    return found;
  }
}

type Ancestry = Pick<ProcessFacts, "parentOf" | "peerOf">;

/** An agent starts its hooks through a shell or two. */
const mostAncestors = 16;

/**
 * Whether the agent that runs a hook is connected by its own protocol, too: one of the hook's ancestors is at the other end of a session
 * of that agent. Where the system does not tell whose connection a session is, any session of that agent counts.
 */
export async function isAttached(
  call: Pick<HookCall, "tokenName" | "pid" | "ports">,
  sessions: readonly Pick<Session, "dialect" | "pid" | "ports" | "state">[],
  process: Ancestry,
): Promise<boolean> {
  const own = sessions.filter(({ dialect, state }) => dialect.id === call.tokenName && state === "connected");
  if (own.length === 0) return false;
  const ancestors = await ancestorsOf(call, process);
  if (ancestors.size === 0) return true;
  const pids = await Promise.all(own.map(async ({ pid, ports }) => pid ?? (await peerOf(ports, process))));
  return pids.some((pid) => pid === undefined || ancestors.has(pid));
}

/** The process of a hook and those above it, the nearest first. */
async function ancestorsOf(
  { pid: told, ports }: Pick<HookCall, "pid" | "ports">,
  process: Ancestry,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  let pid = (await peerOf(ports, process)) ?? told;
  while (pid !== undefined && pid > 1 && found.size < mostAncestors) {
    found.add(pid);
    pid = await process.parentOf(pid);
  }
  return found;
}

async function peerOf(ports: HookCall["ports"], process: Ancestry): Promise<number | undefined> {
  return ports === undefined ? undefined : await process.peerOf?.(ports);
}
