import { adviceFor, errorCodeOf, messageOf, PatchbayError } from "@patchbay/core";
import { parseCommandLine } from "./command-line.ts";
import { runCommand } from "./run-command.ts";
import { terminalSafe } from "./terminal/escape-text.ts";
import { followOutput } from "./terminal/failing-output.ts";

const outputFailure = followOutput(process);

// Node.js warns of what its programmers should know. Whoever wants to know it has it traced.
const isTraced = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((one) =>
  /--trace-(?:dep|warn)/u.test(one),
);
if (!isTraced) process.removeAllListeners("warning");

// Timers of the platform keep no editor alive, and thus no program either: an end that waits for one would be cut off.
const held = setInterval(() => {}, 2 ** 30);

try {
  process.exitCode = await runCommand(parseCommandLine(process.argv.slice(2), process.cwd()));
  // Errors of what was written last come a moment later.
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  const failure = outputFailure();
  if (failure !== undefined) {
    console.error(terminalSafe(failure));
    process.exitCode = 1;
  }
} catch (error) {
  console.error(terminalSafe(sentenceFor(error)));
  process.exitCode = error instanceof PatchbayError && error.code === "invalid-argument" ? 2 : 1;
} finally {
  clearInterval(held);
}

/** A sentence for the user; a stack only where it is a fault of ours. */
function sentenceFor(error: unknown): string {
  if (error instanceof PatchbayError || !(error instanceof Error)) return messageOf(error);
  // The system's own words, such as "EACCES: permission denied, lstat '/home/…'".
  if (errorCodeOf(error) !== undefined && "syscall" in error) return `${messageOf(error)}. ${adviceFor(error)}`;
  return error.stack ?? messageOf(error);
}
