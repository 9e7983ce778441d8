import type { EditorHost } from "../editor-host.ts";
import type { Files } from "../platform/platform.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import type { DraftKeeper, RestingTexts } from "./drafts.ts";
import { saveIntoFile } from "./file-on-disk.ts";
import type { KeptReason, KeptText, KeptTextSaving, ProposalInput } from "./model.ts";
import type { OpenProposals } from "./open-proposals.ts";
import type { OutcomeDelivery } from "./outcome-delivery.ts";
import type { Proposal, ProposalBase } from "./proposal.ts";
import type { ReviewMessages } from "./review-messages.ts";
import type { ReviewViews } from "./review-views.ts";

export interface KeptTextsOptions {
  readonly host: Pick<EditorHost, "documents">;
  readonly clock: Clock;
  readonly files: Files;
  readonly logger: Logger;
  readonly messages: ReviewMessages;
  readonly drafts: DraftKeeper;
  readonly outcomes: OutcomeDelivery;
  readonly proposals: OpenProposals;
  readonly views: ReviewViews;
  readonly texts: RestingTexts;
}

/** A kept text that a new review of the same proposal goes on with. */
export interface TakenText {
  readonly text: string;
  /** What it was made from. */
  readonly base: ProposalBase | undefined;
}

/** What is left of proposals whose agents are done with them: text of the user, until the user is done with it, too. */
export class KeptTexts {
  readonly #options: KeptTextsOptions;

  constructor(options: KeptTextsOptions) {
    this.#options = options;
  }

  get list(): readonly KeptText[] {
    return this.#options.proposals.all
      .filter((proposal) => proposal.detached)
      .map(infoOf)
      .toSorted((one, other) => other.since - one.since);
  }

  /** From now on a settled proposal is a kept text: its view stays, and where there is none any more `text` is what is kept. */
  keep(proposal: Proposal, reason: KeptReason, text?: string): void {
    const { clock, drafts, proposals, views } = this.#options;
    proposal.detached = true;
    if (text !== undefined) {
      proposal.draft = text;
      proposal.place = "hidden";
    }
    proposal.kept = { reason, since: clock.now(), isShown: proposal.place === "shown" };
    proposals.add(proposal);
    views.tellPresence(proposal);
    drafts.touch(proposal);
    if (proposal.place === "hidden") void this.#options.texts.offer(proposal);
    proposals.changed();
  }

  /** The user is done with its view, which held `text`; the list has it from now on. */
  async hide(proposal: Proposal, text?: string): Promise<void> {
    const { drafts, proposals, views } = this.#options;
    if (text === undefined) await views.read(proposal);
    else proposal.draft = text;
    if (proposal.kept === undefined) return;
    proposal.kept = { ...proposal.kept, isShown: false };
    proposal.place = "hidden";
    void views.close(proposal, "agent-gone");
    drafts.touch(proposal);
    void this.#options.texts.offer(proposal);
    proposals.changed();
  }

  async read(id: string): Promise<string | undefined> {
    const proposal = this.#find(id);
    if (proposal === undefined) return undefined;
    try {
      return await this.#options.views.read(proposal);
    } finally {
      void this.#options.texts.offer(proposal);
    }
  }

