import type { AgentProcess, ProposalOwner } from "../diff/proposal.ts";
import type { ProcessFacts, TcpPorts } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";

/** When an agent that is missed is looked for, ms after it was last: a killed process loses its connections a little before its life. */
const looksAfterMs: readonly number[] = [0, 100, 400];
/** And from then on, ms: there is nothing that tells the end of a process that is not ours. */
const looksEveryMs = 1_000;

export interface AgentProcessesOptions {
  readonly process: ProcessFacts;
  readonly clock: Clock;
  /** Whether something still waits for the agent of a session: only then its end is of interest. */
  readonly concerns: (sessionId: string) => boolean;
  /** The process of a session is known from now on. */
  readonly onDidIdentify: (sessionId: string) => void;
  /** The agent has exited: it will not come back. */
  readonly onDidExit: (sessionId: string) => void;
}

/**
 * The processes of agents that something is shown for. An agent that is not connected may come back, unless its process has
 * ended. Each is looked up once, with the first proposal; where the system does not tell, nothing is concluded.
 */
export class AgentProcesses {
  readonly #options: AgentProcessesOptions;
  readonly #asked: WeakSet<ProposalOwner> = new WeakSet();
  readonly #watches: Map<string, Disposable> = new Map();

  constructor(options: AgentProcessesOptions) {
    this.#options = options;
  }

  /** Finds out whose connection it is. `ports` is undefined while there is none; `told` is what the agent says of itself. */
  async identify(owner: ProposalOwner, ports: TcpPorts | undefined, told: number | undefined): Promise<void> {
    const { process, onDidIdentify } = this.#options;
    if (owner.process !== undefined || (ports === undefined && told === undefined) || this.#asked.has(owner)) return;
    this.#asked.add(owner);
    const found = ports === undefined ? undefined : await process.peerOf?.(ports);
    const pid = found ?? told;
    const mark = pid === undefined ? undefined : await process.startMark(pid);
    if (pid === undefined || mark === undefined) return;
    owner.process = { pid, mark };
    onDidIdentify(owner.sessionId);
  }

  /** The agent's connection has ended, or it has not come back to this run yet: looks whether it still runs until it is back. */
  watch({ sessionId, process }: ProposalOwner): void {
    if (process === undefined || this.#watches.has(sessionId)) return;
    this.#schedule(sessionId, process, 0);
  }

  /** The agent is here, or nobody cares any more. */
  unwatch(sessionId: string): void {
    this.#watches.get(sessionId)?.dispose();
    this.#watches.delete(sessionId);
  }

  dispose(): void {
    for (const sessionId of Array.from(this.#watches.keys())) this.unwatch(sessionId);
  }

  #schedule(sessionId: string, process: AgentProcess, look: number): void {
    const timer = this.#options.clock.setTimeout(
      () => void this.#look(sessionId, process, look, timer),
      looksAfterMs[look] ?? looksEveryMs,
    );
    this.#watches.set(sessionId, timer);
  }

  async #look(sessionId: string, process: AgentProcess, look: number, timer: Disposable): Promise<void> {
    const { concerns, onDidExit } = this.#options;
    const runs = concerns(sessionId) && (await this.#runs(process));
    // It has come back while the system was asked.
    if (this.#watches.get(sessionId) !== timer) return;
    if (runs) {
      this.#schedule(sessionId, process, look + 1);
      return;
    }
    this.unwatch(sessionId);
    if (concerns(sessionId)) onDidExit(sessionId);
  }

  async #runs({ pid, mark }: AgentProcess): Promise<boolean> {
    const { process } = this.#options;
    if (!process.isAlive(pid)) return false;
    // An id is used again; where the mark cannot be told any more, nothing is concluded from it.
    return ((await process.startMark(pid)) ?? mark) === mark;
  }
}
