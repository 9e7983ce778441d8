import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";
import type { DraftKeeper } from "./drafts.ts";
import type { KeptTexts } from "./kept-texts.ts";
import { holdsAll } from "./pending-write.ts";
import type { Proposal } from "./proposal.ts";
import type { ReviewMessages } from "./review-messages.ts";
import type { FilePlace, ReviewedFiles } from "./reviewed-files.ts";

/** The files of so many texts are watched at most; those of older ones are looked at with the next start. */
const mostWatched = 64;

export interface UnwrittenTextsOptions {
  readonly clock: Clock;
  readonly files: Pick<ReviewedFiles, "placeOf" | "readDisk" | "watch">;
  readonly kept: KeptTexts;
  readonly messages: ReviewMessages;
  readonly drafts: DraftKeeper;
}

/**
 * Texts that were accepted and not written in time: each is in the list of kept texts, and goes as soon as its file has it. Nothing
 * is held for them here but the watch of their files.
 */
export class UnwrittenTexts {
  readonly #options: UnwrittenTextsOptions;
  /** By proposal, the oldest first. */
  readonly #watched: Map<string, Disposable> = new Map();
  #ended = false;

  constructor(options: UnwrittenTextsOptions) {
    this.#options = options;
  }

  /** The time of an accepted text is over. */
  keep(proposal: Proposal, because: "not-written" | "agent-exited", text: string): void {
    const { kept } = this.#options;
    kept.keep(proposal, "not-written", text);
    this.#tell(proposal, because);
    void this.#watch(proposal);
  }

  /** One that an earlier run has left: it may have been written since. Where that run could not say so, it is said now. Never rejects. */
  async takeBack(proposal: Proposal): Promise<void> {
    const { drafts } = this.#options;
    await this.#watch(proposal);
    if (proposal.kept?.isUntold !== true) return;
    const { isUntold: _, ...told } = proposal.kept;
    proposal.kept = told;
    drafts.touch(proposal);
    this.#tell(proposal, "not-written");
  }

  /** The run ends. */
  end(): void {
    this.#ended = true;
    for (const id of Array.from(this.#watched.keys())) this.#forget(id);
  }

  #tell(proposal: Proposal, because: "not-written" | "agent-exited"): void {
    const { kept, messages } = this.#options;
    messages.unwritten(proposal, because, { save: kept.saving(proposal), show: kept.showing(proposal) });
  }

  async #watch(proposal: Proposal): Promise<void> {
    const { files } = this.#options;
    const place = (proposal.filePlace ??= await files.placeOf(proposal.facts.input.path));
    if (this.#ended || this.#watched.has(proposal.id)) return;
    this.#watched.set(
      proposal.id,
      files.watch(place, () => void this.#look(proposal, place)),
    );
    for (const id of this.#watched.keys()) if (this.#watched.size > mostWatched) this.#forget(id);
    // It may have come in this moment.
    await this.#look(proposal, place);
  }

  async #look(proposal: Proposal, place: FilePlace): Promise<void> {
    const { files, kept, clock } = this.#options;
    const isLeft = await kept.isStillWanted(proposal, async (base, text) => {
      const now = await files.readDisk(place);
      return !now.readable || !(await holdsAll(base, text, now.text, clock));
    });
    if (!isLeft) this.#forget(proposal.id);
  }

  #forget(id: string): void {
    this.#watched.get(id)?.dispose();
    this.#watched.delete(id);
  }
}
