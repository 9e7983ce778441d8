import type { Settings } from "../settings.ts";
import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type HostDiffs,
  type Logger,
  messageOf,
} from "@patchbay/core";
import { readsUtf8 } from "../host/document-texts.ts";
import { l10n } from "@patchbay/languages/spoken";
import { askModally, inform } from "../surfaces/messages.ts";
import { fileNameOf, shownText } from "../surfaces/texts.ts";
import { ProposalReview } from "./proposal-review.ts";
import { choosePlace, type LeavingAnswer, type TitleFacts } from "./proposal-tabs.ts";
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
  /** What the session that proposes is called among the others. */
  readonly proposer: (request: Pick<DiffRequest, "id" | "agentName">) => string;
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
      title: (facts) => diffTitle({ request, alike, agent: this.#options.proposer(request), ...facts }),
      place: () => choosePlace(this.#options.settings),
      savedText: () => files.textOf(request.id) ?? request.proposedText,
      ...texts,
      showOriginal: (text) => originals.update(request.id, review.originalUri, text),
      typing: this.#options.typing,
      askOnLeaving,
      originalText: () => originals.textOf(request.id) ?? request.originalText,
      askAboutNothing,
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

async function askAboutNothing({ agentName, path }: DiffRequest): Promise<"accept" | "reject" | undefined> {
  const accept = l10n.t("Accept");
  const reject = l10n.t("Reject");
  const answer = await inform(
    l10n.t("No changes are left in {0}. {1} is waiting for your answer.", fileNameOf(path), agentName),
    accept,
    reject,
  );
  if (answer === accept) return "accept";
  return answer === reject ? "reject" : undefined;
}

interface DiffTitleFacts extends TitleFacts {
  /** Its name among the sessions of the window. */
  readonly agent: string;
  readonly request: Pick<DiffRequest, "agentName" | "isReadOnly" | "patchFiles" | "kind" | "path" | "unsaved">;
  /** How many open reviews have the same file and agent already. */
  readonly alike: number;
}

/** What a tab is called: file, what happens to it, and who proposes it. */
function diffTitle({ request, alike, agent, agentPresent, standing }: DiffTitleFacts): string {
  const file = described(fileNameOf(request.path), request);
  const proposer = alike === 0 ? agent : `${agent} (${alike + 1})`;
  const shown = proposedBy(proposer, request);
  if (!agentPresent) return shownText(`${file} ↔ ${l10n.t("{0} (gone)", shown)}`);
  return shownText(`${standing === "conflict" ? l10n.t("{0} (conflict)", file) : file} ↔ ${shown}`);
}

function proposedBy(proposer: string, { isReadOnly, patchFiles }: DiffTitleFacts["request"]): string {
  if (isReadOnly !== true) return proposer;
  return patchFiles === undefined
    ? l10n.t("{0} (read-only)", proposer)
    : l10n.t("{0} (read-only, patch of {1} files)", proposer, patchFiles);
}

function described(file: string, { kind, unsaved }: DiffTitleFacts["request"]): string {
  if (kind === "create") return l10n.t("{0} (new file)", file);
  if (kind === "delete") return l10n.t("{0} (emptied)", file);
  return unsaved ? l10n.t("{0} (with unsaved text)", file) : file;
}
