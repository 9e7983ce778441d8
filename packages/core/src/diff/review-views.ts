import type { DiffCloseReason, DiffView, DiffViewEvents, EditorHost } from "../editor-host.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { type Logger } from "../support/logger.ts";
import { type Clock, withTimeout } from "../support/time.ts";
import type { DiffOutcome } from "./model.ts";
import { OpenProposals } from "./open-proposals.ts";
import type { Proposal } from "./proposal.ts";
import type { ReviewMessages } from "./review-messages.ts";

/** How long a proposal's end waits for the editor to take its view away, ms. */
const closeMs = 1_000;

export interface ReviewViewsOptions {
  readonly host: Pick<EditorHost, "diffs">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly messages: ReviewMessages;
  readonly proposals: OpenProposals;
  /** Brings back texts that are on disk only; rejects where they are not there any more. */
  readonly wake: (proposal: Proposal) => Promise<void>;
  /** Reads the file that a proposal is about, before it is shown. */
  readonly beforeShown: (proposal: Proposal) => Promise<void>;
  /** A proposal that was set aside has a view again. */
  readonly onFound: (proposal: Proposal) => void;
  /** What becomes of what the user does in the view of a proposal. */
  readonly events: (proposal: Proposal) => DiffViewEvents;
}

/** The editor's views of the proposals: asked for, shown, read and taken away again. */
export class ReviewViews {
  readonly #options: ReviewViewsOptions;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Says how the last attempt went; the next one takes its place.
  readonly #showing: Map<string, Promise<void>> = new Map();
  /** Questions that the user has not answered, by proposal. */
  readonly #questions: Map<string, AbortController> = new Map();

  constructor(options: ReviewViewsOptions) {
    this.#options = options;
  }

  /** Resolves when the view is shown or will not be; rejects where the editor failed. */
  whenShown(proposal: Proposal): Promise<void> {
    return this.#showing.get(proposal.id) ?? Promise.resolve();
  }

  /** Shows a proposal of this workspace. Never rejects: `whenShown` does. */
  show(proposal: Proposal): Promise<void> {
    return this.#track(proposal, this.#show(proposal));
  }

  /** Shows a proposal for a file outside the workspace once the user has said yes. Never rejects: `whenShown` does. */
  showAfterAsking(proposal: Proposal): Promise<void> {
    return this.#track(proposal, this.#ask(proposal));
  }

  /** Brings the view to the front; opens it where there is none. False where the editor shows none. */
  async reveal(proposal: Proposal): Promise<boolean> {
    // A view that is on its way is waited for, not opened twice; one that waits for the user's answer has it now.
    if (proposal.place === "shown") await this.#showing.get(proposal.id)?.catch(() => {});
    if (proposal.view === undefined) await this.show(proposal);
    await proposal.view?.reveal();
    return proposal.view !== undefined;
  }

  /** The text of the view, or the last one known where the editor cannot say it. */
  async read(proposal: Proposal): Promise<string> {
    if (proposal.isResting) await this.#options.wake(proposal);
    await this.#shownIfEdited(proposal);
    return readView(proposal, this.#options.clock, this.#options.logger);
  }

  /** The text that an accept by a command means. Rejects where the editor has a view and cannot say what it holds. */
  async textToAccept(proposal: Proposal): Promise<string> {
    const { clock, logger, wake } = this.#options;
    if (proposal.isResting) await wake(proposal);
    await this.#shownIfEdited(proposal);
    // What the user typed must not be replaced by what the agent proposed because the editor cannot say it.
    return proposal.view === undefined ? readView(proposal, clock, logger) : currentText(proposal, clock);
  }

  tellPresence(proposal: Proposal): void {
    try {
      proposal.view?.setAgentPresent(proposal.agentPresent && !proposal.detached);
    } catch (error) {
      this.#options.logger.warn("A review could not be told about its agent", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
    }
  }

  /** The user has closed the view of a proposal that can also be answered elsewhere: it is shown again when they ask for it. */
  hide(proposal: Proposal): true {
    void this.read(proposal).then(async () => {
      if (!proposal.isOpen) return;
      proposal.place = "hidden";
      await this.close(proposal, "stopped");
      this.#options.proposals.changed();
    });
    return true;
  }

  /** Takes the view away. Never rejects, and waits a second at most. */
  async close(proposal: Proposal, reason: DiffCloseReason): Promise<void> {
    this.#showing.delete(proposal.id);
    this.#withdrawQuestion(proposal);
    const view = proposal.view;
    proposal.view = undefined;
    if (view === undefined) return;
    try {
      await withTimeout(closeMs, this.#options.clock, view.close(reason));
    } catch (error) {
      this.#options.logger.warn("A review could not be closed", { proposal: proposal.id, reason: messageOf(error) });
    }
  }

  /** An edit may come before the editor has said that the view is there. */
  async #shownIfEdited(proposal: Proposal): Promise<void> {
    if (proposal.view === undefined && proposal.isEdited) await this.#showing.get(proposal.id)?.catch(() => {});
  }

  #track(proposal: Proposal, shown: Promise<void>): Promise<void> {
    this.#showing.set(proposal.id, shown);
    return shown.catch((error: unknown) => {
      this.#options.logger.error("The editor could not show a proposal", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
    });
  }

