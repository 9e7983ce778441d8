import type { FolderLedgers, TurnFile, TurnInfo } from "@patchbay/turns";
import {
  type Disposable,
  scm,
  type SourceControl,
  type SourceControlResourceGroup,
  type SourceControlResourceState,
  ThemeIcon,
  Uri,
} from "vscode";
import type { Settings } from "../settings.ts";
import { l10n } from "@patchbay/languages/spoken";
import { shortened, shortPathOf, shownText } from "../surfaces/texts.ts";
import { type Ages, ages, type Coalesced, coalesced } from "../timers.ts";
import type { TurnDocuments } from "./turn-documents.ts";

/** More turns are not listed; older ones are in the ledger all the same. */
const mostTurns = 30;

/** More files of a turn are not listed one by one. */
const mostFiles = 500;

/** How often the list follows what happens at most, ms. */
const refreshSpan = 200;

/** How often the ages of turns are drawn anew, ms. */
const ageSpan = 60_000;

/** A row of the list. */
export interface FileRow extends SourceControlResourceState {
  readonly turnId: string;
  readonly path: string;
}

/** What of a turn is to be reviewed. */
export function undecidedFiles({ undoes, files }: TurnInfo): readonly TurnFile[] {
  return undoes === undefined ? files.filter(({ review }) => review !== "kept" && review !== "undone") : [];
}

/** "Agent Changes" in the source control view: a group for each turn that is not reviewed, and bars in the gutters of its files. */
export class ChangesView implements Disposable {
  readonly #ledgers: FolderLedgers;
  readonly #documents: TurnDocuments;
  readonly #settings: Settings;
  readonly #refresh: Coalesced;
  readonly #parts: readonly Disposable[];
  readonly #ages: Ages;
  #control: SourceControl | undefined;
  #groups: readonly { readonly id: string; readonly group: SourceControlResourceGroup }[] = [];

  constructor(ledgers: FolderLedgers, documents: TurnDocuments, settings: Settings) {
    this.#ledgers = ledgers;
    this.#documents = documents;
    this.#settings = settings;
    this.#refresh = coalesced(() => this.#draw(), refreshSpan);
    this.#ages = ages(
      () => this.#control !== undefined,
      () => this.#refresh.request(),
      ageSpan,
    );
    this.#parts = [
      this.#ages,
      this.#refresh,
      ledgers.onDidChange(() => this.#refresh.request()),
      settings.onDidChange(() => this.#refresh.request()),
    ];
    this.#refresh.request();
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
    this.#drop();
  }

  #draw(): void {
    const turns = this.#settings.agentChanges
      ? this.#ledgers.turns().filter((turn) => undecidedFiles(turn).length > 0)
      : [];
    if (turns.length === 0) {
      this.#drop();
      this.#ages.follow();
      return;
    }
    const control = (this.#control ??= this.#create());
    const listed = turns.slice(0, mostTurns);
    const isSame =
      listed.length === this.#groups.length && listed.every(({ id }, index) => this.#groups[index]?.id === id);
    if (!isSame) {
      // Groups stand in the order in which they were made, and the newest is to be the first.
      for (const { group } of this.#groups) group.dispose();
      this.#groups = listed.map((turn) => ({
        id: turn.id,
        group: control.createResourceGroup(turn.id, titleOf(turn)),
      }));
    }
    for (const [index, turn] of listed.entries()) {
      const group = this.#groups[index]?.group;
      if (group === undefined) continue;
      group.label = titleOf(turn);
      group.hideWhenEmpty = true;
      group.resourceStates = undecidedFiles(turn)
        .slice(0, mostFiles)
        .map((file) => this.#rowOf(turn, file));
    }
    this.#ages.follow();
    control.count = turns.reduce((count, turn) => count + undecidedFiles(turn).length, 0);
  }

  #create(): SourceControl {
    const control = scm.createSourceControl("patchbay", l10n.t("Agent Changes"));
    control.inputBox.visible = false;
    control.quickDiffProvider = {
      provideOriginalResource: (uri) => {
        if (uri.scheme !== "file") return undefined;
        const path = uri.fsPath;
        const turn = this.#ledgers
          .turns()
          .find((one) =>
            undecidedFiles(one).some(
              (file) => file.path === path && (file.kind === "changed" || file.kind === "created"),
            ),
          );
        return turn === undefined ? undefined : this.#documents.uriOf(turn, path, "before");
      },
    };
    return control;
  }

  #drop(): void {
    for (const { group } of this.#groups) group.dispose();
    this.#groups = [];
    this.#control?.dispose();
    this.#control = undefined;
  }

  #rowOf(turn: TurnInfo, file: TurnFile): FileRow {
    const { path, kind } = file;
    return {
      turnId: turn.id,
      path,
      resourceUri: Uri.file(path),
      contextValue: kind,
      command: {
        command: "patchbay.openTurnFile",
        title: l10n.t("Open Changes"),
        arguments: [{ turnId: turn.id, path }],
      },
      decorations: {
        strikeThrough: kind === "deleted",
        tooltip: shownText(
          [
            shortened(shortPathOf(path)),
            movesText(file),
            linesText(file),
            attributionText(turn, file),
            reviewText(file),
          ]
            .filter((part) => part !== "")
            .join("\n"),
        ),
        iconPath: new ThemeIcon(iconOf(file)),
      },
    };
  }
}

