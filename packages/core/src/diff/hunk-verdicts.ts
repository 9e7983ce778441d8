import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import { compareSides, decide, type RebasedProposal, type SidesAfter, takeBack } from "./decided-hunks.ts";
import type { FileFollower } from "./file-follower.ts";
import { hunkAtLine } from "./hunks.ts";
import { hasConflict, type Hunk, type HunkDecision } from "./model.ts";
import type { OpenProposals } from "./open-proposals.ts";
import type { Proposal } from "./proposal.ts";
import type { ReviewDecisions } from "./review-decisions.ts";
import type { ReviewViews } from "./review-views.ts";
import { sameLines } from "./text-fidelity.ts";

export interface HunkVerdictsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly proposals: OpenProposals;
  readonly views: ReviewViews;
  readonly follower: FileFollower;
  readonly decisions: ReviewDecisions;
}

/**
 * The user's verdicts on single hunks of a proposal. An accepted hunk goes into the left side, a rejected one is undone on the
 * right side; when both sides are the same, the proposal is decided, with the right side as its text.
 */
export class HunkVerdicts {
  readonly #options: HunkVerdictsOptions;

  constructor(options: HunkVerdictsOptions) {
    this.#options = options;
  }

  /** See `Companion.hunks`. */
  async of(id: string): Promise<readonly Hunk[] | undefined> {
    const proposal = await this.#openOf(id);
    if (proposal === undefined) return undefined;
    if (proposal.base === undefined) await this.#options.follower.begin(proposal);
    const right = await this.#options.views.read(proposal);
    const hunks = await compareSides(proposal.leftText, right, this.#options.clock);
    const { base } = proposal;
    if (base === undefined || !proposal.isOpen) return undefined;
    if (base.hunks?.undecided !== hunks.length) {
      const known = base.hunks ?? { left: undefined, right: undefined, steps: [] };
      proposal.base = { ...base, hunks: { ...known, undecided: hunks.length } };
      this.#options.proposals.changed();
    }
    return hunks;
  }

  /** See `Companion.decideHunk`. */
  async decide(id: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision> {
    const known = this.#options.proposals.get(id);
    const proposal = await this.#openOf(id);
    if (proposal === undefined) return { kind: known?.isOpen === true ? "none" : "ended" };
    if (proposal.facts.isReadOnly === true) return { kind: "read-only" };
    let after: SidesAfter | undefined;
    let at = line;
    let stop: HunkDecision = { kind: "none" };
    const isMade = await this.#change(proposal, async (right) => {
      const { base } = proposal;
      stop = { kind: "none" };
      if (base === undefined) return undefined;
      if (isInConflict(proposal, right)) {
        stop = { kind: "conflict" };
        return undefined;
      }
      const open = await compareSides(proposal.leftText, right, this.#options.clock);
      const hunk = hunkAtLine(open, line);
      if (hunk === undefined) return undefined;
      at = hunk.right.start;
      const sides = { file: base.file.text, right, hunks: base.hunks };
      after = await decide(sides, verdict, hunk, this.#options.clock);
      return { base: { ...base, hunks: after.hunks }, text: after.right, isConflict: false };
    });
    if (!isMade) return proposal.isOpen && proposal.deciding === undefined ? stop : { kind: "ended" };
    if (after === undefined) return { kind: "none" };
    if (after.open.length === 0) return await this.#end(proposal, after.right);
    return { kind: "decided", left: after.open.length, next: hunkAtLine(after.open, at)?.right };
  }

  /** See `Companion.undoHunk`. */
  async undo(id: string): Promise<boolean> {
    const proposal = await this.#openOf(id);
    if (proposal === undefined) return false;
    return await this.#change(proposal, async (right) => {
      const { base } = proposal;
      if (base === undefined || isInConflict(proposal, right)) return undefined;
      const after = await takeBack({ file: base.file.text, right, hunks: base.hunks }, this.#options.clock);
      if (after === undefined) return undefined;
      return { base: { ...base, hunks: after.hunks }, text: after.right, isConflict: false };
    });
  }

  /** One that the user may decide now; waits for a view that is on its way. */
  async #openOf(id: string): Promise<Proposal | undefined> {
    const { proposals, views } = this.#options;
    const proposal = proposals.get(id);
    if (proposal === undefined || proposal.place === "asking") return undefined;
    await views.whenShown(proposal).catch(() => {});
    return proposal.isOpen && proposals.ending === undefined ? proposal : undefined;
  }

  async #change(proposal: Proposal, make: (right: string) => Promise<RebasedProposal | undefined>): Promise<boolean> {
    try {
      return await this.#options.follower.change(proposal, make);
    } catch (error) {
      this.#options.logger.warn("A verdict on a hunk could not be shown", {
        proposal: proposal.id,
        reason: messageOf(error),
      });
      return false;
    }
  }

  /** Nothing is left to decide. */
  async #end(proposal: Proposal, right: string): Promise<HunkDecision> {
    const { decisions, views } = this.#options;
    const isFile = sameLines(right, proposal.base?.file.text ?? "");
    const isEnded = isFile
      ? decisions.decline(proposal, "rejected")
      : await decisions.accept(proposal, () => views.textToAccept(proposal));
    if (isEnded || !proposal.isOpen) return { kind: "ended" };
    if (proposal.standing === "conflict") return { kind: "conflict" };
    const open = (await this.of(proposal.id)) ?? [];
    return { kind: "decided", left: open.length, next: open[0]?.right };
  }
}

function isInConflict({ base }: Proposal, right: string): boolean {
  return base?.conflict !== undefined && hasConflict(right);
}
