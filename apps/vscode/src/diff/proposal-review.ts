import {
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentSaveReason,
  type TextDocumentWillSaveEvent,
  type Uri,
} from "vscode";
import type { DiffCloseReason, DiffRequest, DiffUpdate, DiffView, DiffViewEvents, FileStanding } from "@patchbay/core";
import {
  closeLoneTabs,
  closeTabs,
  isDiffTab,
  isEditedProposalInFront,
  type LeavingAnswer,
  proposalIdOfTab,
  tabsOfProposal,
  urisInUse,
  watchUser,
} from "./proposal-tabs.ts";
import { proposalUri } from "./proposal-uri.ts";
import { sameLines } from "../host/document-texts.ts";
import { RightSide, type RightSideOptions } from "./right-side.ts";
import { ReviewTab, type ReviewTabOptions } from "./review-tab.ts";
import type { TypingWatch } from "./saving.ts";

export interface ProposalReviewOptions extends RightSideOptions, ReviewTabOptions {
  readonly request: DiffRequest;
  readonly events: DiffViewEvents;
  /** Makes the left side another one. */
  readonly showOriginal: (text: string) => void;
  readonly typing: Pick<TypingWatch, "isTyping" | "pause">;
  readonly askOnLeaving: (request: DiffRequest) => Promise<LeavingAnswer>;
  readonly onDidEnd: () => void;
  /** What the left side shows. */
  readonly originalText: () => string;
  /** Both sides are the same now, by the user's doing. Undefined: the user goes on. */
  readonly askAboutNothing: (request: DiffRequest) => Promise<"accept" | "reject" | undefined>;
}

/** After "Save" in its closing dialog VS Code closes the tab at once; we hear of it a moment later, ms. */
const closesAfterSave = 500;

/** So long after a proposal was opened again VS Code may still restore its unsaved right side in a tab of its own, ms. */
const restoresWithin = 15_000;

/** So long after the last change both sides are compared, ms: who types may only be on the way. */
const comparesAfter = 700;

