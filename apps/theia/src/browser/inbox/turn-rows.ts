import type { TurnFile } from "@patchbay/turns";
import { nls } from "@theia/core/lib/common/nls";
import type { ListedTurn } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { ageWords, folderIn, type InboxRow, type InboxSurroundings } from "./inbox-row.ts";

/** As much of a prompt as a row has room for, in characters. */
const mostOfPrompt = 60;

/** What an agent changed in a turn, to be kept or undone. It waits for nobody, so it stands behind everything that does. */
export function turnRow(turn: ListedTurn, around: InboxSurroundings, title?: string): InboxRow {
  const { prompt, agents, files, undecided, lines, ended, began, border, git, isPartial } = turn;
  // Its session, above, is called by the first prompt.
  const isNamed = title !== undefined && prompt.startsWith(title.replace(/…$/u, ""));
  const words = isNamed ? "" : prompt.length > mostOfPrompt ? `${prompt.slice(0, mostOfPrompt)}…` : prompt;
  const counted =
    undecided === 1
      ? nls.localize("patchbay/turns/file", "1 changed file")
      : nls.localize("patchbay/turns/files", "{0} changed files", undecided);
  const label = visibleText(words === "" ? counted : words);
  const facts = [
    words === "" ? "" : counted,
    agents.length > 1 ? agents.join(", ") : "",
    ended === undefined ? "" : ageWords(began, around.now),
    border === "estimated" ? nls.localize("patchbay/turns/estimated", "estimated") : "",
    git === undefined ? "" : nls.localize("patchbay/turns/git", "changed in git: {0}", git.join(", ")),
    isPartial ? nls.localize("patchbay/turns/partial", "not all files were looked at") : "",
  ];
  return {
    id: `turn:${turn.id}`,
    subject: { kind: "turn", turn, path: undefined },
    icon: "history",
    tone: "quiet",
    label,
    state: ended === undefined ? nls.localize("patchbay/turns/working", "working") : "",
    facts: facts.filter((fact) => fact !== "").map((fact) => visibleText(fact)),
    lines,
    tooltip: [visibleText(prompt), counted].filter((part) => part !== "").join("\n"),
    actions: ["open", "keep", "undo"],
    children: files.map((file) => fileRow(turn, file, around)),
  };
}

function fileRow(turn: ListedTurn, file: TurnFile, around: InboxSurroundings): InboxRow {
  const { path } = fileUriOf(file.path);
  const state = reviewWords(file);
  const waiting =
    file.review === "queued"
      ? nls.localize("patchbay/turns/waitsForEnd", "It is undone when the agent has finished.")
      : state;
  return {
    id: `turn:${turn.id}:${file.path}`,
    subject: { kind: "turn", turn, path: file.path },
    icon: iconOf(file),
    tone: "quiet",
    label: visibleText(path.base),
    state,
    facts: [folderIn(path.dir.fsPath(), around.roots), kindWords(file, around.roots)].filter((fact) => fact !== ""),
    lines: file.lines,
    tooltip: [visibleText(file.path), attributionWords(turn, file), waiting].filter((part) => part !== "").join("\n"),
    actions: ["open", "keep", "undo"],
    children: [],
  };
}

function iconOf({ kind, review, attribution, movedFrom }: TurnFile): string {
  if (review === "queued") return "history";
  if (attribution === "unknown") return "question";
  if (movedFrom !== undefined) return "diff-renamed";
  if (kind === "created") return "diff-added";
  return kind === "deleted" ? "diff-removed" : "diff-modified";
}

function kindWords({ kind, cannotUndo, movedFrom }: TurnFile, roots: readonly string[]): string {
  if (cannotUndo !== undefined)
    return nls.localize("patchbay/turns/untold", "no copy of it was kept: it cannot be undone here");
  if (movedFrom !== undefined)
    return nls.localize("patchbay/turns/renamed", "renamed from {0}", folderIn(movedFrom, roots));
  switch (kind) {
    case "created":
      return nls.localize("patchbay/turns/created", "new file");
    case "deleted":
      return nls.localize("patchbay/turns/deleted", "deleted");
    case "mode":
      return nls.localize("patchbay/turns/mode", "only its permissions");
    default:
      return "";
  }
}

function attributionWords({ agents }: ListedTurn, { attribution }: TurnFile): string {
  const who = visibleText(agents.join(", "));
  switch (attribution) {
    case "exact":
      return nls.localize("patchbay/turns/exact", "Changed by {0}", who);
    case "likely":
      return nls.localize("patchbay/turns/likely", "Likely changed by {0}", who);
    case "unknown":
      return nls.localize("patchbay/turns/unknown", "Changed while {0} worked; you typed in it, too", who);
  }
}

function reviewWords({ review }: TurnFile): string {
  if (review === "queued") return nls.localize("patchbay/turns/queued", "undo waits");
  return review === "partly" ? nls.localize("patchbay/turns/partly", "partly reviewed") : "";
}
