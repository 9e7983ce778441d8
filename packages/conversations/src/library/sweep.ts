import { type Clock, type Logger, messageOf } from "@patchbay/core";
import type { ConversationStore } from "../transcript/conversation-store.ts";

/** How long conversations are kept after they were last used, and how much room they take together. */
export interface Keeping {
  readonly days: number;
  readonly megabytes: number;
}

/** 30 days, 200 MB. */
export const defaultKeeping: Keeping = { days: 30, megabytes: 200 };

const sweptKey = "swept";
const dayMs = 24 * 60 * 60 * 1_000;

export interface SweepRequest {
  readonly store: ConversationStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keeping: Keeping;
  /** Removes one; false where a window has it. */
  readonly remove: (id: string) => Promise<boolean>;
}

/** Removes what is old and what is too much, the oldest first; at most once a day. Never rejects. */
export async function sweep(request: SweepRequest): Promise<void> {
  const { store, clock, logger, keeping, remove } = request;
  try {
    const now = clock.now();
    const last = Number((await store.values.read(sweptKey)) ?? 0);
    // A clock that was set back must not put it off for long.
    if (last <= now && now - last < dayMs) return;
    await store.values.write(sweptKey, String(now));
    const found = await Promise.all(
      (await store.list()).map(async (one) => ({ ...one, size: one.size + (await store.sizeOfTexts(one.id)) })),
    );
    const stored = found.toSorted((one, other) => one.modifiedMs - other.modifiedMs);
    let total = stored.reduce((sum, { size }) => sum + size, 0);
    for (const { id, size, modifiedMs } of stored) {
      const isOld = now - modifiedMs > keeping.days * dayMs;
      if (!isOld && total <= keeping.megabytes * 1024 * 1024) continue;
      if (await remove(id)) total -= size;
    }
  } catch (error) {
    logger.warn("Old conversations could not be removed", { reason: messageOf(error) });
  }
}