function iconOf({ kind, review, attribution, movedFrom }: TurnFile): string {
  if (review === "queued") return "history";
  if (attribution === "unknown") return "question";
  if (movedFrom !== undefined) return "diff-renamed";
  if (kind === "created") return "diff-added";
  return kind === "deleted" ? "diff-removed" : "diff-modified";
}

/** E.g. `Claude Code · Rename the class · +12 −3 · 5 min ago`. */
export function titleOf(turn: TurnInfo): string {
  const { agents, prompt, began, ended, border, git, isPartial } = turn;
  const added = undecidedFiles(turn).reduce((sum, { lines }) => sum + (lines?.added ?? 0), 0);
  const removed = undecidedFiles(turn).reduce((sum, { lines }) => sum + (lines?.removed ?? 0), 0);
  const parts = [
    agents.join(", "),
    prompt.length > 60 ? `${prompt.slice(0, 60)}…` : prompt,
    `+${added} −${removed}`,
    ended === undefined ? l10n.t("working") : ageText(Date.now() - began),
    border === "estimated" ? l10n.t("estimated") : "",
    git === undefined ? "" : l10n.t("changed in git: {0}", git.join(", ")),
    isPartial ? l10n.t("not all files were looked at") : "",
  ];
  return shownText(parts.filter((part) => part !== "").join(" · "));
}

function ageText(span: number): string {
  const minutes = Math.max(0, Math.floor(span / 60_000));
  if (minutes === 0) return l10n.t("just now");
  if (minutes < 60) return l10n.t("{0} min ago", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? l10n.t("{0} h ago", hours) : l10n.t("{0} days ago", Math.floor(hours / 24));
}

function movesText({ movedFrom }: TurnFile): string {
  return movedFrom === undefined ? "" : l10n.t("Renamed from {0}", shortened(shortPathOf(movedFrom)));
}

function linesText({ lines, kind, cannotUndo }: TurnFile): string {
  if (cannotUndo !== undefined) return l10n.t("No copy of it was kept: it cannot be undone here");
  if (kind === "mode") return l10n.t("Only its permissions changed");
  return lines === undefined ? "" : `+${lines.added} −${lines.removed}`;
}

function attributionText({ agents }: TurnInfo, { attribution }: TurnFile): string {
  const who = agents.join(", ");
  switch (attribution) {
    case "exact":
      return l10n.t("Changed by {0}", who);
    case "likely":
      return l10n.t("Likely changed by {0}", who);
    case "unknown":
      return l10n.t("Changed while {0} worked; you typed in it, too", who);
  }
}

function reviewText({ review }: TurnFile): string {
  if (review === "queued") return l10n.t("Will be undone when the agent has finished");
  return review === "partly" ? l10n.t("Partly reviewed") : "";
}
