import type { HostIdentity } from "@patchbay/core";
import type { EditorFacts } from "./editor-facts.ts";

/**
 * Who the agents see. From a `:terminal` older Gemini clients look under the editor's *parent*, from a tmux pane under the
 * tmux server (they take the grandparent of their shell); all others only want the editor to be alive.
 */
export function createIdentity(
  facts: Pick<EditorFacts, "pid" | "isNeovim" | "temporaryDirectory" | "tmuxServer">,
  parent: number | undefined,
  version: string,
  systemTemporaryDirectory: string,
): HostIdentity {
  const pids = [facts.pid, parent, facts.tmuxServer].filter((pid): pid is number => pid !== undefined && pid > 1);
  return {
    name: "coc-nvim",
    displayName: facts.isNeovim ? "Neovim" : "Vim",
    version,
    pids: [...new Set(pids)],
    temporaryDirectory: facts.temporaryDirectory ?? systemTemporaryDirectory,
  };
}
