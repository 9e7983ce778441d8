import { poll } from "../support/poll.ts";
import type { Terminal } from "./terminal.ts";

/** Waits until the screen matches, and returns the screen. `timeout` in milliseconds. */
export async function waitForScreen(terminal: Terminal, pattern: RegExp, timeout: number): Promise<string> {
  let last = "";
  return await poll(
    `${pattern} on the terminal`,
    async () => {
      last = await terminal.screen();
      return pattern.test(last) ? last : undefined;
    },
    { timeout, interval: 150, describe: () => `The terminal shows:\n${last}` },
  );
}
