import { messageOf, PatchbayError } from "@patchbay/core";
import { parseCommandLine } from "./command-line.ts";
import { runCommand } from "./run-command.ts";
import { terminalSafe } from "./terminal/escape-text.ts";

try {
  process.exitCode = await runCommand(parseCommandLine(process.argv.slice(2), process.cwd()));
} catch (error) {
  // A sentence for the user; a stack only where it is a fault of ours.
  const text = error instanceof PatchbayError || !(error instanceof Error) ? messageOf(error) : error.stack;
  console.error(terminalSafe(text ?? messageOf(error)));
  process.exitCode = error instanceof PatchbayError && error.code === "invalid-argument" ? 2 : 1;
}
