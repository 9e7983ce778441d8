import type { CommandQuestion, KeptText, ProposalInfo } from "@patchbay/core";
import type { Presence } from "@patchbay/core/presences";
import { nls } from "@theia/core/lib/common/nls";
import type { ListedTurn, WindowStatus } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";

/** The view as Theia's layout knows it. */
export const inboxWidgetId = "patchbay-review";

/** True where the keys go to the view. */
export const inboxFocusKey = "patchbayReviewFocus";

/** Of what was wanted of a row. */
export const couldNotBeDone: string = nls.localize(
  "patchbay/inbox/failed",
  "This could not be done. Patchbay: Show Log may say why. Try again.",
);

/** What can be done with a row. */
export type InboxAction =
  | "open"
  | "accept"
  | "reject"
  | "showAll"
  | "acceptAll"
  | "rejectAll"
  | "hold"
  | "terminal"
  | "keep"
  | "undo"
  | "save"
  | "copy"
  | "discard";

/** The command that does an action with the selected row: for keys, and for what the buttons say of them. */
export function commandOf(action: InboxAction): string {
  return `patchbay.theia.${action}InView`;
}

/** How much a row wants to be seen. */
export type InboxTone = "problem" | "attention" | "quiet";

/** What a row stands for. */
export type InboxSubject =
  | { readonly kind: "presence"; readonly presence: Presence | undefined }
  | { readonly kind: "folder" }
  | { readonly kind: "proposal"; readonly proposal: ProposalInfo; readonly presence: Presence | undefined }
  | { readonly kind: "command"; readonly command: CommandQuestion }
  /** All of a turn, or one file of it. */
  | { readonly kind: "turn"; readonly turn: ListedTurn; readonly path: string | undefined }
  | { readonly kind: "kept"; readonly text: KeptText };

/** A line of the view, in words. Every text in it is safe to be shown as it is. */
export interface InboxRow {
  /** The same for the same thing over all changes of it. */
  readonly id: string;
  readonly subject: InboxSubject;
  /** Name of an icon. */
  readonly icon: string;
  readonly tone: InboxTone;
  readonly label: string;
  /** What it waits for, which stands before everything else that is said of it. */
  readonly state: string;
  readonly facts: readonly string[];
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  readonly tooltip: string;
  readonly actions: readonly InboxAction[];
  readonly children: readonly InboxRow[];
}

export interface InboxSurroundings {
  /** The folders of the window: paths are shown as seen from there. */
  readonly roots: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
  /** What waits is shown by folder, whoever asks. */
  readonly isByFolder?: boolean;
}

/** How many things wait for the user. */
export function waitingCount({ proposals, commands }: Pick<WindowStatus, "proposals" | "commands">): number {
  return proposals.filter(({ state }) => state !== "kept").length + commands.all.length;
}

/** All rows in the order in which they stand, with those below them. */
export function allRows(rows: readonly InboxRow[]): readonly InboxRow[] {
  return rows.flatMap((row) => [row, ...allRows(row.children)]);
}

/** With others: what the user has set aside is decided by itself. */
export function isDecidable({ state, isHeld }: Pick<ProposalInfo, "state" | "isHeld">): boolean {
  return state !== "kept" && !isHeld;
}

/** The proposals among these rows and below them that can be decided together, by id: what is held is decided by itself. */
export function decidableIds(rows: readonly InboxRow[]): readonly string[] {
  return allRows(rows).flatMap(({ subject, actions }) =>
    subject.kind === "proposal" && !subject.proposal.isHeld && actions.includes("reject") ? subject.proposal.id : [],
  );
}

/** A folder as the user knows it: from the root of the workspace where it is in one. */
export function folderIn(folder: string, roots: readonly string[]): string {
  const root = roots.find((one) => folder === one || folder.startsWith(`${one}/`));
  return visibleText(root === undefined ? folder : folder.slice(root.length + 1));
}

const minuteMs = 60_000;

/** How long ago something was, in one short word. */
export function ageWords(since: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - since) / minuteMs));
  if (minutes < 1) return nls.localize("patchbay/age/now", "now");
  if (minutes < 60) return nls.localize("patchbay/age/minutes", "{0} min", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? nls.localize("patchbay/age/hours", "{0} h", hours)
    : nls.localize("patchbay/age/days", "{0} d", Math.floor(hours / 24));
}
