import { adviceFor, causeOf, errorCodeOf } from "@patchbay/core";

/** The way to a program's output and to what asks it to end. */
export interface OutputProcess {
  readonly stdout: { on(event: "error", listener: (error: unknown) => void): unknown };
  readonly stderr: { on(event: "error", listener: (error: unknown) => void): unknown };
  listenerCount(event: "SIGTERM"): number;
  emit(event: "SIGTERM", signal: "SIGTERM"): unknown;
}

/**
 * What is printed may reach nobody: `| head` has enough, the disk behind `>` is full. What runs until it is told to end then ends in good
 * order, with its agents and records; what has something to do does it to the end. Gives the sentence for the user, if there is one.
 */
export function followOutput(process: OutputProcess): () => string | undefined {
  let failure: unknown;
  process.stdout.on("error", (error) => {
    failure ??= error;
    if (process.listenerCount("SIGTERM") > 0) process.emit("SIGTERM", "SIGTERM");
  });
  // There is nobody left to be told.
  process.stderr.on("error", () => {});
  return () => {
    if (failure === undefined || errorCodeOf(failure) === "EPIPE") return undefined;
    return `What was printed could not be written (${causeOf(failure)}). ${adviceFor(failure)}`;
  };
}
