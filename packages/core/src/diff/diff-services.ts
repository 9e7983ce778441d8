import type { EditorHost } from "../editor-host.ts";
import type { Files, Random } from "../platform/platform.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import { AwaitedWrites } from "./awaited-writes.ts";
import { DraftKeeper, RestingTexts } from "./drafts.ts";
import { FileFollower } from "./file-follower.ts";
import { ByteOrderMarks, WrittenFiles } from "./file-on-disk.ts";
import { HunkVerdicts } from "./hunk-verdicts.ts";
import { KeptTexts } from "./kept-texts.ts";
import { OpenProposals } from "./open-proposals.ts";
import type { OpenReviews, OutcomeCarrier } from "./model.ts";
import { LineCounts, ReviewOpenings } from "./openings.ts";
import { OutcomeDelivery } from "./outcome-delivery.ts";
import { ProposalHandover } from "./proposal-handover.ts";
import type { ProposalOwner } from "./proposal.ts";
import { ReviewDecisions } from "./review-decisions.ts";
import { createReviewMessages, type ReviewMessages } from "./review-messages.ts";
import { ReviewViews } from "./review-views.ts";
import { ReviewedFiles } from "./reviewed-files.ts";
import type { ProposalStore } from "./stored-proposals.ts";
import { UndeliveredAccepts } from "./undelivered-accepts.ts";
import { UnwrittenTexts } from "./unwritten-texts.ts";

export interface DiffOptions {
  readonly host: Pick<EditorHost, "diffs" | "messages" | "documents" | "editors">;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly logger: Logger;
  readonly store: ProposalStore;
  readonly carrier: OutcomeCarrier;
  /** The user's setting now; default: `always`. */
  readonly openReviews?: () => OpenReviews;
  /** What is accepted is about to be written; the agent has it once this resolves. Never rejects. */
  readonly beforeWrite?: BeforeWrite | undefined;
}

/** `path` has its links resolved. */
export type BeforeWrite = (owner: ProposalOwner, path: string, text: string) => Promise<void>;

/** The parts of the review of proposals, each told of what the others do as far as it concerns it. */
export interface DiffServices {
  readonly proposals: OpenProposals;
  readonly messages: ReviewMessages;
  readonly drafts: DraftKeeper;
  readonly outcomes: OutcomeDelivery;
  readonly views: ReviewViews;
  readonly writes: AwaitedWrites;
  readonly follower: FileFollower;
  readonly kept: KeptTexts;
  readonly decisions: ReviewDecisions;
  readonly undelivered: UndeliveredAccepts;
  readonly unwritten: UnwrittenTexts;
  readonly openings: ReviewOpenings;
  readonly counts: LineCounts;
  readonly hunks: HunkVerdicts;
  readonly handover: ProposalHandover;
}

/** Puts the parts together. */
export function createDiffServices(options: DiffOptions): DiffServices {
  const { host, clock, logger, store, carrier } = options;
  const proposals = new OpenProposals(logger);
  const messages = createReviewMessages(host, logger);
  const files = new ReviewedFiles({ host, files: options.files, clock, logger });
  const drafts = new DraftKeeper({
    clock,
    store,
    logger,
    onFailure: (proposal) => messages.draftNotKept(proposal),
  });
  const outcomes: OutcomeDelivery = new OutcomeDelivery({
    carrier,
    drafts,
    clock,
    texts: () => texts,
    onLost: (proposal) => messages.answerLost(proposal),
    onDelivered: (proposal, outcome) => {
      kept.delivered(proposal);
      void decisions.delivered(proposal, outcome);
      // Nothing of it waits any more.
      proposals.changed();
    },
  });
  const texts: RestingTexts = new RestingTexts({
    store,
    drafts,
    logger,
    isInUse: (proposal) =>
      proposal.view !== undefined || (proposal.detached && proposal.place !== "hidden") || outcomes.isInUse(proposal),
  });
  const views = new ReviewViews({
    host,
    clock,
    logger,
    messages,
    proposals,
    wake: (proposal) => texts.wake(proposal),
    events: (proposal) => {
      const events = decisions.events(proposal);
      const edited = (): void => {
        openings.userActed();
        events.edited();
      };
      return { ...events, edited };
    },
    beforeShown: (proposal) => follower.begin(proposal),
    onFound: (proposal) => {
      proposal.aside = undefined;
      drafts.touch(proposal);
    },
  });
  const writes = new AwaitedWrites({ host, files, clock, logger });
  const follower: FileFollower = new FileFollower({
    files,
    writes,
    clock,
    logger,
    drafts,
    proposals,
    showAgain: (proposal) => views.show(proposal),
    onAgentWrote: (proposal) => decisions.writtenByTerminal(proposal),
  });
  const kept: KeptTexts = new KeptTexts({
    host,
    clock,
    files: options.files,
    logger,
    messages,
    drafts,
    outcomes,
    proposals,
    views,
    texts,
  });
  const written = new WrittenFiles(options.files, logger);
  const undelivered = new UndeliveredAccepts({ clock, messages, drafts, kept, outcomes, written, files });
  const unwritten = new UnwrittenTexts({ clock, files, kept, messages, drafts });
  const decisions: ReviewDecisions = new ReviewDecisions({
    clock,
    logger,
    marks: new ByteOrderMarks(options.files),
    messages,
    drafts,
    kept,
    outcomes,
    proposals,
    views,
    follower,
    files,
    writes,
    undelivered,
    unwritten,
    beforeWrite: options.beforeWrite,
  });
  const openReviews = options.openReviews ?? (() => "always");
  const openings = new ReviewOpenings({ host, clock, logger, openReviews, kept, views, follower, proposals, drafts });
  const counts = new LineCounts(clock, () => proposals.changed());
  const hunks = new HunkVerdicts({ clock, logger, proposals, views, follower, decisions });
  const handover = new ProposalHandover({
    clock,
    logger,
    store,
    carrier,
    drafts,
    outcomes,
    proposals,
    views,
    openings,
    unwritten,
  });
  return {
    proposals,
    messages,
    drafts,
    outcomes,
    views,
    writes,
    follower,
    kept,
    decisions,
    undelivered,
    unwritten,
    openings,
    counts,
    hunks,
    handover,
  };
}
