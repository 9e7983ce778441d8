import {
  type Disposable,
  type Event,
  EventEmitter,
  FileDecoration,
  type FileDecorationProvider,
  l10n,
  ThemeColor,
  type Uri,
  window,
} from "vscode";
import type { ProposalReview } from "../diff/proposal-review.ts";
import { proposalIdOf } from "../diff/proposal-uri.ts";
import { proposalScheme } from "../diff/schemes.ts";
import { shownText } from "../surfaces/texts.ts";

/** Marks on the tabs of proposals: edited by the user, or left by its agent. */
export class ProposalMarks implements FileDecorationProvider, Disposable {
  readonly #find: (id: string) => ProposalReview | undefined;
  readonly #changes: EventEmitter<Uri> = new EventEmitter();
  readonly #registration: Disposable;
  readonly onDidChangeFileDecorations: Event<Uri> = this.#changes.event;

  constructor(find: (id: string) => ProposalReview | undefined) {
    this.#find = find;
    this.#registration = window.registerFileDecorationProvider(this);
  }

  update(review: ProposalReview): void {
    this.#changes.fire(review.uri);
  }

  provideFileDecoration(uri: Uri): FileDecoration | undefined {
    if (uri.scheme !== proposalScheme) return undefined;
    const review = this.#find(proposalIdOf(uri) ?? "");
    if (review === undefined) return undefined;
    if (!review.agentPresent) {
      const tooltip = l10n.t(
        "{0} is gone. The text is kept for you; a verdict reaches nobody.",
        review.request.agentName,
      );
      return new FileDecoration("?", shownText(tooltip), new ThemeColor("list.warningForeground"));
    }
    if (review.standing === "conflict") {
      const tooltip = l10n.t("The file has changed in the same lines. Resolve the conflict, then accept.");
      return new FileDecoration("!", tooltip, new ThemeColor("list.errorForeground"));
    }
    if (review.standing === "merged" && !review.edited) {
      const tooltip = l10n.t(
        "The file has changed since the agent proposed this; the right side has these changes, too.",
      );
      return new FileDecoration("M", tooltip, new ThemeColor("gitDecoration.modifiedResourceForeground"));
    }
    if (!review.edited) return undefined;
    return new FileDecoration("E", l10n.t("Edited by you"), new ThemeColor("gitDecoration.modifiedResourceForeground"));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}