  async #ask(proposal: Proposal): Promise<void> {
    proposal.place = "asking";
    const answeredElsewhere = new AbortController();
    this.#questions.set(proposal.id, answeredElsewhere);
    const yes = await this.#options.messages.outsideWorkspace(proposal, answeredElsewhere.signal);
    if (!proposal.isOpen || proposal.place !== "asking") return;
    this.#questions.delete(proposal.id);
    proposal.place = "hidden";
    if (yes) await this.#show(proposal);
    else this.#options.proposals.changed();
  }

  /** Shown from the list, or decided: nobody needs to answer any more. */
  #withdrawQuestion(proposal: Proposal): void {
    this.#questions.get(proposal.id)?.abort();
    this.#questions.delete(proposal.id);
  }

  async #show(proposal: Proposal): Promise<void> {
    const { host, proposals, events, beforeShown } = this.#options;
    proposal.place = "shown";
    this.#withdrawQuestion(proposal);
    try {
      if (proposal.isResting) await this.#options.wake(proposal);
    } catch (error) {
      proposal.place = "hidden";
      throw error;
    }
    const { input, kind, owner, isReadOnly, patchFiles } = proposal.facts;
    await beforeShown(proposal);
    // Decided in the terminal while the file was read.
    if (!proposal.isOpen && !proposal.detached) return;
    let opening: Awaited<ReturnType<EditorHost["diffs"]["open"]>>;
    try {
      opening = await host.diffs.open(
        {
          id: proposal.id,
          agentName: owner.agentName,
          path: input.path,
          kind,
          originalText: proposal.leftText,
          unsaved: proposal.base?.file.unsaved ?? false,
          standing: proposal.standing,
          proposedText: proposal.shownText,
          agentPresent: proposal.agentPresent,
          ...(proposal.terminalOnly ? { decidedBy: "terminal" } : {}),
          ...(isReadOnly === true ? { isReadOnly } : {}),
          ...(patchFiles === undefined ? {} : { patchFiles }),
          ...(proposal.isTrial ? { isTrial: true } : {}),
          ...(proposal.draft === undefined ? {} : { draftText: proposal.draft }),
        },
        events(proposal),
      );
    } catch (error) {
      proposal.place = "hidden";
      proposals.changed();
      throw new PatchbayError(
        "host-failed",
        `The editor could not show the proposal for ${input.path}: ${messageOf(error)}`,
        { cause: error },
      );
    }
    if (opening.kind === "declined") proposal.place = "hidden";
    else await this.#attach(proposal, opening.view);
    proposals.changed();
  }

  async #attach(proposal: Proposal, view: DiffView): Promise<void> {
    const { proposals } = this.#options;
    const isWanted = (proposal.isOpen || proposal.detached) && proposals.has(proposal.id);
    if (isWanted) {
      proposal.view = view;
      if (proposal.aside !== undefined) this.#options.onFound(proposal);
      // The agent may have gone or come back while the view was opening.
      this.tellPresence(proposal);
    } else await view.close(proposals.ending === undefined ? closeReasonOf(proposal.settled) : "stopped");
  }
}

function closeReasonOf(outcome: DiffOutcome | undefined): DiffCloseReason {
  if (outcome === undefined || outcome.kind === "closed") return "rejected";
  return outcome.kind;
}

/** How long an editor may take to say what a view holds, ms; one that never answers must hold up neither an agent nor the end. */
const answerMs = 2_000;

/** Takes the view's text into the proposal; the last known text stays when the editor cannot say it. */
export async function readView(proposal: Proposal, clock: Clock, logger: Logger): Promise<string> {
  if (proposal.view !== undefined) {
    try {
      const text = await currentText(proposal, clock);
      proposal.noteText(text);
      return text;
    } catch (error) {
      logger.warn("The text of a review could not be read", { proposal: proposal.id, reason: messageOf(error) });
    }
  }
  return proposal.draft ?? proposal.shownText;
}

/** The text of the proposal's view. Rejects where there is none or the editor cannot say it. */
export async function currentText({ view }: Proposal, clock: Clock): Promise<string> {
  if (view === undefined) throw new PatchbayError("host-failed", "The proposal is not open in the editor.");
  return withTimeout(answerMs, clock, view.currentText());
}
