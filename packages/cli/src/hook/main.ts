import { readFileSync, writeSync } from "node:fs";
import { agents, runHook, thisMachine } from "@patchbay/core/hook";

/** A minute less than what `patchbay hook install` has the agents wait, ms. */
const usualLimitMs = 59 * 60 * 1000;

/** `patchbay hook <agent> [--limit <seconds>]`: reads the event, and prints the answer or nothing. Never fails. */
async function hook(): Promise<void> {
  const [id, option, seconds] = process.argv.slice(process.argv[2] === "hook" ? 3 : 2);
  const dialect = agents.find((agent) => agent.id === id);
  const limitMs = option === "--limit" && Number(seconds) > 0 ? Number(seconds) * 1_000 : usualLimitMs;
  try {
    const event = await readInput();
    if (dialect === undefined) return;
    const output = await runHook({ platform: thisMachine(), dialect, event, cwd: process.cwd(), limitMs });
    if (output !== undefined) await print(output);
  } catch {
    // No opinion: the agent goes on as if there were no hook.
  }
}

/** Node's streams cost milliseconds: they are for a pipe that says "not yet". */
async function readInput(): Promise<string> {
  try {
    return readFileSync(0, "utf8");
  } catch {
    process.stdin.setEncoding("utf8");
    let event = "";
    for await (const chunk of process.stdin) event += String(chunk);
    return event;
  }
}

async function print(output: string): Promise<void> {
  let rest = Buffer.from(output);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch {
    await new Promise<void>((resolve) => process.stdout.write(rest, () => resolve()));
  }
}

void hook();
