import { type Logger, messageOf } from "@patchbay/core";
import * as z from "zod/mini";
import type { ConversationStore, StoredConversation } from "../transcript/conversation-store.ts";
import { type About, aboutSchema } from "../transcript/line.ts";

const indexKey = "index";

const schema = z.object({
  conversations: z.array(z.object({ about: aboutSchema, size: z.number(), modifiedMs: z.number() })),
});

interface Indexed {
  readonly about: About;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * What each transcript is about, without a look into each. It is a cache: what does not fit its file by size and time is read
 * from the transcript, and so is everything where the index is missing or broken.
 */
export class ConversationIndex {
  readonly #store: ConversationStore;
  readonly #logger: Logger;
  /** Transcripts that do not say what they are about, and when they were written. */
  readonly #unreadable: Map<string, number> = new Map();
  #known: Map<string, Indexed> | undefined;

  constructor(store: ConversationStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** All conversations on disk. */
  async list(): Promise<readonly Indexed[]> {
    const known = (this.#known ??= await this.#read());
    const stored = await this.#store.list();
    const indexed: Indexed[] = [];
    let isChanged = false;
    for (const one of stored) {
      const held = known.get(one.id);
      if (held !== undefined && held.size === one.size && held.modifiedMs === one.modifiedMs) {
        indexed.push(held);
        continue;
      }
      if (this.#unreadable.get(one.id) === one.modifiedMs) continue;
      const about = await this.#aboutOf(one);
      if (about === undefined) this.#unreadable.set(one.id, one.modifiedMs);
      else {
        isChanged = true;
        indexed.push({ about, size: one.size, modifiedMs: one.modifiedMs });
      }
    }
    isChanged ||= indexed.length !== known.size;
    this.#known = new Map(indexed.map((one) => [one.about.id, one]));
    if (isChanged) await this.#write(indexed);
    return indexed;
  }

  async #aboutOf({ id }: StoredConversation): Promise<About | undefined> {
    try {
      const about = (await this.#store.read(id))?.about;
      return about?.id === id ? about : undefined;
    } catch (error) {
      this.#logger.warn("A transcript could not be read", { reason: messageOf(error) });
      return undefined;
    }
  }

  async #read(): Promise<Map<string, Indexed>> {
    try {
      const text = await this.#store.values.read(indexKey);
      const parsed = text === undefined ? undefined : schema.safeParse(JSON.parse(text));
      if (parsed?.success === true) return new Map(parsed.data.conversations.map((one) => [one.about.id, one]));
    } catch {
      // Missing or broken: it is made anew.
    }
    return new Map();
  }

  async #write(conversations: readonly Indexed[]): Promise<void> {
    // The storage has logged why; the next list reads the transcripts once more.
    await this.#store.values.write(indexKey, JSON.stringify({ conversations })).catch(() => {});
  }
}
