import type {
  ConversationPatch,
  ConversationSnapshot,
  ConversationStatus,
  Entry,
  LeftFile,
  PlacedEntry,
  Restoring,
  SessionOption,
} from "@patchbay/conversations/model";
import { patchForPage, placedForPage, type Said, snapshotForPage } from "../messages/index.ts";

// What Patchbay itself says where otherwise an agent does: names of modes and of answers, and why a file cannot be undone.
// Conversations are on disk in English; notices are sentences that the page itself shows in the user's language.

/** Entries as the page shows them. */
export function placedInLanguage(entries: readonly PlacedEntry[], said: Said): readonly PlacedEntry[] {
  return placedForPage(placedIn(entries, said));
}

/** A whole conversation as the page shows it. */
export function snapshotInLanguage(snapshot: ConversationSnapshot, said: Said): ConversationSnapshot {
  return snapshotForPage({ ...snapshot, ...statusIn(snapshot, said), entries: placedIn(snapshot.entries, said) });
}

/** What has changed of one, as the page shows it. */
export function patchInLanguage(patch: ConversationPatch, said: Said): ConversationPatch {
  const status = { ...patch.status, ...statusIn(patch.status, said) };
  return patchForPage({ ...patch, status, entries: placedIn(patch.entries, said) });
}

/** Files that were left alone, with why. */
export function leftInLanguage(left: readonly LeftFile[], said: Said): readonly LeftFile[] {
  return left.map(({ path, reason }) => ({ path, reason: said(reason) }));
}

/** What would become of files, with why it would not. */
export function restoringInLanguage(restoring: Restoring, said: Said): Restoring {
  return {
    ...withSaid(restoring, "reason", said),
    files: restoring.files.map((file) => withSaid(file, "reason", said)),
  };
}

function placedIn(entries: readonly PlacedEntry[], said: Said): readonly PlacedEntry[] {
  return entries.map(({ place, entry }) => ({ place, entry: entryIn(entry, said) }));
}

function statusIn(
  { options, turns }: Partial<ConversationStatus>,
  said: Said,
): Partial<Pick<ConversationStatus, "options" | "turns">> {
  return {
    ...(options === undefined ? {} : { options: options.map((option) => optionIn(option, said)) }),
    ...(turns === undefined
      ? {}
      : {
          turns: turns.map((turn) => ({ ...turn, files: turn.files.map((file) => withSaid(file, "obstacle", said)) })),
        }),
  };
}

function optionIn(option: SessionOption, said: Said): SessionOption {
  const named = { ...withSaid(option, "description", said), name: said(option.name) };
  const values = option.values?.map((value) => ({ ...withSaid(value, "description", said), name: said(value.name) }));
  return values === undefined ? named : { ...named, values };
}

function entryIn(entry: Entry, said: Said): Entry {
  if (entry.kind !== "question") return entry;
  const { question, outcome } = entry;
  const shown =
    question.type === "permission"
      ? {
          ...withSaid(question, "reason", said),
          choices: question.choices.map((choice) => ({ ...withSaid(choice, "rule", said), name: said(choice.name) })),
        }
      : question;
  if (outcome?.type !== "answered") return { ...entry, question: shown };
  return { ...entry, question: shown, outcome: { ...outcome, summary: said(outcome.summary) } };
}

/** With one of its texts in the user's language, where it has it. */
function withSaid<Key extends string, Value extends { readonly [key in Key]?: string }>(
  value: Value,
  key: Key,
  said: Said,
): Value {
  const text = value[key];
  return text === undefined ? value : { ...value, [key]: said(text) };
}
