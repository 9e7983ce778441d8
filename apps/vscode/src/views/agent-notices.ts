import type { Companion } from "@patchbay/core";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import { commands, l10n, window } from "vscode";
import { inform } from "../surfaces/messages.ts";
import { findTerminal } from "../terminals/find-terminal.ts";

/** Tells the user of an agent that begins to wait, or has finished, where they do not see its terminal. A setting; off by default. */
export class AgentNotices {
  readonly #companion: Companion;
  readonly #isWanted: () => boolean;
  readonly #states: Map<string, Presence["state"]> = new Map();

  constructor(companion: Companion, isWanted: () => boolean) {
    this.#companion = companion;
    this.#isWanted = isWanted;
  }

  update(): void {
    for (const presence of presencesOf(this.#companion)) {
      const before = this.#states.get(presence.id);
      this.#states.set(presence.id, presence.state);
      const sentence = before === presence.state ? undefined : sentenceFor(presence, before);
      if (sentence !== undefined && this.#isWanted()) void this.#tell(presence, sentence);
    }
  }

  async #tell(presence: Presence, sentence: string): Promise<void> {
    const terminal = await findTerminal(presence.processes);
    if (window.state.focused && terminal !== undefined && terminal === window.activeTerminal) return;
    const show = l10n.t("Show");
    if ((await inform(sentence, show)) !== show) return;
    const [proposal] = presence.proposals;
    if (proposal !== undefined) await this.#companion.reveal(proposal.id);
    else if (terminal !== undefined) terminal.show();
    else await commands.executeCommand("patchbay.showConnections");
  }
}

/** What is told of a change; undefined where nobody needs to know it. */
function sentenceFor({ state, agentName, title }: Presence, before: Presence["state"] | undefined): string | undefined {
  const about = title ?? l10n.t("a session without a prompt");
  if (state === "waiting") return l10n.t("{0} is waiting for your answer: {1}", agentName, about);
  const wasAtWork = before === "working" || before === "waiting";
  if (state === "idle" && wasAtWork) return l10n.t("{0} has finished: {1}", agentName, about);
  if (state === "ended" && wasAtWork) return l10n.t("{0} has ended: {1}", agentName, about);
  return undefined;
}
