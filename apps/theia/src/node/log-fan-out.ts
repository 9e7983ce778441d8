import { formatLogLine, type LogFields, type Logger } from "@patchbay/core";

/** How many lines a window that opens later still gets to see. */
const keptLines = 500;

type Severity = "debug" | "info" | "warn" | "error";

/** Sends what core logs to Theia's own log and to the windows' output views. */
export class LogFanOut implements Logger {
  readonly #write: (severity: Severity, line: string) => void;
  readonly #now: () => number;
  readonly #lines: string[] = [];
  readonly #listeners: Set<(lines: readonly string[]) => void> = new Set();

  constructor(write: (severity: Severity, line: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log("error", message, fields);
  }

  /** Adds a reader: it gets the lines so far at once. */
  read(listener: (lines: readonly string[]) => void): () => void {
    if (this.#lines.length > 0) listener(Array.from(this.#lines));
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #log(severity: Severity, message: string, fields: LogFields | undefined): void {
    const line = formatLogLine(message, fields);
    this.#write(severity, line);
    if (severity === "debug") return;
    const stamped = `${new Date(this.#now()).toISOString()} [${severity}] ${line}`;
    this.#lines.push(stamped);
    if (this.#lines.length > keptLines) this.#lines.shift();
    for (const listener of this.#listeners) listener([stamped]);
  }
}
