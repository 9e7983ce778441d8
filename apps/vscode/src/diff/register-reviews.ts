import type { DiffRequest, Logger } from "@patchbay/core";
import type { KnownSessions } from "@patchbay/core/presences";
import {
  type Disposable,
  type Event,
  EventEmitter,
  FileDecoration,
  type FileDecorationProvider,
  type TextDocument,
  ThemeColor,
  type Uri,
  window,
  workspace,
} from "vscode";
import type { Settings } from "../settings.ts";
import { l10n } from "@patchbay/languages/spoken";
import { proposerName } from "../surfaces/session-names.ts";
import { shownText } from "../surfaces/texts.ts";
import { DiffViews } from "./diff-views.ts";
import type { ProposalReview } from "./proposal-review.ts";
import { countProposalTabs, createStaleTabs } from "./proposal-tabs.ts";
import { createProposalTexts, type ProposalTexts } from "./proposal-texts.ts";
import { proposalIdOf, proposalScheme } from "./proposal-uri.ts";
import { TypingWatch } from "./saving.ts";

/** Everything about reviews that is loaded with the first of them. */
export interface Reviews {
  readonly views: DiffViews;
  readonly texts: ProposalTexts;
  closeStaleTabs(): Promise<void>;
}

/** Makes VS Code's diff editor a place for reviews, and hands on what VS Code tells of documents and tabs. */
export function registerReviews({ settings, logger, restored, sessions, handOver, own }: LazyReviewsOptions): Reviews {
  const texts = createProposalTexts(restored);
  const marks = new ProposalMarks((id) => views.review(id));
  const typing = new TypingWatch();
  const onDidChangeReview = (review: ProposalReview): void => marks.update(review);
  const proposer = (request: Pick<DiffRequest, "id" | "agentName">): string => {
    const companion = sessions();
    return companion === undefined ? request.agentName : proposerName(companion, request);
  };
  const views = new DiffViews({ settings, logger, ...texts, typing, proposer, onDidChangeReview });
  const of = (document: TextDocument): ProposalReview | undefined =>
    document.uri.scheme === proposalScheme ? views.review(proposalIdOf(document.uri) ?? "") : undefined;
  const parts: readonly Disposable[] = [
    marks,
    typing,
    { dispose: () => views.reviews.forEach((review) => review.dispose()) },
    workspace.onDidChangeTextDocument((event) => of(event.document)?.noteChange(event)),
    workspace.onWillSaveTextDocument((event) => of(event.document)?.noteWillSave(event)),
    workspace.onDidSaveTextDocument((document) => of(document)?.noteSaved(document)),
    window.tabGroups.onDidChangeTabs(() => {
      const counts = countProposalTabs();
      for (const review of views.reviews) review.noteTabs(counts.get(review.request.id) ?? 0);
    }),
  ];
  for (const part of parts) own(part);
  const isOpen = (id: string): boolean => views.review(id) !== undefined;
  return { views, texts, closeStaleTabs: createStaleTabs({ restored, isOpen, handOver, logger }) };
}

export interface LazyReviewsOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Resolves when every proposal of an earlier run is back. */
  readonly restored: Promise<void>;
  /** Whose sessions are known, as soon as any can be. */
  readonly sessions: () => KnownSessions | undefined;
  /** Hands text that has lost its agent to the user. */
  readonly handOver: (text: string, likePath: string) => Promise<void>;
  readonly own: (disposable: Disposable) => void;
}

/** Marks on the tabs of proposals: edited by the user, or left by its agent. */
class ProposalMarks implements FileDecorationProvider, Disposable {
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
        "{0} has exited; your decision won't be sent. Your text is kept.",
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
        "The file has changed since the agent made this proposal. The right side includes those changes.",
      );
      return new FileDecoration("M", tooltip, new ThemeColor("gitDecoration.modifiedResourceForeground"));
    }
    if (review.request.isReadOnly === true) {
      const tooltip = l10n.t(
        "{0} does not take an edited text: accept or reject it as it is.",
        review.request.agentName,
      );
      return new FileDecoration("R", shownText(tooltip));
    }
    if (!review.edited) return undefined;
    return new FileDecoration("E", l10n.t("Edited by you"), new ThemeColor("gitDecoration.modifiedResourceForeground"));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changes.dispose();
  }
}
