import { messageOf } from "./errors.ts";
import { visibleText } from "./text.ts";

/** Values a log line may carry. Never a token, the contents of a file or a selection. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** PORT: where log lines go. The message is constant text; what varies stands in the fields. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger that keeps nothing. */
export const nullLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** For emitters: what a listener throws is logged and disturbs neither the other listeners nor whoever fired. */
export function reportListenerFailure(logger: Logger): (error: unknown) => void {
  return (error) => logger.error("A listener failed", { reason: messageOf(error) });
}

/**
 * One line of text for a message and its fields, the form all adapters show. Values may come from an agent or be the name
 * of a file: none of them begins a line of its own, or is obeyed by a terminal in which the log is read.
 */
export function formatLogLine(message: string, fields?: LogFields): string {
  return visibleText(withFields(message, fields));
}

function withFields(message: string, fields: LogFields | undefined): string {
  if (fields === undefined) return message;
  const parts = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  return parts.length === 0 ? message : `${message} ${parts.join(" ")}`;
}
