import { type Tab, TabInputText, TabInputTextDiff, type Uri, type ViewColumn, window } from "vscode";
import { proposalIdOf } from "./proposal-uri.ts";
import { proposalScheme } from "./schemes.ts";

/** The proposal a tab shows: as a diff, or its right side alone. */
export function proposalIdOfTab(tab: Tab): string | undefined {
  const { input } = tab;
  if (input instanceof TabInputTextDiff) return proposalIdOf(input.modified);
  if (input instanceof TabInputText && input.uri.scheme === proposalScheme) return proposalIdOf(input.uri);
  return undefined;
}

/** The right side's URI of a tab that shows a proposal. */
export function proposalUriOfTab(tab: Tab): Uri | undefined {
  const { input } = tab;
  if (input instanceof TabInputTextDiff && input.modified.scheme === proposalScheme) return input.modified;
  if (input instanceof TabInputText && input.uri.scheme === proposalScheme) return input.uri;
  return undefined;
}

/** Every tab, in every group, that shows a proposal: a split makes two of them. */
export function tabsOfProposal(id: string): readonly Tab[] {
  return tabsWhere((idOfTab) => idOfTab === id);
}

export function allProposalTabs(): readonly Tab[] {
  return tabsWhere((idOfTab) => idOfTab !== undefined);
}

/** How many tabs show each proposal, found in one pass. */
export function countProposalTabs(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const tab of allProposalTabs()) {
    const id = proposalIdOfTab(tab) ?? "";
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** VS Code makes its lists anew for whoever asks, so each is asked for once. */
function tabsWhere(holds: (proposalId: string | undefined) => boolean): readonly Tab[] {
  const found: Tab[] = [];
  for (const group of window.tabGroups.all)
    for (const tab of group.tabs) if (holds(proposalIdOfTab(tab))) found.push(tab);
  return found;
}

/** The proposal in the tab that the user is in. */
export function activeProposalId(): string | undefined {
  const tab = window.tabGroups.activeTabGroup.activeTab;
  return tab === undefined ? undefined : proposalIdOfTab(tab);
}

/** Whether the user has begun to edit the proposal that is in front in a group. */
export function isEditedProposalInFront(viewColumn: ViewColumn): boolean {
  const tab = window.tabGroups.all.find((group) => group.viewColumn === viewColumn)?.activeTab;
  return tab?.isDirty === true && proposalIdOfTab(tab) !== undefined;
}

/** Whether a tab shows both sides. */
export function isDiffTab(tab: Tab): boolean {
  return tab.input instanceof TabInputTextDiff;
}

/** Tabs that show the right side alone, beside a diff of the same proposal. */
export function loneTabsOf(id: string): readonly Tab[] {
  const tabs = tabsOfProposal(id);
  const lone = tabs.filter((tab) => !isDiffTab(tab));
  return lone.length < tabs.length ? lone : [];
}

/** Closes every tab of a proposal. One that has gone meanwhile is fine. */
export async function closeTabs(id: string, preserveFocus: boolean): Promise<void> {
  try {
    const tabs = tabsOfProposal(id);
    if (tabs.length > 0) await window.tabGroups.close(Array.from(tabs), preserveFocus);
  } catch (error) {
    if (tabsOfProposal(id).length > 0) throw error;
  }
}

/** After a reload a tab may be there already. Its URIs stay, also where the folders are others now. */
export function urisInUse(id: string): { readonly original?: Uri; readonly proposal?: Uri } {
  const tabs = tabsOfProposal(id);
  const [tab] = tabs;
  const proposal = tab === undefined ? undefined : proposalUriOfTab(tab);
  const input: unknown = tabs.find(isDiffTab)?.input;
  return {
    ...(proposal === undefined ? {} : { proposal }),
    ...(input instanceof TabInputTextDiff ? { original: input.original } : {}),
  };
}
