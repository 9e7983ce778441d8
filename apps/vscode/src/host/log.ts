import type { Disposable, OutputChannel } from "vscode";
import { formatLogLine, type LogFields, type Logger } from "@patchbay/core";
import type { LogLevel, Settings } from "../settings.ts";

const severity: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** The log as an output channel, one line per entry, from the level that the user chose. */
export class OutputLog implements Logger, Disposable {
  readonly #channel: OutputChannel;
  readonly #settings: Pick<Settings, "logLevel">;

  #ended = false;

  constructor(channel: OutputChannel, settings: Pick<Settings, "logLevel">) {
    this.#channel = channel;
    this.#settings = settings;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write("error", message, fields);
  }

  /** From now on nothing is written: VS Code closes the channel before the last of us has ended. */
  dispose(): void {
    this.#ended = true;
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (this.#ended || severity[level] > severity[this.#settings.logLevel]) return;
    this.#channel.appendLine(`${new Date().toISOString()} [${level}] ${formatLogLine(message, fields)}`);
  }
}
