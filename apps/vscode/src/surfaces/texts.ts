import { basename } from "node:path";
import { type Command, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri, workspace } from "vscode";

/**
 * What is done to a text before a person sees it. Names of files, what an agent calls itself and what a setting holds are
 * anybody's words: a cloned repository is enough. Where VS Code reads more than plain text, they must stay plain text, and
 * what is shown must be what is there.
 */

/**
 * Characters that show nothing, or change how others are shown. Joiners stay, and a single variation
 * selector: scripts and emoji need them. Text can be hidden in a row of selectors.
 */
const unseen =
  /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu;

/** Invisible and without a width: keeps two characters from being read as one mark. */
const joiner = "\u2060";

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function spelled(character: string): string {
  return named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Most texts: V8 forgets what it has made of the expression above after a while, and to make it anew takes a millisecond. */
const plain = /^[ -~]*$/;

/** The text with everything that cannot be seen spelled out. */
function visible(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(unseen, spelled);
}

/**
 * For everything that is shown: notifications, in which VS Code makes `[text](command:…)` a link that runs the command,
 * labels, in which it draws `$(name)` as an icon, and tooltips and titles, which are plain text in the versions we know.
 */
export function shownText(text: string): string {
  return visible(text).replaceAll("](", `]${joiner}(`).replaceAll("$(", `$${joiner}(`);
}

/** For Markdown: every mark that could mean something there is escaped. */
export function markdownText(text: string): string {
  return visible(text).replace(/[!-/:-@[-`{-~]/gu, String.raw`\$&`);
}

/** For a line typed into a terminal; undefined where it would be more than a line, or keys. */
export function terminalText(text: string): string | undefined {
  return visible(text) === text ? text : undefined;
}

/** Longest path that a message shows, UTF-16 units: VS Code cuts messages off, and their question stands at the end. */
const longestShown = 200;

/** A path or name with its middle left out where it is very long. */
export function shortened(text: string): string {
  if (text.length <= longestShown) return text;
  const half = longestShown / 2;
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** The last part of a path, to be shown. */
export function fileNameOf(path: string): string {
  return shortened(basename(path));
}

/** A path as people know it: relative to its workspace folder where it is in one. */
export function shortPathOf(path: string): string {
  return workspace.asRelativePath(path);
}

/** A row of one of the views. */
export interface Row {
  readonly label: string;
  readonly description?: string;
  /** Lines shown on hover. */
  readonly tooltip?: readonly string[];
  /** What a screen reader says, where label and description read badly. */
  readonly spoken?: string;
  /** Name of an icon, or the file whose kind of icon is shown. */
  readonly icon: string | Uri;
  readonly expanded?: boolean;
  readonly id?: string;
  readonly contextValue?: string;
  readonly command?: Command;
}

/** The only place that makes rows of views, so that no text comes to a person as it is. */
export function createRow(row: Row): TreeItem {
  const state = row.expanded === true ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
  const { icon } = row;
  const item = typeof icon === "string" ? new TreeItem("", state) : new TreeItem(icon, state);
  item.label = shownText(row.label);
  item.iconPath = typeof icon === "string" ? new ThemeIcon(icon) : ThemeIcon.File;
  if (row.description !== undefined) item.description = shownText(row.description);
  // As text and not as Markdown, which could load pictures and run commands.
  if (row.tooltip !== undefined) item.tooltip = row.tooltip.map(shownText).join("\n");
  if (row.spoken !== undefined) item.accessibilityInformation = { label: shownText(row.spoken) };
  if (row.id !== undefined) item.id = row.id;
  if (row.contextValue !== undefined) item.contextValue = row.contextValue;
  if (row.command !== undefined) item.command = row.command;
  return item;
}
