import { type Companion, createNodePlatform } from "@patchbay/core";
import { type Presence, presencesOf, promptPaste } from "@patchbay/core/presences";
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

/** Puts a text into the prompt of an agent in a terminal of this window, and does not send it. False: it runs in none, or asks something now. */
export async function pasteIntoPrompt(presence: Presence, text: string): Promise<boolean> {
  const paste = promptPaste(text, presence);
  const terminal = paste === undefined ? undefined : await findTerminal(presence.processes);
  if (paste === undefined || terminal === undefined) return false;
  terminal.sendText(paste, false);
  terminal.show(true);
  return true;
}

/** A terminal of this window in which an agent takes prompts. */
export interface AgentPrompt {
  readonly terminal: Terminal;
  readonly presence: Presence;
}

/** Where an agent takes prompts now: the terminal in front, else the first that is found. */
export async function findPrompt(companion: Companion): Promise<AgentPrompt | undefined> {
  const free = presencesOf(companion).filter(({ state }) => state !== "waiting" && state !== "ended");
  const found = await Promise.all(
    free.map(async (presence) => ({ presence, terminal: await findTerminal(presence.processes) })),
  );
  const prompts = found.flatMap(({ presence, terminal }) => (terminal === undefined ? [] : [{ presence, terminal }]));
  return prompts.find(({ terminal }) => terminal === window.activeTerminal) ?? prompts[0];
}
