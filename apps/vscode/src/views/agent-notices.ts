import type { Companion } from "@patchbay/core";
import { type Presence, type PresenceNews, PresenceWatch } from "@patchbay/core/presences";
import { commands, window } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { sessionName } from "../surfaces/session-names.ts";
import { inform } from "../surfaces/messages.ts";
import { findTerminal } from "../terminals/find-terminal.ts";

/** Tells the user of an agent that begins to wait, or has finished, where they do not see its terminal. A setting; off by default. */
export class AgentNotices {
  readonly #companion: Companion;
  readonly #isWanted: () => boolean;
  readonly #watch: PresenceWatch = new PresenceWatch();

  constructor(companion: Companion, isWanted: () => boolean) {
    this.#companion = companion;
    this.#isWanted = isWanted;
  }

  update(): void {
    const news = this.#watch.look(this.#companion);
    if (!this.#isWanted()) return;
    for (const one of news) void this.#tell(one.presence, sentenceFor(one, sessionName(this.#companion, one.presence)));
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

function sentenceFor({ presence: { title }, what }: PresenceNews, agentName: string): string {
  const about = title ?? l10n.t("a session without a prompt");
  if (what === "waits") return l10n.t("{0} is waiting for your answer: {1}", agentName, about);
  if (what === "finished") return l10n.t("{0} has finished: {1}", agentName, about);
  return l10n.t("{0} has ended: {1}", agentName, about);
}
