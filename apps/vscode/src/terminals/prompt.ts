import type { Companion } from "@patchbay/core";
import { type Presence, presencesOf, promptPaste } from "@patchbay/core/presences";
import { type Terminal, window } from "vscode";
import { findTerminal } from "./find-terminal.ts";

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
