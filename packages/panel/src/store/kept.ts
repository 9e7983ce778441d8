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

/** Before the conversation of a draft in the browser's own storage. */
const storedDraft = "patchbay.draft.";

/** How long the host has for a draft before the browser's copy goes, ms: it is on the host's disk within half a second. */
const untilOnDisk = 2000;

/** A copy that nobody has asked for in this time goes, ms: its conversation may be long gone. */
const longestStored = 7 * 24 * 3_600_000;

/** Reads and writes it. */
export class KeptState {
  readonly #state: Bridge["state"];
  readonly #storage: Storage | undefined = browserStorage();
  #forgetting: ReturnType<typeof setTimeout> | undefined;
  #kept: Kept;

  constructor(state: Bridge["state"]) {
    this.#state = state;
    const parsed = keptSchema.safeParse(state.get());
    this.#kept = parsed.success ? parsed.data : {};
    for (const key of Object.keys(this.#storage ?? {}).filter((one) => one.startsWith(storedDraft))) {
      const { at = 0 } = this.#stored(key.slice(storedDraft.length)) ?? {};
      if (Date.now() - at > longestStored) this.#storage?.removeItem(key);
    }
  }

  /** What is kept of a conversation. */
  of(conversation: string): Kept {
    return this.#kept.conversation === conversation ? this.#kept : {};
  }

  /** The newest draft: of what this page had, or one before it, whatever moment it ended at, and of what the host has. */
  draftOf(conversation: string, held: Draft | undefined): Draft | undefined {
    return newer(newer(this.#stored(conversation), this.of(conversation).draft), held);
  }

  /** The host is sent the draft: the browser's copy is needed until it is on the disk there. */
  handedOver(conversation: string): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.#storage?.removeItem(storedDraft + conversation), untilOnDisk);
  }

  #stored(conversation: string): Draft | undefined {
    try {
      const parsed = draftSchema.safeParse(JSON.parse(this.#storage?.getItem(storedDraft + conversation) ?? ""));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined;
    }
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
    if (change.draft === undefined || size > largestDraft) return;
    clearTimeout(this.#forgetting);
    try {
      // Editors keep their pages' states a little later: this is there even if the window is reloaded or ends right now.
      this.#storage?.setItem(storedDraft + conversation, JSON.stringify(change.draft));
    } catch {
      // It is full. The state above and the host have the draft, too.
    }
  }
}

/** Frames without an origin have none. */
function browserStorage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

function newer(kept: Draft | undefined, held: Draft | undefined): Draft | undefined {
  return (held?.at ?? 0) > (kept?.at ?? 0) ? held : (kept ?? held);
}

const sizeOf = (block: Draft["blocks"][number]): number =>
  block.type === "image" ? block.data.length : block.type === "mention" ? block.path.length : block.text.length;
