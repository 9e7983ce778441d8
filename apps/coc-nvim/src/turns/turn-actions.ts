import { basename } from "node:path";
import {
  type FolderLedgers,
  selectedHunks,
  partsOf,
  type TurnFile,
  type TurnInfo,
  undecidedFiles,
  type UndoRequest,
  type UndoResult,
} from "@patchbay/turns";
import { l10n } from "@patchbay/languages/spoken";
import { toBufferText } from "../diff/buffer-reader.ts";
import { ageOf, shortPath } from "../diff/review-names.ts";
import { sendLines } from "../vim/long-text.ts";
import { asList, asNumber, asText, plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import type { TurnSigns } from "./turn-signs.ts";

export interface TurnServices {
  readonly changes: {
    readonly ledgers: FolderLedgers;
    readonly signs: Pick<TurnSigns, "hunks">;
  };
  readonly vim: Pick<Vim, "call">;
  readonly choose: (lines: readonly string[], title: string) => Promise<string | undefined>;
  readonly folders: () => readonly string[];
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A line of `:CocList patchbayTurns`: a turn, or a file of the one above. */
export interface TurnRow {
  readonly label: string;
  readonly data: string;
}

/** More turns, and files of a turn, are not listed. */
const [mostTurns, mostFiles] = [30, 500];

/** Of a turn so many files are opened at once. */
const mostOpened = 20;

const noChange = (): string => l10n.t("No change by an agent is waiting for review here.");

/** The turns with what is to be reviewed of them, newest first. */
export function turnRows({ changes, folders, now }: TurnServices): readonly TurnRow[] {
  const turns = changes.ledgers.turns().filter((turn) => undecidedFiles(turn).length > 0);
  return turns.slice(0, mostTurns).flatMap((turn) => [
    { label: turnLabel(turn, now()), data: turn.id },
    ...undecidedFiles(turn)
      .slice(0, mostFiles)
      .map((file) => ({ label: fileLabel(file, folders()), data: `${turn.id}\n${file.path}` })),
  ]);
}

/** E.g. `Claude Code: Rename the class  +12 -3  5 min`. */
export function turnLabel(turn: TurnInfo, now: number): string {
  const files = undecidedFiles(turn);
  const sum = (side: "added" | "removed"): number => files.reduce((all, { lines }) => all + (lines?.[side] ?? 0), 0);
  const prompt = turn.prompt.length > 60 ? `${turn.prompt.slice(0, 60)}…` : turn.prompt;
  const parts = [
    prompt === "" ? turn.agents.join(", ") : `${turn.agents.join(", ")}: ${prompt}`,
    `+${sum("added")} -${sum("removed")}`,
    turn.ended === undefined ? `[${l10n.t("working")}]` : ageOf(now - turn.began),
    turn.border === "estimated" ? `[${l10n.t("estimated")}]` : "",
    turn.git === undefined ? "" : `[${l10n.t("changed in git: {0}", turn.git.join(", "))}]`,
    turn.isPartial ? `[${l10n.t("not all files were looked at")}]` : "",
  ];
  return plainLine(parts.filter((part) => part !== "").join("  "));
}

const letters: Readonly<Record<TurnFile["kind"], string>> = {
  created: "A",
  changed: "M",
  deleted: "D",
  mode: "M",
  link: "M",
  binary: "M",
  large: "M",
};

function fileLabel(
  { path, kind, lines, attribution, review, cannotUndo, movedFrom }: TurnFile,
  folders: readonly string[],
): string {
  const marks = [
    ...(movedFrom === undefined ? [] : [l10n.t("renamed from {0}", shortPath(movedFrom, folders))]),
    ...(kind === "mode" ? [l10n.t("only its permissions")] : []),
    ...(kind === "binary" || kind === "large" ? [l10n.t("no text of it is kept")] : []),
    ...(cannotUndo === undefined ? [] : [l10n.t("cannot be undone")]),
    ...(attribution === "likely" ? [l10n.t("likely")] : []),
    ...(attribution === "unknown" ? [l10n.t("you typed in it, too")] : []),
    ...(review === "queued" ? [l10n.t("undone when the agent has finished")] : []),
    ...(review === "partly" ? [l10n.t("partly reviewed")] : []),
  ];
  const count = lines === undefined ? "" : `  +${lines.added} -${lines.removed}`;
  const about = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return plainLine(`    ${movedFrom === undefined ? letters[kind] : "R"} ${shortPath(path, folders)}${count}${about}`);
}

/** An action of the list on one of its lines. The sentence is for the user. */
export async function actOnTurn(
  services: TurnServices,
  name: string,
  data: string,
  listed: readonly string[],
): Promise<string | undefined> {
  const { changes, choose } = services;
  const { ledgers } = changes;
  const [id = "", path] = data.split("\n");
  const turn = ledgers.turns().find((one) => one.id === id);
  if (turn === undefined) return l10n.t("This turn is no longer listed.");
  const request: UndoRequest = path === undefined ? {} : { path };
  switch (name) {
    case "open":
      return await openTurn(services, turn, path);
    case "keep":
      return (await ledgers.keep(id, path)) ? l10n.t("Kept.") : l10n.t("There is nothing to keep.");
    case "undo":
      return await undoAndTell(services, turn, request);
    case "undoNow":
      return await undoAndTell(services, turn, { ...request, now: true });
    case "keepAll":
    case "undoAll": {
      const all = ledgers.turns().filter((one) => listed.includes(one.id) && undecidedFiles(one).length > 0);
      const yes = allWords(name, all.length);
      if ((await choose([yes, l10n.t("Change nothing")], `${yes}?`)) !== yes) return undefined;
      if (name === "keepAll") {
        for (const one of all) await ledgers.keep(one.id);
        return l10n.t("Kept.");
      }
      const said: (string | undefined)[] = [];
      // The newest first: what an older one changed then stands as it left it.
      for (const one of all) said.push(await undoAndTell(services, one, {}));
      return [...new Set(said)].filter((text) => text !== undefined).join(" ");
    }
    default:
      return undefined;
  }
}

function allWords(name: "keepAll" | "undoAll", count: number): string {
  if (name === "keepAll") return count === 1 ? l10n.t("Keep this turn") : l10n.t("Keep all {0} turns", count);
  return count === 1 ? l10n.t("Undo this turn") : l10n.t("Undo all {0} turns", count);
}

async function openTurn(services: TurnServices, turn: TurnInfo, path: string | undefined): Promise<string | undefined> {
  const files = path === undefined ? undecidedFiles(turn) : turn.files.filter((file) => file.path === path);
  for (const file of files.slice(0, mostOpened)) await openFile(services, turn, file);
  if (files.length > mostOpened) return l10n.t("Opened {0} of {1} files.", mostOpened, files.length);
  return undefined;
}

/** The file as it was before the turn, beside the file as it is. */
async function openFile({ changes, vim }: TurnServices, turn: TurnInfo, { path, kind }: TurnFile): Promise<void> {
  const before = kind === "changed" || kind === "deleted" ? await changes.ledgers.beforeText(turn.id, path) : undefined;
  const text = before === undefined ? undefined : toBufferText(before.replace(/^\uFEFF/u, ""));
  const name = `patchbay://${turn.id.slice(-6)}/before ${plainLine(turn.agents.join(", "))}: ${plainLine(basename(path))}`;
  const lines = text === undefined ? {} : await sendLines(vim, "turn", text.lines);
  await vim.call("patchbay#turns#open", [
    { path, name, isGone: kind === "deleted" ? 1 : 0, hasBefore: text === undefined ? 0 : 1, ...lines },
  ]);
}

/**
 * `patchbay.keepChange` and `patchbay.undoChange`: what agents changed in lines of a file that is open. Given are the file, the first and
 * the last line, and for an undo what the agent is told and whether it is done while the agent works.
 */
export async function decideLines(
  services: TurnServices,
  verdict: "keep" | "undo",
  given: readonly unknown[],
): Promise<string> {
  const { changes, vim } = services;
  const place = given.length > 0 ? given : asList(await vim.call("patchbay#turns#place"));
  const [path, first, last] = [asText(place[0]), asNumber(place[1]), asNumber(place[2])];
  const [reason, now] = [asText(place[3]).trim(), place[4] === 1];
  const hunks = selectedHunks((await changes.signs.hunks(path)) ?? [], first, last);
  if (hunks.length === 0) return noChange();
  const said = new Set<string>();
  for (const { turn, part } of partsOf(path, hunks)) {
    if (verdict === "keep") {
      await changes.ledgers.keep(turn.id, path, part.hunk);
      said.add(l10n.t("Kept."));
      continue;
    }
    const text = await undoAndTell(services, turn, { ...part, now, ...(reason === "" ? {} : { reason }) });
    if (text !== undefined) said.add(text);
  }
  return [...said].join(" ");
}

/** Of a change so many lines are shown. */
const mostPeeked = 200;

/** `patchbay.showChange`: the lines that an agent changed, as they were and as they are, in a popup at the cursor. */
export async function showLines(services: TurnServices, given: readonly unknown[]): Promise<string | undefined> {
  const { changes, vim } = services;
  const place = given.length > 0 ? given : asList(await vim.call("patchbay#turns#place"));
  const [path, first, last] = [asText(place[0]), asNumber(place[1]), asNumber(place[2])];
  const all = ((await changes.signs.hunks(path)) ?? []).toSorted((one, other) => one.start - other.start);
  const texts = new Map<string, Promise<readonly (readonly string[])[]>>();
  const linesOf = async (text: Promise<string | undefined>): Promise<readonly string[]> =>
    toBufferText(((await text) ?? "").replace(/^\uFEFF/u, "")).lines;
  const lines: string[] = [];
  for (const hunk of selectedHunks(all, first, last, false)) {
    const { turn, before, hunk: after } = hunk;
    const { ledgers } = changes;
    const read =
      texts.get(turn.id) ??
      Promise.all([linesOf(ledgers.beforeText(turn.id, path)), linesOf(ledgers.afterText(turn.id, path))]);
    texts.set(turn.id, read);
    const [old = [], now = []] = await read;
    const prompt = turn.prompt === "" ? "" : `: ${turn.prompt.slice(0, 60)}`;
    lines.push(
      plainLine(`${turn.agents.join(", ")}${prompt}  ${l10n.t("{0} of {1}", all.indexOf(hunk) + 1, all.length)}`),
      ...old.slice(before.start, before.end).map((line) => `-${line}`),
      ...now.slice(after.start, after.end).map((line) => `+${line}`),
    );
  }
  if (lines.length === 0) return noChange();
  const shown =
    lines.length > mostPeeked
      ? [...lines.slice(0, mostPeeked), `… ${l10n.t("{0} more lines", lines.length - mostPeeked)}`]
      : lines;
  await vim.call("patchbay#turns#peek", [shown]);
  return undefined;
}

/** `patchbay.bringBack`: the last undo, undone. */
export async function bringBack(services: TurnServices): Promise<string | undefined> {
  const undone = services.changes.ledgers.lastUndo();
  if (undone === undefined) return l10n.t("There is nothing to bring back.");
  return await undoAndTell(services, undone, { now: true });
}

async function undoAndTell(
  { changes }: TurnServices,
  turn: TurnInfo,
  request: UndoRequest,
): Promise<string | undefined> {
  const { files, turn: entry, waiting } = await changes.ledgers.undo(turn.id, request);
  if (waiting !== undefined) {
    return l10n.t(
      "{0} is working: undone when it has finished. :Patchbay undo now does not wait.",
      turn.agents.join(", "),
    );
  }
  const said = problemsOf(files);
  if (entry !== undefined) {
    const isHeard = changes.ledgers.isToHear(entry);
    if (turn.undoes !== undefined) {
      said.unshift(
        isHeard ? l10n.t("Brought back; the agent reads about it with your next prompt.") : l10n.t("Brought back."),
      );
    } else {
      said.unshift(isHeard ? l10n.t("Undone; the agent reads about it with your next prompt.") : l10n.t("Undone."));
    }
  }
  return said.length === 0 ? l10n.t("Nothing was changed.") : said.join(" ");
}

function problemsOf(files: UndoResult["files"]): string[] {
  const names = (...outcomes: readonly string[]): string =>
    files
      .filter(({ outcome }) => outcomes.includes(outcome))
      .map(({ path }) => plainLine(basename(path)))
      .slice(0, 5)
      .join(", ");
  const conflicts = files.reduce((count, file) => count + file.conflicts, 0);
  const [unknown, failed, unsure] = [names("unknown"), names("failed", "stale"), names("unsure")];
  return [
    ...(conflicts > 0
      ? [
          l10n.t(
            "Changed again since, and left alone: {0} of the changes, in {1}.",
            conflicts,
            names("partly", "conflict"),
          ),
        ]
      : []),
    ...(unknown === "" ? [] : [l10n.t("Left as it is, since its earlier content is not known: {0}.", unknown)]),
    ...(failed === "" ? [] : [l10n.t("Could not be undone, and stays as it is: {0}.", failed)]),
    ...(unsure === ""
      ? []
      : [
          l10n.t(
            "These may be your own changes, so they stay. Undo a file by itself if the agent changed it: {0}",
            unsure,
          ),
        ]),
  ];
}
