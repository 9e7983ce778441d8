import { type Clock, Emitter, type Event, type Logger, messageOf, PatchbayError } from "@patchbay/core";
import type { LineReader } from "@patchbay/core/json-input";
import type { Child, ChildExit, Children, StartRequest } from "./children.ts";
import { ErrorTail, readMessages } from "./lines.ts";

/** What a process of an agent needs of its surroundings. */
export interface AgentProcessPorts {
  readonly children: Children;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How a process ended. */
export interface ProcessExit extends ChildExit {
  /** The last lines that it wrote to its standard error, without secrets. */
  readonly lastErrors: string;
  /** It was asked to: by `stop`, not by itself. */
  readonly isExpected: boolean;
}

/** How a process ended by itself, in words that follow its name. */
export function endOf({ code, signal }: ChildExit): string {
  return signal === undefined ? `exited unexpectedly (code ${code ?? 0})` : `was terminated (${signal})`;
}

/** What a driver does before a process is ended by others' means. */
export interface StopLadder {
  /** Says it in the agent's own words, e.g. interrupts its turn; skipped where there is nothing to say. At most 1 s is given. */
  readonly first?: { say(): void; readonly waitMs: number };
  /** How long it may take to end once its standard input is closed, ms; at most 2 s. */
  readonly inputMs: number;
}

/** Limits of the ladder, ms: together 9 s. */
const longestFirstMs = 1_000;
const longestInputMs = 2_000;
const terminateMs = 5_000;
const killMs = 1_000;
/** What a program leaves behind that has ended itself gets less: nobody needs it any more, and some do not mind the signal, ms. */
const orphanMs = 1_000;

/** How often it is looked whether what a process started still lives, ms. */
const lookMs = 50;

/**
 * A program that speaks JSON, a message a line, on its standard input and output. Ends with all that it started: by `stop`,
 * and also when it ends by itself and leaves something behind.
 */
export class AgentProcess {
  readonly #ports: AgentProcessPorts;
  readonly #request: StartRequest;
  readonly #lines: LineReader;
  readonly #errors: ErrorTail;
  readonly #message: Emitter<unknown>;
  readonly #exit: Emitter<ProcessExit>;
  #child: Child | undefined;
  #exited: ProcessExit | undefined;
  #hasBegun = false;
  #isStopping = false;
  #isGone = false;
  readonly #waiting: Set<() => void> = new Set();

  constructor(ports: AgentProcessPorts, request: StartRequest) {
    this.#ports = ports;
    this.#request = request;
    this.#lines = readMessages(ports.logger, (message) => this.#message.fire(message));
    this.#errors = new ErrorTail(request.environment);
    const report = (error: unknown): void => ports.logger.error("A listener failed", { reason: messageOf(error) });
    this.#message = new Emitter(report);
    this.#exit = new Emitter(report);
  }

  /** What it says: one JSON value for each line. Lines that are not JSON, or too long, are logged and skipped. */
  get onMessage(): Event<unknown> {
    return this.#message.event;
  }

  /** Once, behind the last message. */
  get onExit(): Event<ProcessExit> {
    return this.#exit.event;
  }

  /** Undefined while it runs, and before. */
  get exited(): ProcessExit | undefined {
    return this.#exited;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The last lines of its standard error, at most 64 kB, without secrets. */
  get lastErrors(): string {
    return this.#errors.text();
  }

  /** Starts it. Rejects with a sentence for people where it cannot be. Once. */
  async start(): Promise<void> {
    const { program } = this.#request;
    this.#hasBegun = true;
    try {
      this.#child = await this.#ports.children.start(this.#request, {
        onOutput: (chunk) => this.#lines.push(chunk),
        onErrorOutput: (chunk) => this.#errors.push(chunk),
        onExit: (exit) => this.#ended(exit),
      });
    } catch (error) {
      this.#settle();
      throw new PatchbayError("not-found", `${program} could not be started: ${messageOf(error)}`, { cause: error });
    }
    this.#ports.logger.debug("An agent was started", { pid: this.#child.pid });
    // Stopped while it was being started.
    if (this.#isStopping) this.#climb({ inputMs: 0 });
  }

  /** Sends one message; resolves when the system has taken it, false where nobody reads any more. In order; never rejects. */
  async send(message: unknown): Promise<boolean> {
    if (this.#child === undefined || this.#exited !== undefined) return false;
    return await this.#child.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends it and all that it started, in at most 9 s; resolves when nothing is left. Any number of times. */
  async stop(ladder: StopLadder): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#child?.noteStarted();
      if (this.#child !== undefined && this.#exited === undefined) this.#climb(ladder);
    }
    if (this.#isGone || !this.#hasBegun) return;
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** The rungs before signals are for the program itself: what is left of it afterwards is ended by `#sweep`. */
  #climb(ladder: StopLadder): void {
    const closeInput = (): void => {
      if (this.#exited !== undefined) return;
      this.#child?.endInput();
      this.#after(Math.min(ladder.inputMs, longestInputMs), () => this.#sweep());
    };
    if (ladder.first === undefined) {
      closeInput();
      return;
    }
    ladder.first.say();
    this.#after(Math.min(ladder.first.waitMs, longestFirstMs), closeInput);
  }

  #ended(exit: ChildExit): void {
    if (this.#exited !== undefined) return;
    this.#lines.end();
    this.#exited = { ...exit, lastErrors: this.#errors.text(), isExpected: this.#isStopping };
    this.#ports.logger.debug("An agent has ended", { ...exit, isExpected: this.#isStopping });
    this.#sweep();
    this.#exit.fire(this.#exited);
  }

  #isSweeping = false;

  /** Ends what lives of the group: asked first, then by force. */
  #sweep(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const child = this.#child;
    if (child === undefined || !child.isAnyAlive()) {
      this.#settle();
      return;
    }
    child.signalAll("SIGTERM");
    const begun = this.#ports.clock.monotonic();
    let killedAt: number | undefined;
    const look = (): void => {
      const spent = this.#ports.clock.monotonic() - begun;
      if (!child.isAnyAlive()) {
        this.#settle();
        return;
      }
      if (killedAt === undefined && spent >= (this.#exited === undefined ? terminateMs : orphanMs)) {
        killedAt = spent;
        child.signalAll("SIGKILL");
      } else if (killedAt !== undefined && spent >= killedAt + killMs) {
        // Not even that helped: it hangs in the system, or nobody collects what has ended.
        this.#ports.logger.warn("An agent could not be ended", { pid: child.pid });
        this.#settle();
        return;
      }
      this.#after(lookMs, look);
    };
    look();
  }

  #settle(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #after(delayMs: number, action: () => void): void {
    this.#ports.clock.setTimeout(action, delayMs);
  }
}
