import type { TurnFile, TurnInfo } from "../model.ts";
import type { FileRecord, TurnRecord } from "./records.ts";

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
    isPartial,
  } = turn;
  const movedTo = new Map(Array.from(turn.files.values(), ({ path, movedFrom = "" }) => [movedFrom, path]));
  const files = Array.from(turn.files.values(), (file) => fileOf(file, movedTo.get(file.path), names));
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { id, number, agents, agent, session, prompt, began, ended, border, undoes, headMoved, isPartial, files };
}

function fileOf(file: FileRecord, movedTo: string | undefined, names: Names): TurnFile {
  const { attribution, review, lines, mode, movedFrom } = file;
  const kind = kindOf(file);
  const target = targetOf(file);
  const cannotUndo = whyNot(file);
  return {
    path: names.named(file.path),
    kind,
    attribution,
    review,
    lines,
    ...(cannotUndo === undefined ? {} : { cannotUndo }),
    ...(mode === undefined ? {} : { mode }),
    ...(target === undefined ? {} : { target }),
    ...(movedFrom === undefined || kind === "deleted" ? {} : { movedFrom: names.named(movedFrom) }),
    ...(movedTo === undefined || kind !== "deleted" ? {} : { movedTo: names.named(movedTo) }),
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
