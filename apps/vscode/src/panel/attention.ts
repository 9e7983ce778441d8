import type { ConversationSummary } from "@patchbay/panel/messages";
import { type Disposable, StatusBarAlignment, type StatusBarItem, window } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { inform } from "../surfaces/messages.ts";
import { shownText } from "../surfaces/texts.ts";
import { panelSettings } from "./panel-settings.ts";

export interface AttentionOptions {
  readonly agentName: (agent: string) => string;
  /** Whether the user sees the conversation, or a review that it waits for. */
  readonly isSeen: (conversationId: string) => boolean;
  readonly show: (conversationId: string) => Promise<void>;
}

/** Tells the user what waits for them: a number in the status bar, and a notification where nothing of it is seen. */
export class Attention implements Disposable {
  readonly #options: AttentionOptions;
  readonly #states: Map<string, ConversationSummary["state"]> = new Map();
  #item: StatusBarItem | undefined;

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  update(conversations: readonly ConversationSummary[], waiting: number): void {
    this.#count(waiting);
    for (const conversation of conversations) {
      // It is listed with its first prompt, and may wait by then.
      const before = this.#states.get(conversation.id) ?? "idle";
      this.#states.set(conversation.id, conversation.state);
      if (before !== conversation.state) this.#changed(conversation, before);
    }
  }

  dispose(): void {
    this.#item?.dispose();
  }

  #count(waiting: number): void {
    if (waiting === 0) {
      this.#item?.hide();
      return;
    }
    const item = (this.#item ??= window.createStatusBarItem("patchbay.panel.status", StatusBarAlignment.Left, 0));
    const label = l10n.t("Questions that wait for your answer: {0}", waiting);
    item.name = l10n.t("Patchbay Conversations");
    item.text = `$(comment-discussion) ${waiting}`;
    item.tooltip = label;
    item.accessibilityInformation = { label };
    item.command = "patchbay.panel.showWaiting";
    item.show();
  }

  #changed(conversation: ConversationSummary, before: ConversationSummary["state"]): void {
    const sentence = sentenceFor(conversation, before, this.#options.agentName(conversation.agent));
    if (sentence === undefined || !panelSettings.notify || this.#options.isSeen(conversation.id)) return;
    void this.#tell(sentence, conversation.id);
  }

  async #tell(sentence: string, id: string): Promise<void> {
    const show = l10n.t("Show");
    if ((await inform(sentence, show)) === show) await this.#options.show(id);
  }
}

/** What is told of a change; undefined where nobody needs to know it. */
function sentenceFor(
  { state, title }: ConversationSummary,
  before: ConversationSummary["state"],
  agent: string,
): string | undefined {
  if (state === "waiting") return l10n.t("{0} is waiting for your answer: {1}", agent, title);
  const wasAtWork = before === "running" || before === "waiting";
  if (!wasAtWork || state === "running") return undefined;
  if (state === "failed") return l10n.t("{0} could not continue: {1}", agent, title);
  return state === "idle" ? l10n.t("{0} has finished: {1}", agent, title) : undefined;
}

/** What stands on a tab: the conversation and what it does. */
export function tabTitle(title: string, state: ConversationSummary["state"] | undefined): string {
  const name = shownText(title === "" ? "Patchbay" : title);
  if (state === "waiting") return l10n.t("{0} (waiting)", name);
  return state === "running" ? l10n.t("{0} (working)", name) : name;
}
