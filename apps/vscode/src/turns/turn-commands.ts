import type * as turns from "@patchbay/turns";
import type { FolderLedgers, TurnHunk, TurnInfo, UndoRequest, UndoResult } from "@patchbay/turns";
import { commands, type Disposable, Uri } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { askForText, choose, inform, note, warn } from "../surfaces/messages.ts";
import { fileNameOf, shownText } from "../surfaces/texts.ts";
import type * as view from "./changes-view.ts";
import type { TurnDocuments } from "./turn-documents.ts";

/** What a command is about. */
interface Target {
  readonly turn: TurnInfo;
  readonly path: string | undefined;
}

/** As VS Code's peek names a change: lines from 1, an end of 0 where there are none. */
interface PeekedChange {
  readonly originalStartLineNumber: number;
  readonly originalEndLineNumber: number;
}

export interface TurnCommandServices extends Pick<typeof view, "titleOf" | "undecidedFiles"> {
  readonly ledgers: FolderLedgers;
  readonly documents: TurnDocuments;
  readonly changedHunks: typeof turns.changedHunks;
}

/** Keep, undo and show: of a turn or a file in the list, of a change in the peek, or of a turn that is chosen from a list. */
export function registerTurnCommands(services: TurnCommandServices): Disposable[] {
  const { ledgers, documents, changedHunks, titleOf, undecidedFiles } = services;
  const targetOf = async (argument: unknown): Promise<Target | undefined> => {
    const turns = ledgers.turns();
    const named = turns.find(({ id }) => id === textAt(argument, "turnId") || id === textAt(argument, "id"));
    if (named !== undefined) return { turn: named, path: textAt(argument, "path") };
    const open = turns.filter((turn) => undecidedFiles(turn).length > 0);
    if (open.length === 0) {
      void inform(l10n.t("No changes by agents are waiting for review."));
      return undefined;
    }
    const items = open.map((turn) => ({ label: titleOf(turn), turn }));
    const chosen = items.length === 1 ? items[0] : await choose(items, l10n.t("Which turn?"));
    return chosen === undefined ? undefined : { turn: chosen.turn, path: undefined };
  };

  const undo = async (turn: TurnInfo, request: UndoRequest): Promise<void> => {
    const result = await ledgers.undo(turn.id, request);
    const undoNow = l10n.t("Undo Now");
    const { waiting } = result;
    if (waiting !== undefined) {
      const text = l10n.t("{0} is working. This is undone when it has finished.", turn.agents.join(", "));
      void inform(text, undoNow).then(async (answer) => {
        if (answer === undoNow) await undoWaiting(turn.id, waiting);
      });
      return;
    }
    // The message stays until it is answered, and nothing waits for that.
    void tell(result);
  };

  const undoWaiting = async (turnId: string, waiting: UndoRequest): Promise<void> => {
    const done = await ledgers.undoWaiting(turnId, waiting);
    if (done === undefined) void inform(l10n.t("The agent has finished, and this was carried out already."));
    else await tell(done);
  };

  const tell = async ({ files, turn }: UndoResult): Promise<void> => {
    const names = (...outcomes: readonly string[]): string =>
      files
        .filter(({ outcome }) => outcomes.includes(outcome))
        .map(({ path }) => fileNameOf(path))
        .slice(0, 5)
        .join(", ");
    const conflicts = files.reduce((count, file) => count + file.conflicts, 0);
    const [unknown, failed, unsure] = [names("unknown"), names("failed", "stale"), names("unsure")];
    if (conflicts > 0) {
      const text = l10n.t(
        "{0} of the changes were changed again since and left alone: {1}",
        conflicts,
        names("partly", "conflict"),
      );
      void warn(text);
    }
    if (unknown !== "")
      void warn(l10n.t("The earlier content of these files is not known, so they stay as they are: {0}", unknown));
    if (failed !== "") void warn(l10n.t("Could not be undone, and stays as it is: {0}", failed));
    if (unsure !== "")
      void inform(
        l10n.t(
          "These may be your own changes, so they stay. Undo a file by itself if the agent changed it: {0}",
          unsure,
        ),
      );
    if (turn === undefined) return;
    const bringBack = l10n.t("Bring Back");
    const told = l10n.t("Undone. The agent is told with your next prompt.");
    if ((await inform(ledgers.isToHear(turn) ? told : l10n.t("Undone."), bringBack)) === bringBack) {
      await tell(await ledgers.undo(turn, { now: true }));
    }
  };

  const withReason = async (turn: TurnInfo, request: UndoRequest): Promise<void> => {
    const given = await askForText({
      title: l10n.t("Undo What {0} Did", turn.agents.join(", ")),
      placeholder: l10n.t("Why? (optional)"),
      prompt: l10n.t("An agent with a hook reads your text along with your next prompt."),
    });
    if (given === undefined) return;
    await undo(turn, given.trim() === "" ? request : { ...request, reason: given.trim() });
  };

  /** The agent's hunks at a change of the peek, the last one first: those above stay where they are. */
  const peeked = async (
    uri: unknown,
    changes: unknown,
    index: unknown,
  ): Promise<{ turn: TurnInfo; path: string; hunks: TurnHunk[] } | undefined> => {
    const path = uri instanceof Uri ? uri.fsPath : undefined;
    const change = Array.isArray(changes) && typeof index === "number" ? asChange(changes[index]) : undefined;
    const turn = ledgers.turns().find((one) => undecidedFiles(one).some((file) => file.path === path));
    if (path === undefined || change === undefined || turn === undefined) return undefined;
    const before = (await ledgers.beforeText(turn.id, path)) ?? "";
    const after = (await ledgers.afterText(turn.id, path)) ?? "";
    const isEmpty = change.originalEndLineNumber === 0;
    const start = isEmpty ? change.originalStartLineNumber : change.originalStartLineNumber - 1;
    const end = isEmpty ? start : change.originalEndLineNumber;
    const hunks = changedHunks(before, after)
      .filter(({ beforeStart, beforeEnd }) => beforeStart <= end && start <= beforeEnd)
      .filter(
        ({ beforeStart, beforeEnd }) =>
          isEmpty || beforeStart === beforeEnd || (beforeStart < end && start < beforeEnd),
      )
      .map(({ afterStart, afterEnd }) => ({ start: afterStart, end: afterEnd }));
    if (hunks.length === 0) {
      void inform(l10n.t("The agent did not change these lines."));
      return undefined;
    }
    return { turn, path, hunks: hunks.reverse() };
  };

  const show = async ({ turn }: Target): Promise<void> => {
    const files = undecidedFiles(turn).map(({ path, kind }) => [
      Uri.file(path),
      kind === "created" ? undefined : documents.uriOf(turn, path, "before"),
      kind === "deleted" ? undefined : Uri.file(path),
    ]);
    await commands.executeCommand("vscode.changes", titleOf(turn), files);
  };

  const open = async ({ turn, path }: Target): Promise<void> => {
    const file = turn.files.find((one) => one.path === path);
    if (file === undefined) return;
    const { kind } = file;
    const before = documents.uriOf(turn, file.path, "before");
    if (kind === "deleted") await commands.executeCommand("vscode.open", before);
    else if (kind === "changed") {
      const title = l10n.t("{0} (since the turn of {1})", fileNameOf(file.path), turn.agents.join(", "));
      await commands.executeCommand("vscode.diff", before, Uri.file(file.path), shownText(title));
    } else await commands.executeCommand("vscode.open", Uri.file(file.path));
  };

  const on = (name: string, action: (target: Target) => Promise<void>): Disposable =>
    commands.registerCommand(`patchbay.${name}`, async (argument?: unknown) => {
      const target = await targetOf(argument);
      if (target !== undefined) await action(target);
    });

  const requestOf = ({ path }: Target): UndoRequest => (path === undefined ? {} : { path });
  return [
    on("keepTurn", async (target) => {
      await ledgers.keep(target.turn.id, target.path);
      note(l10n.t("Kept."), 3_000);
    }),
    on("undoTurn", async (target) => await undo(target.turn, requestOf(target))),
    on("undoTurnWithReason", async (target) => await withReason(target.turn, requestOf(target))),
    on("showTurn", show),
    on("openTurnFile", open),
    commands.registerCommand("patchbay.keepChange", async (...given: readonly unknown[]) => {
      const found = await peeked(given[0], given[1], given[2]);
      for (const hunk of found?.hunks ?? [])
        if (found !== undefined) await ledgers.keep(found.turn.id, found.path, hunk);
    }),
    commands.registerCommand("patchbay.undoChange", async (...given: readonly unknown[]) => {
      const found = await peeked(given[0], given[1], given[2]);
      for (const hunk of found?.hunks ?? [])
        if (found !== undefined) await undo(found.turn, { path: found.path, hunk });
    }),
    commands.registerCommand("patchbay.bringBack", async () => {
      const undone = ledgers.lastUndo();
      if (undone === undefined) void inform(l10n.t("There is nothing to bring back."));
      else await tell(await ledgers.undo(undone.id, { now: true }));
    }),
  ];
}

function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === "string" ? found : undefined;
}

function asChange(value: unknown): PeekedChange | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("originalStartLineNumber" in value) || !("originalEndLineNumber" in value)) return undefined;
  const { originalStartLineNumber, originalEndLineNumber } = value;
  if (typeof originalStartLineNumber !== "number" || typeof originalEndLineNumber !== "number") return undefined;
  return { originalStartLineNumber, originalEndLineNumber };
}