/** One proposal in VS Code's diff editor: from the first tab to the last. */
export class ProposalReview implements DiffView {
  readonly request: DiffRequest;
  readonly uri: Uri;
  readonly #options: ProposalReviewOptions;
  #phase: "opening" | "open" | "asking" | "decided" | "gone" = "opening";
  #agentPresent: boolean;
  #standing: FileStanding;
  readonly #right: RightSide;
  readonly #tab: ReviewTab;
  #comparing: ReturnType<typeof setTimeout> | undefined;
  #saysNothingIsLeft = false;
  #isUserThere = (): boolean => false;
  #openedAt = 0;
  #heldBack = false;
  /** A save by hand that may also be "Save" in VS Code's closing dialog: see `noteSaved`. */
  #unclear: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ProposalReviewOptions) {
    this.#options = options;
    this.request = options.request;
    const { id, path } = options.request;
    const { proposal, original } = urisInUse(id);
    this.uri = proposal ?? proposalUri(id, path);
    this.#standing = options.request.standing;
    this.#agentPresent = options.request.agentPresent;
    this.#right = new RightSide(this.uri, options);
    this.#tab = new ReviewTab(this.uri, original, {
      options,
      review: () => ({
        agentPresent: this.#agentPresent,
        standing: this.#standing,
        isOpen: this.#phase === "open" && this.#unclear === undefined,
      }),
    });
  }

  /** The left side: another one for each title. */
  get originalUri(): Uri {
    return this.#tab.leftUri;
  }

  get edited(): boolean {
    return this.#right.edited;
  }

  /** Waits behind another tab for a better moment. */
  get isHeldBack(): boolean {
    return this.#heldBack;
  }

  /** Whether the file has changed since the agent proposed, and what became of that. */
  get standing(): FileStanding {
    return this.#standing;
  }

  get agentPresent(): boolean {
    return this.#agentPresent;
  }

  /** Shows the diff, behind what the user is doing. A tab of an earlier run is taken over as it is. */
  async open(): Promise<void> {
    const tabs = tabsOfProposal(this.request.id);
    if (tabs.length > 0) this.#right.takeOver();
    if (!tabs.some(isDiffTab)) await this.#showQuietly();
    this.#openedAt = Date.now();
    if (this.request.draftText !== undefined) await this.#right.applyDraft(this.request.draftText, tabs.length > 0);
    if (this.#phase === "opening") this.#phase = "open";
    if (!this.#agentPresent) this.#tab.retitleSoon();
    this.noteTabs(tabsOfProposal(this.request.id).length);
  }

  /**
   * The user's verdict: yes, to what stands on the right side now. `fromEditor`: the user is in the diff, not elsewhere.
   * False where there is none to give any more.
   */
  accept(fromEditor: boolean): boolean {
    return this.#decide(fromEditor, (events) => events.accepted(this.#right.text()));
  }

  reject(fromEditor: boolean): boolean {
    return this.#decide(fromEditor, (events) => events.rejected());
  }

  async currentText(): Promise<string> {
    return await this.#right.currentText();
  }

  async reveal(): Promise<void> {
    if (this.#phase === "gone") return;
    await this.#tab.show(true);
  }

  async close(_reason: DiffCloseReason): Promise<void> {
    if (this.#phase === "gone") return;
    this.#leaveBehind();
    try {
      await this.#right.saveForClosing();
      await closeTabs(this.request.id, !this.#isUserThere());
    } finally {
      this.#options.onDidEnd();
    }
  }

  setAgentPresent(present: boolean): void {
    if (this.#agentPresent === present) return;
    this.#agentPresent = present;
    this.#tab.retitleSoon();
    this.#options.onDidChange();
  }

  setStanding(standing: FileStanding): void {
    if (this.#standing === standing) return;
    this.#standing = standing;
    this.#tab.retitleSoon();
    this.#options.onDidChange();
  }

  /** The file has changed: the left side shows it, and the right side takes it over where the user does not type just now. */
  async update(update: DiffUpdate): Promise<"applied" | "stale" | "gone"> {
    if (this.#isGone()) return "gone";
    // The user is being asked, or is closing it: what they see stays until they have said what they want.
    if (this.#phase === "asking" || this.#unclear !== undefined) return "stale";
    const wasDecided = this.#phase === "decided";
    // An accept that comes meanwhile means the text of before: the companion must not take it for one with this update in it.
    const isTooLate = (): boolean => !wasDecided && this.#phase === "decided";
    if ((await this.#right.currentText()) !== update.expectedText || isTooLate()) return "stale";
    if (!(await this.#right.put(update.text))) return this.#isGone() ? "gone" : "stale";
    if (isTooLate()) return "stale";
    this.#options.showOriginal(update.originalText);
    this.#standing = update.standing;
    // An accept that was not possible: the review goes on.
    if (this.#phase === "decided") this.#phase = "open";
    this.#right.rebase(update);
    this.#tab.retitleSoon();
    this.#options.onDidChange();
    return "applied";
  }

  noteChange(event: TextDocumentChangeEvent): void {
    this.#right.noteChange(event, this.#phase === "opening" || this.#phase === "open");
    if (event.contentChanges.length === 0 || this.#right.isOurs || this.#right.isLong) return;
    clearTimeout(this.#comparing);
    this.#comparing = setTimeout(() => this.#attempt(this.#askIfNothingIsLeft()), comparesAfter);
  }

  /** VS Code's own arrow takes back one hunk after the other: the last one leaves a review with nothing in it. */
  async #askIfNothingIsLeft(): Promise<void> {
    if (this.#phase !== "open" || this.#right.isOurs) return;
    const isEmpty = sameLines(this.#right.text(), this.#options.originalText());
    const isNew = isEmpty && !this.#saysNothingIsLeft;
    this.#saysNothingIsLeft = isEmpty;
    if (!isNew || this.request.isReadOnly === true) return;
    const answer = await this.#options.askAboutNothing(this.request);
    if (answer === "accept") this.accept(true);
    if (answer === "reject") this.reject(true);
  }

  /** Save participants run between this and `noteSaved`; what they do to the text is not the user's doing. */
  noteWillSave(event: TextDocumentWillSaveEvent): void {
    if (this.#phase !== "open" || this.#right.isOurs) return;
    const byHand = event.reason === TextDocumentSaveReason.Manual && !this.#right.isSavedByUs;
    // "Save All" also says `Manual`: it accepts nothing that the user does not see.
    const verdict = byHand && tabsOfProposal(this.request.id).some((tab) => tab.isActive && tab.group.isActive);
    this.#right.beginSave(event.document, verdict);
  }

  /**
   * A save by hand accepts, but "Save" in VS Code's closing dialog is such a save, too, and says nothing of the agent's
   * proposal: the dialog comes for unsaved changes only, and the tab is closed at once. Then the user is asked.
   */
  noteSaved(document: TextDocument): void {
    const save = this.#right.endSave(document);
    if (save === undefined || this.#phase !== "open") return;
    if (!save.verdict) {
      this.#right.compare(save.text);
      return;
    }
    const accept = (): void => {
      this.#unclear = undefined;
      void this.#decide(true, (events) => events.accepted(save.text));
    };
    if (save.wasDirty) this.#unclear = setTimeout(accept, closesAfterSave);
    else accept();
  }

  /** Tabs came or went, and so many show the proposal: moving one to another group opens before it closes, and a split has two. */
  noteTabs(count: number): void {
    if (this.#phase !== "decided" && this.#phase !== "open") return;
    if (count > 1 && this.#phase === "open" && Date.now() - this.#openedAt < restoresWithin) {
      this.#attempt(this.#right.quietly(async (document) => await closeLoneTabs(this.request.id, document)));
    }
    if (count > 0) return;
    if (this.#phase === "decided") this.#forget();
    else this.#attempt(this.#leave());
  }

  async #leave(): Promise<void> {
    const hasSaved = this.#unclear !== undefined;
    clearTimeout(this.#unclear);
    this.#unclear = undefined;
    const text = this.#right.text();
    if (!hasSaved && !this.#right.differs(text)) {
      this.#end(true, (events) => events.closed());
      return;
    }
    this.#phase = "asking";
    const answer = await this.#options.askOnLeaving(this.request);
    if (this.#isGone()) return;
    if (answer === "stay") await this.#tab.show(true);
    this.#phase = "open";
    if (answer === "accept") this.#end(true, (events) => events.accepted(text));
    if (answer === "reject") this.#end(true, (events) => events.rejected());
  }

  #isGone(): boolean {
    return this.#phase === "gone";
  }

  #decide(fromEditor: boolean, report: (events: DiffViewEvents) => void): boolean {
    if (this.#phase !== "open" && this.#phase !== "opening") return false;
    this.#phase = "decided";
    if (fromEditor) this.#isUserThere = watchUser();
    report(this.#options.events);
    return true;
  }

  /** A verdict that left no tab behind. */
  #end(fromEditor: boolean, report: (events: DiffViewEvents) => void): void {
    this.#decide(fromEditor, report);
    this.#forget();
  }

  #forget(): void {
    if (this.#isGone()) return;
    this.#leaveBehind();
    this.#options.onDidEnd();
  }

  /** The window ends: its tabs stay, and nothing is looked at any more. */
  dispose(): void {
    this.#leaveBehind();
  }

  #leaveBehind(): void {
    this.#phase = "gone";
    this.#right.dispose();
    clearTimeout(this.#unclear);
    clearTimeout(this.#comparing);
    this.#tab.dispose();
  }

  /**
   * Shows the diff without disturbing: in a tab behind while the user types or is in the middle of another review. It comes
   * to the front at the next pause, or when that review is over.
   */
  async #showQuietly(): Promise<void> {
    const { typing } = this.#options;
    const place = this.#options.place();
    const isInReview = isEditedProposalInFront(place.viewColumn);
    this.#heldBack = !place.background && (isInReview || typing.isTyping);
    await this.#tab.show(false, { ...place, background: place.background || this.#heldBack });
    if (this.#heldBack && !isInReview) this.#attempt(typing.pause().then(async () => await this.comeForward()));
  }

  /** Brings a diff that was held back to the front, unless it would cover another review. */
  async comeForward(): Promise<void> {
    const [tab] = tabsOfProposal(this.request.id);
    if (!this.#heldBack || tab === undefined || this.#phase !== "open") return;
    const inFront = tab.group.activeTab;
    if (inFront !== undefined && inFront !== tab && proposalIdOfTab(inFront) !== undefined) return;
    this.#heldBack = false;
    if (!tab.isActive) await this.#tab.show(false);
  }

  /** What nobody waits for: a failure is told to the log. */
  #attempt(work: Promise<void>): void {
    work.catch(this.#options.onFailure);
  }
}
