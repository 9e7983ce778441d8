import type { Settings } from "../settings.ts";
import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type HostDiffs,
  type Logger,
  messageOf,
} from "@patchbay/core";
import { l10n } from "vscode";
import { readsUtf8 } from "../host/document-texts.ts";
import { askModally } from "../surfaces/messages.ts";
import { fileNameOf, shownText } from "../surfaces/texts.ts";
import { type LeavingAnswer, ProposalReview } from "./proposal-review.ts";
import { choosePlace } from "./proposal-tabs.ts";
import { proposalUri } from "./proposal-uri.ts";
import type { TypingWatch } from "./saving.ts";
import type { OriginalTexts, ProposalFile, ProposalFiles } from "./proposal-texts.ts";
import type { RightSideOptions } from "./right-side.ts";

export interface DiffViewsOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly files: ProposalFiles;
  readonly originals: OriginalTexts;
  readonly typing: TypingWatch;
  /** Marks of a proposal's tab are out of date. */
  readonly onDidChangeReview: (review: ProposalReview) => void;
}

/** VS Code's diff editors as the companion's views: opens them, and knows which are open. */
export class DiffViews implements HostDiffs {
  readonly #options: DiffViewsOptions;
  readonly #reviews: Map<string, ProposalReview> = new Map();

  constructor(options: DiffViewsOptions) {
    this.#options = options;
  }

  get reviews(): readonly ProposalReview[] {
    return Array.from(this.#reviews.values());
  }

  review(id: string): ProposalReview | undefined {
    return this.#reviews.get(id);
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const { files, originals } = this.#options;
    originals.put(request.id, request.originalText);
    const uri = proposalUri(request.id, request.path);
    const fileOf = (text: string): ProposalFile => {
      return { text, marked: !readsUtf8(uri), isReadOnly: request.isReadOnly === true };
    };
    const keepText = (text: string): void => files.put(request.id, fileOf(text));
    keepText(request.proposedText);
    const review = this.#create(request, events, {
      keepText,
      showText: (text) => files.replace(request.id, review.uri, fileOf(text)),
    });
    this.#reviews.set(request.id, review);
    try {
      await review.open();
    } catch (error) {
      this.#forget(review);
      throw error;
    }
    return { kind: "opened", view: review };
  }

  #create(
    request: DiffRequest,
    events: DiffViewEvents,
    texts: Pick<RightSideOptions, "keepText" | "showText">,
  ): ProposalReview {
    const alike = this.reviews.filter(
      (other) => other.request.path === request.path && other.request.agentName === request.agentName,
    ).length;
    const { files, originals } = this.#options;
    const review: ProposalReview = new ProposalReview({
      request,
      events,
      title: diffTitle({ request, alike }),
      place: () => choosePlace(this.#options.settings),
      savedText: () => files.textOf(request.id) ?? request.proposedText,
      ...texts,
      showOriginal: (text) => originals.update(request.id, review.originalUri, text),
      typing: this.#options.typing,
      askOnLeaving,
      onDidChange: () => this.#options.onDidChangeReview(review),
      onDidEnd: () => this.#forget(review),
      onFailure: (error) => this.#failed(error),
    });
    return review;
  }

  #failed(error: unknown): void {
    this.#options.logger.warn("A review could not follow its tabs", { reason: messageOf(error) });
  }

  #forget(review: ProposalReview): void {
    const { id } = review.request;
    if (this.#reviews.get(id) === review) this.#reviews.delete(id);
    this.#options.files.drop(id);
    this.#options.originals.drop(id);
    const next = this.reviews.find((other) => other.isHeldBack);
    next?.comeForward().catch((error: unknown) => this.#failed(error));
  }
}

async function askOnLeaving(request: DiffRequest): Promise<LeavingAnswer> {
  const accept = l10n.t("Accept");
  const reject = l10n.t("Reject");
  // Modal, as the dialog that VS Code shows for an unsaved file: the user has just closed the tab.
  const answer = await askModally(
    l10n.t(
      "You edited {0}'s proposal for {1}. Accept it with your edits?",
      request.agentName,
      fileNameOf(request.path),
    ),
    // First what decides nothing: Enter chooses it.
    [l10n.t("Keep Reviewing"), accept, reject],
  );
  if (answer === accept) return "accept";
  return answer === reject ? "reject" : "stay";
}

interface DiffTitleFacts {
  readonly request: Pick<DiffRequest, "agentName" | "isReadOnly" | "kind" | "path" | "unsaved">;
  /** How many open reviews have the same file and agent already. */
  readonly alike: number;
}

/** What a tab is called: file, what happens to it, and who proposes it. */
function diffTitle({ request, alike }: DiffTitleFacts): string {
  const file = fileNameOf(request.path);
  const agent = alike === 0 ? request.agentName : `${request.agentName} (${alike + 1})`;
  return shownText(
    `${described(file, request)} ↔ ${request.isReadOnly === true ? l10n.t("{0} (read-only)", agent) : agent}`,
  );
}

function described(file: string, { kind, unsaved }: DiffTitleFacts["request"]): string {
  if (kind === "create") return l10n.t("{0} (new file)", file);
  if (kind === "delete") return l10n.t("{0} (emptied)", file);
  return unsaved ? l10n.t("{0} (with unsaved text)", file) : file;
}
