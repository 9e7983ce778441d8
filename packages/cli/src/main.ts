import { messageOf, PatchbayError } from "@patchbay/core";
import { parseCommandLine } from "./command-line.ts";
import { runCommand } from "./run-command.ts";

try {
  process.exitCode = await runCommand(parseCommandLine(process.argv.slice(2), process.cwd()));
} catch (error) {
  // A sentence for the user; a stack only where it is a fault of ours.
  console.error(error instanceof PatchbayError ? messageOf(error) : error);
  process.exitCode = error instanceof PatchbayError && error.code === "invalid-argument" ? 2 : 1;
}
