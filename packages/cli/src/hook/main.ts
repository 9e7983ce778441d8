import { agents, createNodePlatform, runHook } from "@patchbay/core/hook";

/** A minute less than what `patchbay hook install` has the agents wait, ms. */
const usualLimitMs = 59 * 60 * 1000;

/** `patchbay hook <agent> [--limit <seconds>]`: reads the event, and prints the answer or nothing. Never fails. */
async function hook(): Promise<void> {
  const [id, option, seconds] = process.argv.slice(process.argv[2] === "hook" ? 3 : 2);
  const dialect = agents.find((agent) => agent.id === id);
  const limitMs = option === "--limit" && Number(seconds) > 0 ? Number(seconds) * 1_000 : usualLimitMs;
  try {
    process.stdin.setEncoding("utf8");
    let event = "";
    for await (const chunk of process.stdin) event += String(chunk);
    if (dialect === undefined) return;
    const output = await runHook({ platform: createNodePlatform(), dialect, event, cwd: process.cwd(), limitMs });
    if (output !== undefined) process.stdout.write(output);
  } catch {
    // No opinion: the agent goes on as if there were no hook.
  }
}

void hook();
