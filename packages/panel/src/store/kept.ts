import { type Draft, draftSchema } from "@patchbay/conversations/model";
import * as z from "zod/mini";
import type { Bridge } from "../bridge.ts";

/** Where the user was reading. */
export interface Anchor {
  /** The entry at the top of the view, and how far its top is above the view's, px. Absent: at the end. */
  readonly place?: number;
  readonly offset?: number;
}

/** What the page keeps for itself while it is hidden: it is gone then, and comes back as a new page. */
export interface Kept {
  readonly conversation?: string;
  readonly draft?: Draft;
  readonly anchor?: Anchor;
  /** The user has left out the selection of the editor: it stays out. */
  readonly isSelectionOff?: boolean;
}

const keptSchema: z.ZodMiniType<Kept> = z.object({
  conversation: z.exactOptional(z.string()),
  draft: z.exactOptional(draftSchema),
  anchor: z.exactOptional(z.object({ place: z.exactOptional(z.number()), offset: z.exactOptional(z.number()) })),
  isSelectionOff: z.exactOptional(z.boolean()),
});

/** More than this makes the start of the page slow; the draft is with the host, too. */
const largestDraft = 90_000;

/** Reads and writes it. */
export class KeptState {
  readonly #state: Bridge["state"];
  #kept: Kept;

  constructor(state: Bridge["state"]) {
    this.#state = state;
    const parsed = keptSchema.safeParse(state.get());
    this.#kept = parsed.success ? parsed.data : {};
  }

  /** What is kept of a conversation. */
  of(conversation: string): Kept {
    return this.#kept.conversation === conversation ? this.#kept : {};
  }

  get conversation(): string | undefined {
    return this.#kept.conversation;
  }

  get isSelectionOff(): boolean {
    return this.#kept.isSelectionOff === true;
  }

  leaveOutSelection(isSelectionOff: boolean): void {
    this.#kept = { ...this.#kept, isSelectionOff };
    this.#state.set(this.#kept);
  }

  set(conversation: string, change: Pick<Kept, "draft" | "anchor">): void {
    const off = this.isSelectionOff ? { isSelectionOff: true } : {};
    this.#kept = { ...this.of(conversation), conversation, ...off, ...change };
    const size = this.#kept.draft?.blocks.reduce((sum, block) => sum + sizeOf(block), 0) ?? 0;
    const { draft: _tooLarge, ...rest } = this.#kept;
    this.#state.set(size > largestDraft ? rest : this.#kept);
  }
}

const sizeOf = (block: Draft["blocks"][number]): number =>
  block.type === "image" ? block.data.length : block.type === "mention" ? block.path.length : block.text.length;
