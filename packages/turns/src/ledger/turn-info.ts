import type { TurnFile, TurnInfo } from "../model.ts";
import type { FileRecord, TurnRecord } from "./records.ts";
import { renamedFrom } from "./renames.ts";

/** How the editor names a path. */
export interface Names {
  named(path: string): string;
}

/** What is told of a turn. */
export function infoOf(turn: TurnRecord, names: Names): TurnInfo {
  const {
    id,
    order: number,
    agents,
    agent,
    session,
    prompt,
    began,
    ended,
    border,
    undoes,
    headMoved,
    git,
    isPartial,
  } = turn;
  const acts = git.length === 0 ? {} : { git };
  const renamed = new Map<FileRecord, FileRecord>();
  const old = new Set<FileRecord>();
  for (const file of turn.files.values()) {
    const from = renamedFrom(turn, file);
    if (from === undefined || old.has(from)) continue;
    renamed.set(file, from);
    old.add(from);
  }
  const told = Array.from(turn.files.values()).filter((file) => !old.has(file));
  const files = told.map((file) => fileOf(file, renamed.get(file), names));
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  return {
    id,
    number,
    agents,
    agent,
    session,
    prompt,
    began,
    ended,
    border,
    undoes,
    headMoved,
    ...acts,
    isPartial,
    files,
  };
}

/** `from`: what stood at the old name of a file that was renamed. */
function fileOf(file: FileRecord, from: FileRecord | undefined, names: Names): TurnFile {
  const { review, lines, mode } = file;
  const attribution = from?.attribution === "likely" ? from.attribution : file.attribution;
  const kind = kindOf(from === undefined ? file : { ...file, before: from.before });
  const target = targetOf(file);
  const cannotUndo = whyNot(from ?? file);
  return {
    path: names.named(file.path),
    kind,
    attribution,
    review,
    lines,
    ...(cannotUndo === undefined ? {} : { cannotUndo }),
    ...(mode === undefined ? {} : { mode }),
    ...(target === undefined ? {} : { target }),
    ...(from === undefined ? {} : { movedFrom: names.named(from.path) }),
  };
}

function targetOf({ before, after }: FileRecord): TurnFile["target"] {
  if (before.kind !== "link" && after.kind !== "link") return undefined;
  return {
    ...(before.kind === "link" ? { before: before.target } : {}),
    ...(after.kind === "link" ? { after: after.target } : {}),
  };
}

/** Whatever the file holds now: what it held before is what an undo needs. */
function whyNot({ before, undecided }: FileRecord): TurnFile["cannotUndo"] {
  const wanted = (undecided ?? { before }).before;
  if (wanted.kind !== "named") return undefined;
  return wanted.why === "other" || wanted.why === "binary" ? "special" : wanted.why;
}

function kindOf({ before, after, mode }: FileRecord): TurnFile["kind"] {
  if (after.kind === "none") return "deleted";
  if (after.kind === "link") return "link";
  if (mode !== undefined && isSameText(before, after)) return "mode";
  if (after.kind === "bytes") return "binary";
  if (after.kind === "named" && !isText(after)) return after.why === "large" ? "large" : "binary";
  if (before.kind === "none") return "created";
  if (before.kind === "named" && !isText(before)) return before.why === "large" ? "large" : "binary";
  return before.kind === "bytes" || before.kind === "link" ? "binary" : "changed";
}

/** It may well be one; it is not kept for other reasons. */
function isText({ why }: Extract<FileRecord["before"], { kind: "named" }>): boolean {
  return why === "withheld" || why === "failed" || why === "unread";
}

function isSameText(before: FileRecord["before"], after: FileRecord["after"]): boolean {
  if (before.kind === "text" || before.kind === "bytes")
    return after.kind === before.kind && before.text === after.text;
  if (before.kind === "git") return after.kind === "git" && before.object === after.object;
  if (before.kind === "link") return after.kind === "link" && before.target === after.target;
  return before.kind === "named" && after.kind === "named" && before.sign === after.sign;
}