  /** See `DiffRegistry.takeUp`. */
  async takeUp(sessionId: string, { path, text }: ProposalInput): Promise<TakenText | undefined> {
    const left = this.#options.proposals.all.find(({ detached, kept, facts: { owner, input } }) => {
      if (!detached || owner.sessionId !== sessionId || input.path !== path || input.text !== text) return false;
      return kept?.reason === "agent-exited" || kept?.reason === "withdrawn" || kept?.reason === "not-written";
    });
    if (left === undefined) return undefined;
    const typed = await this.#options.views.read(left);
    // Saved or discarded meanwhile.
    if (this.#find(left.id) !== left) return undefined;
    this.#release(left, "superseded");
    return { text: typed, base: left.base };
  }

  /** See `Companion.saveKeptText`. */
  async save(id: string): Promise<KeptTextSaving | undefined> {
    const { clock, host, files, logger } = this.#options;
    const proposal = this.#find(id);
    if (proposal === undefined) return undefined;
    try {
      const text = await this.#options.views.textToAccept(proposal);
      const { documents } = host;
      const saving = await saveIntoFile(proposal.facts.input.path, text, basesOf(proposal), {
        clock,
        files,
        documents,
      });
      if (saving.kind === "saved") this.#release(proposal, "accepted");
      if (saving.kind === "conflict" && proposal.kept?.reason === "not-written") await this.#showBesideFile(proposal);
      return saving;
    } catch (error) {
      logger.error("A kept text could not be saved", { proposal: id, reason: messageOf(error) });
      return { kind: "failed", reason: messageOf(error) };
    } finally {
      if (proposal.detached) void this.#options.texts.offer(proposal);
    }
  }

  /** What was accepted and does not fit its file any more is the user's to resolve: both versions are shown, on the file as it is now. */
  async #showBesideFile(proposal: Proposal): Promise<void> {
    const { views, drafts } = this.#options;
    await views.read(proposal);
    await views.close(proposal, "superseded");
    await this.#reveal(proposal);
    drafts.touch(proposal);
  }

  /** Brings its text to the front, in a review of its own. */
  async #reveal(proposal: Proposal): Promise<void> {
    if ((await this.#options.views.reveal(proposal)) && proposal.kept !== undefined)
      proposal.kept = { ...proposal.kept, isShown: true };
  }

  /** The user's "Show" in a message. Holds no text meanwhile. */
  showing({ id }: Proposal): () => Promise<void> {
    return async () => {
      const proposal = this.#find(id);
      if (proposal !== undefined) await this.#reveal(proposal);
    };
  }

  /** The user's "Save to File" in a message: what came of it is told where the file does not have the text. Holds no text meanwhile. */
  saving({ id }: Proposal): () => Promise<void> {
    return async () => {
      const proposal = this.#find(id);
      const saving = await this.save(id);
      if (proposal === undefined || saving === undefined || saving.kind === "saved") return;
      this.#options.messages.keptTextNotSaved(proposal, saving);
    };
  }

  discard(id: string): boolean {
    const proposal = this.#find(id);
    if (proposal === undefined) return false;
    const discard = (): void => {
      this.#release(proposal, "rejected");
      this.#options.outcomes.retract(proposal);
    };
    if (proposal.isResting) void this.#options.texts.wake(proposal).then(discard, discard);
    else discard();
    return true;
  }

  /** An agent proposes a change of the file anew: of what it has not written, only what the user typed is still of use. */
  proposedAnew(sessionId: string, path: string): void {
    for (const proposal of this.#options.proposals.all) {
      const { kept, settled, facts } = proposal;
      const isSame = facts.owner.sessionId === sessionId && facts.input.path === path;
      const isUntouched = settled?.kind === "accepted" && !settled.edited;
      if (isSame && isUntouched && kept?.reason === "not-written") this.#release(proposal, "superseded");
    }
  }

  /** Its text is on disk no more, and was nowhere else. */
  lost(proposal: Proposal): void {
    if (this.#find(proposal.id) === proposal) this.#release(proposal, "rejected");
  }

  /** Its agent has got it after all. */
  delivered(proposal: Proposal): void {
    if (proposal.kept?.reason === "not-delivered" && this.#find(proposal.id) === proposal) {
      this.#release(proposal, "accepted");
    }
  }

  /**
   * Asks whether a text that was accepted is still to be written, by what it was made from and what it is; if not, it is kept no
   * longer. False where it is not kept. Never rejects.
   */
  async isStillWanted(
    proposal: Proposal,
    isWanted: (base: string, text: string) => Promise<boolean>,
  ): Promise<boolean> {
    const isCurrent = (): boolean => this.#find(proposal.id) === proposal && proposal.kept?.reason === "not-written";
    if (!isCurrent()) return false;
    const { isResting } = proposal;
    const text = await this.#options.views.read(proposal).catch(() => undefined);
    // What the user resolves is still to be written in either form.
    const { file, conflict } = proposal.base ?? {};
    const isOver =
      text !== undefined &&
      !(await isWanted(conflict?.base ?? file?.text ?? "", conflict?.ours ?? text)) &&
      isCurrent();
    if (isOver) this.#release(proposal, "accepted");
    else if (isResting && isCurrent()) void this.#options.texts.offer(proposal);
    return isCurrent();
  }

  #find(id: string): Proposal | undefined {
    const proposal = this.#options.proposals.get(id);
    return proposal?.detached === true ? proposal : undefined;
  }

  #release(proposal: Proposal, reason: "accepted" | "rejected" | "superseded"): void {
    const { drafts, messages, proposals, views } = this.#options;
    proposal.detached = false;
    proposal.kept = undefined;
    messages.takeOfferBack(proposal);
    proposals.remove(proposal);
    drafts.forget(proposal);
    void views.close(proposal, reason);
    proposals.changed();
  }
}

function infoOf({ id, facts, kept, place }: Proposal): KeptText {
  return {
    id,
    agentName: facts.owner.agentName,
    path: facts.input.path,
    reason: kept?.reason ?? "agent-exited",
    since: kept?.since ?? facts.createdAt,
    isShown: place === "shown",
  };
}

/** What the text was made from, the most likely first: what the agent wrote, or what the review showed on its left side. */
function basesOf({ base, body, kept }: Proposal): readonly string[] {
  const left = base === undefined || !base.file.readable ? [] : [base.file.text, base.proposedOn];
  return kept?.reason === "answered-in-terminal" ? [body, ...left] : [...left, body];
}
