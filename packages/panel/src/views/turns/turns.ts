import type { ConversationSnapshot, TurnChanges, TurnEndEntry } from "@patchbay/conversations/model";
import { type ChangesMessage, changesMessageSchema, turnsSchema } from "../../messages/changes.ts";
import { usePanelEvent, useSelected } from "../../store/use-panel.ts";

const none: readonly TurnChanges[] = [];

/** By what came: many ask for the same. */
const parsed = new WeakMap<object, readonly TurnChanges[]>();

/** The turns of a conversation that changed files, oldest first. */
export function turnsIn(open: ConversationSnapshot | undefined): readonly TurnChanges[] {
  if (open === undefined) return none;
  const { turns } = open;
  const found = parsed.get(turns) ?? turnsSchema.safeParse(turns).data ?? none;
  parsed.set(turns, found);
  return found;
}

/** The newest turn, unless the user has gone on since: it stands beside the composer, the others in the conversation. */
export function newestTurn(open: ConversationSnapshot | undefined): TurnChanges | undefined {
  const newest = turnsIn(open).at(-1);
  const last = open?.entries.findLast(({ entry }) => entry.kind === "prompt")?.entry.id;
  return newest?.prompt === undefined || last === undefined || last === newest.prompt ? newest : undefined;
}

/** The turn that an entry ended, where it is another one than the newest. */
export function turnEndedBy(
  open: ConversationSnapshot | undefined,
  { id, prompt }: TurnEndEntry,
): TurnChanges | undefined {
  const at = open?.entries.findIndex(({ entry }) => entry.id === id) ?? -1;
  const before = open?.entries.slice(0, Math.max(0, at)).findLast(({ entry }) => entry.kind === "prompt");
  const wanted = prompt ?? before?.entry.id;
  const found = turnsIn(open).find((turn) => wanted !== undefined && turn.prompt === wanted);
  return found === newestTurn(open) ? undefined : found;
}

/** A part of what turns changed; the same object as long as it is the same. */
export function useTurns<Value>(select: (open: ConversationSnapshot | undefined) => Value): Value {
  return useSelected(({ open }) => select(open));
}

/** The event that came last, parsed: every prompt and every file listens. */
let latest: { readonly about: unknown; readonly message: ChangesMessage | undefined } | undefined;

/** What the host says of changes. */
export function useChangesMessage(listener: (message: ChangesMessage) => void): void {
  usePanelEvent((event) => {
    if (event.type !== "changes") return;
    const { about } = event;
    const known =
      latest !== undefined && latest.about === about
        ? latest
        : { about, message: changesMessageSchema.safeParse(about).data };
    latest = known;
    if (known.message !== undefined) listener(known.message);
  });
}
