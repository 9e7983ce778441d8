import { type KnownSessions, type PresenceNews, PresenceWatch } from "@patchbay/core/presences";
import { l10n } from "@patchbay/languages/spoken";
import { withParents } from "./commands/hooks.ts";
import { plainLine } from "./vim/shape.ts";
import type { CocServices, Vim } from "./vim/vim.ts";

/** Tells the user of an agent that begins to wait, or has finished, where they do not see its terminal. A setting; off by default. */
export class AgentNotices {
  readonly #watch: PresenceWatch = new PresenceWatch();
  readonly #vim: Pick<Vim, "call">;
  readonly #notice: CocServices["notice"];

  constructor(vim: Pick<Vim, "call">, notice: CocServices["notice"]) {
    this.#vim = vim;
    this.#notice = notice;
  }

  async update(known: KnownSessions): Promise<void> {
    await Promise.all(this.#watch.look(known).map((news) => this.#tell(news)));
  }

  async #tell(news: PresenceNews): Promise<void> {
    const { processes } = news.presence;
    const pids = processes.length === 0 ? [] : await withParents(processes);
    if ((await this.#vim.call("patchbay#hooks#seen", [pids])) === 1) return;
    await this.#notice("info", [plainLine(sentenceFor(news))], []).clicked;
  }
}

function sentenceFor({ presence: { agentName, title }, what }: PresenceNews): string {
  const about = title ?? l10n.t("a session without a prompt");
  if (what === "waits") return l10n.t("{0} is waiting for your answer: {1}", agentName, about);
  if (what === "finished") return l10n.t("{0} has finished: {1}", agentName, about);
  return l10n.t("{0} has ended: {1}", agentName, about);
}
