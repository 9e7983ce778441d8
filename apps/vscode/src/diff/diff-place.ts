import { TabInputTerminal, ViewColumn, window } from "vscode";
import type { Settings } from "../settings/settings.ts";

/** Where and how a new diff tab opens. */
export interface DiffPlace {
  readonly viewColumn: ViewColumn;
  /** Behind the tab that is in front. */
  readonly background: boolean;
}

/** The place the user's settings name; but a diff never covers a terminal that lives in an editor group. */
export function choosePlace(settings: Settings): DiffPlace {
  return { viewColumn: chooseColumn(settings.diffColumn), background: settings.openDiffs === "background" };
}

function chooseColumn(wanted: "active" | "beside"): ViewColumn {
  const { activeTabGroup, all } = window.tabGroups;
  const holdsTerminal = activeTabGroup.activeTab?.input instanceof TabInputTerminal;
  if (wanted === "active" && !holdsTerminal) return activeTabGroup.viewColumn;
  const other = all.find((group) => group !== activeTabGroup && !(group.activeTab?.input instanceof TabInputTerminal));
  return other?.viewColumn ?? ViewColumn.Beside;
}
