/** PORT: starts programs as children of this process, each in a process group of its own. */
export interface Children {
  /**
   * Starts a program; no shell is between. Rejects with the system's error, with its `code`, where it cannot be started.
   * From the moment in which it resolves on, nothing that the program writes is lost as long as listeners are added at once.
   */
  start(request: StartRequest, listeners: ChildListeners): Promise<Child>;
  /** Ends every group that still lives, at once: for the last moment of this process, where only synchronous code runs. */
  endAllSync(): void;
}

/** What is started. */
export interface StartRequest {
  /** Absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute path of a directory that exists. */
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly environment: Environment;
}

/** Variables by name. */
export type Environment = Readonly<Record<string, string>>;

/** What is heard of a child. Never called before `start` has resolved. */
export interface ChildListeners {
  onOutput(chunk: Uint8Array): void;
  onErrorOutput(chunk: Uint8Array): void;
  /** The child has ended and all its output was heard, except where a process that it left behind holds it open. */
  onExit(exit: ChildExit): void;
}

/** How a process ended: one of both is there. */
export interface ChildExit {
  readonly code?: number;
  readonly signal?: string;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** A child that was started. */
export interface Child {
  readonly pid: number;
  /** Resolves when the system has taken the text; false where the child does not read any more. In order; never rejects. */
  write(text: string): Promise<boolean>;
  /** Closes its standard input once what was written is out. */
  endInput(): void;
  /** Notes what it has started outside its own group, while it can still be told whose that is. */
  noteStarted(): void;
  /** Signals the child, its group and what was noted; nothing happens where there is nobody left. */
  signalAll(signal: StopSignal): void;
  /** Whether somebody of these still lives. */
  isAnyAlive(): boolean;
}
