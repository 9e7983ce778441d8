import { createNodePlatform } from "@patchbay/core";
import { type Terminal, window } from "vscode";

/** A terminal's shell stands a few processes above what runs in it. */
const mostParents = 16;

/** The terminal of this window in which one of these processes, or one above it, is the shell. */
export async function findTerminal(processes: readonly number[]): Promise<Terminal | undefined> {
  const terminals = await Promise.all(
    window.terminals.map(async (terminal) => ({ terminal, pid: await terminal.processId })),
  );
  const { process } = createNodePlatform();
  const seen = new Set<number>();
  for (const first of processes) {
    let pid: number | undefined = first;
    for (let step = 0; pid !== undefined && pid > 1 && step < mostParents && !seen.has(pid); step += 1) {
      const found = terminals.find((one) => one.pid === pid);
      if (found !== undefined) return found.terminal;
      seen.add(pid);
      pid = await process.parentOf(pid);
    }
  }
  return undefined;
}
