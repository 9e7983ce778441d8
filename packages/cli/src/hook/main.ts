import { readSync, writeSync } from "node:fs";
import { agents, attachTo, runHook, thisMachine } from "@patchbay/core/hook";

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

/** No call of an agent is longer, bytes. */
const mostBytes = 256 * 1_048_576;

/** So long an agent may take to go on with its event, ms. */
const restMs = 3_000;

/**
 * The event, as soon as it is whole: not every agent closes what it has written to. Node's streams cost milliseconds: they are for what
 * has not come at once. Rejects where it does not come.
 */
async function readInput(): Promise<string> {
  const first = readAtOnce();
  if (isWhole(first)) return first.toString();
  const parts = [first];
  let { length } = first;
  return await new Promise((resolve, reject) => {
    const { stdin } = process;
    const give = (): void => {
      clearTimeout(patience);
      stdin.destroy();
      resolve(Buffer.concat(parts).toString());
    };
    const leave = (): void => {
      stdin.destroy();
      reject(new Error("The event has not come."));
    };
    let patience = setTimeout(leave, restMs);
    stdin.on("error", leave);
    stdin.on("end", give);
    stdin.on("data", (chunk: Buffer) => {
      parts.push(chunk);
      length += chunk.length;
      if (length > mostBytes) leave();
      clearTimeout(patience);
      if (!stdin.destroyed) patience = setTimeout(leave, restMs);
      // Only at its end: a long one is looked at once.
      if (/\}\s*$/u.test(chunk.subarray(-16).toString("latin1")) && isWhole(Buffer.concat(parts))) give();
    });
  });
}

/** What is there, or comes first; nothing where a pipe says "not yet". */
function readAtOnce(): Buffer {
  const room = Buffer.allocUnsafe(65_536);
  try {
    return room.subarray(0, readSync(0, room));
  } catch {
    return room.subarray(0, 0);
  }
}

function isWhole(event: Buffer): boolean {
  try {
    JSON.parse(event.toString());
    return true;
  } catch {
    return false;
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

/** This file is the program. */
export function runAsProgram(): void {
  // Also of what nobody waits for the agent hears nothing.
  process.on("uncaughtException", () => process.exit(0));
  void hook();
}

/** This file is loaded by a plugin of ours into the process of its agent, which gives it this. What comes back is for the agent. Never throws. */
export function attachToAgent(id: string, host: unknown): unknown {
  return attachTo(id, host, process.cwd());
}

// Where it is loaded it must not touch the streams: they are the agent's. The sources are only ever run.
if (typeof require === "undefined" || require.main === module) runAsProgram();
