import { type Command, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri } from "vscode";
import { shownText } from "./texts.ts";

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
