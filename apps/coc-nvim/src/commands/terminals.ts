import { type Companion, messageOf } from "@patchbay/core";
import { type Presence, presencesOf, promptPaste } from "@patchbay/core/presences";
import type { Vim } from "../vim/vim.ts";
import { withParents } from "./hooks.ts";
import { paneOf, panesWithProcesses, pasteArguments } from "./tmux.ts";

/** Where a text went that stands in an agent's prompt now, and was not sent. */
export type PromptPlace = "terminal" | "tmux";

export interface PromptServices {
  readonly companion: Companion;
  readonly vim: Vim;
  /** Runs tmux and gives what it prints; undefined: the editor does not run in it. */
  readonly tmux: ((args: readonly string[]) => Promise<string>) | undefined;
  readonly logger: { debug(message: string, fields: Readonly<Record<string, string>>): void };
}

/** How long an agent takes to close its question and show its prompt again, ms. */
const promptBackMs = 500;

/** Into the agent's own terminal, once its question is gone from there; undefined where it has none that can be reached, or asks again. */
export async function pasteOnceFree(
  services: PromptServices,
  { id }: Pick<Presence, "id">,
  text: string,
): Promise<PromptPlace | undefined> {
  await new Promise<void>((resolve) => setTimeout(resolve, promptBackMs));
  const presence = presencesOf(services.companion).find((one) => one.id === id);
  return presence === undefined ? undefined : await paste(services, presence, text);
}

/** Into the terminal of the agent that was active last, of those that take a prompt now; undefined where none can be reached. */
export async function pasteIntoLatest(
  services: PromptServices,
  text: string,
): Promise<{ readonly agentName: string; readonly place: PromptPlace } | undefined> {
  for (const presence of presencesOf(services.companion)) {
    const place = await paste(services, presence, text);
    if (place !== undefined) return { agentName: presence.agentName, place };
  }
  return undefined;
}

async function paste(
  { vim, tmux, logger }: PromptServices,
  presence: Presence,
  text: string,
): Promise<PromptPlace | undefined> {
  const keys = promptPaste(text, presence);
  if (keys === undefined || presence.processes.length === 0) return undefined;
  const processes = await withParents(presence.processes);
  if ((await vim.call("patchbay#hooks#paste", [processes, keys])) === 1) return "terminal";
  try {
    const pane = tmux === undefined ? undefined : paneOf(await tmux(panesWithProcesses), processes);
    if (tmux === undefined || pane === undefined) return undefined;
    await tmux(pasteArguments(pane, keys));
    return "tmux";
  } catch (error) {
    logger.debug("A text could not be put into a pane of tmux", { reason: messageOf(error) });
    return undefined;
  }
}
