import { type Clock, type Disposable, type Logger, messageOf, type PrivateStorage } from "@patchbay/core";
import * as z from "zod/mini";
import { draftSchema, promptBlockSchema } from "../model/schema.ts";
import type { Draft, QueuedPrompt } from "../model/snapshot.ts";

/** From a key to the draft on disk, ms: leaves room for the write within the promised 500 ms. */
const draftDelayMs = 200;

const stored = z.object({
  draft: draftSchema,
  queue: z.array(z.object({ id: z.string(), blocks: z.array(promptBlockSchema) })),
  accepted: z._default(z.array(z.object({ path: z.string(), text: z.string() })), []),
});

/** A text that the user has made of a change. */
export interface AcceptedText {
  readonly path: string;
  readonly text: string;
}

/** What the user has written and the agent has not got yet. */
export interface Unsent {
  readonly draft: Draft;
  readonly queue: readonly QueuedPrompt[];
  /** Accepted, and not known to be written yet. */
  readonly accepted: readonly AcceptedText[];
}

export const emptyDraft: Draft = { blocks: [], caret: 0 };

const nothing: Unsent = { draft: emptyDraft, queue: [], accepted: [] };

const keyPrefix = "unsent.";

/** The name under which it is kept. */
export function unsentKey(conversationId: string): string {
  return keyPrefix + conversationId;
}

/** What is kept; nothing where that cannot be read. */
export async function readUnsent(storage: PrivateStorage, conversationId: string): Promise<Unsent> {
  try {
    const text = await storage.read(unsentKey(conversationId));
    if (text === undefined) return nothing;
    const parsed = stored.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : nothing;
  } catch {
    // The storage has logged it, or it is no JSON: there is nothing to give back.
    return nothing;
  }
}

export interface UnsentKeeperOptions {
  readonly conversationId: string;
  readonly storage: PrivateStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly draft: Draft;
  readonly read: () => Omit<Unsent, "draft">;
  /** Told once each time that it begins to fail. */
  readonly onDidFail: (error: unknown) => void;
}

/** Keeps the draft, the queue and accepted texts on disk: neither a reload nor a killed window loses more than half a second of typing. */
export class UnsentKeeper {
  readonly #options: UnsentKeeperOptions;
  #draft: Draft;
  #timer: Disposable | undefined;
  #hasFailed = false;

  constructor(options: UnsentKeeperOptions) {
    this.#options = options;
    this.#draft = options.draft;
  }

  get draft(): Draft {
    return this.#draft;
  }

  /** What is on disk already, or is saved with the queue. */
  replace(draft: Draft): void {
    this.#draft = draft;
  }

  /** The user writes: it is on disk soon. */
  write(draft: Draft): void {
    this.#draft = draft;
    this.#timer ??= this.#options.clock.setTimeout(() => void this.save(), draftDelayMs);
  }

  /** Writes it now. Never rejects. */
  async save(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    const { conversationId, storage, read, logger, onDidFail } = this.#options;
    const key = unsentKey(conversationId);
    const unsent: Unsent = { draft: this.#draft, ...read() };
    try {
      const isEmpty = unsent.draft.blocks.length + unsent.queue.length + unsent.accepted.length === 0;
      if (isEmpty) await storage.remove(key);
      else await storage.write(key, JSON.stringify(unsent));
      this.#hasFailed = false;
    } catch (error) {
      logger.error("A draft could not be kept", { reason: messageOf(error) });
      if (!this.#hasFailed) onDidFail(error);
      this.#hasFailed = true;
    }
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) await this.save();
  }
}
