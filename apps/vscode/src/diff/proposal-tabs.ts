import { type FileStanding, type Logger, messageOf, PatchbayError } from "@patchbay/core";
import {
  type Tab,
  TabInputTerminal,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  TextEditorRevealType,
  type Uri,
  ViewColumn,
  window,
  workspace,
} from "vscode";
import type { Settings } from "../settings.ts";
import { proposalIdOf, proposalScheme } from "./proposal-uri.ts";

/** The proposal a tab shows: as a diff, or its right side alone. */
export function proposalIdOfTab(tab: Tab): string | undefined {
  const { input } = tab;
  if (input instanceof TabInputTextDiff) return proposalIdOf(input.modified);
  if (input instanceof TabInputText && input.uri.scheme === proposalScheme) return proposalIdOf(input.uri);
  return undefined;
}

/** The right side's URI of a tab that shows a proposal. */
function proposalUriOfTab(tab: Tab): Uri | undefined {
  const { input } = tab;
  if (input instanceof TabInputTextDiff && input.modified.scheme === proposalScheme) return input.modified;
  if (input instanceof TabInputText && input.uri.scheme === proposalScheme) return input.uri;
  return undefined;
}

/** Every tab, in every group, that shows a proposal: a split makes two of them. */
export function tabsOfProposal(id: string): readonly Tab[] {
  return tabsWhere((idOfTab) => idOfTab === id);
}

function allProposalTabs(): readonly Tab[] {
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

/** The editor of a document that can be seen, as one side of a diff too. */
export function editorOf(uri: Uri): TextEditor | undefined {
  const wanted = uri.toString();
  return window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
}

/** Puts another tab of a proposal, which `show` opens, in the place of one, at the same cursor and lines. */
export async function replaceTab(
  tab: Tab,
  { id, uri, title }: { readonly id: string; readonly uri: Uri; readonly title: string },
  show: () => Promise<void>,
): Promise<void> {
  const before = tab.isActive ? editorOf(uri) : undefined;
  const seen = before?.visibleRanges[0];
  const cursor = before?.selection;
  await show();
  // To close the only one would be a verdict.
  await waitForTab(id, ({ label }) => label === title);
  await window.tabGroups.close(tab, true);
  const after = editorOf(uri);
  if (after === undefined || cursor === undefined) return;
  after.selection = cursor;
  if (seen !== undefined) after.revealRange(seen, TextEditorRevealType.AtTop);
}

/** What a tab says of its review besides whose it is. */
export interface TitleFacts {
  readonly agentPresent: boolean;
  readonly standing: FileStanding;
}

/** What the user says about an edited proposal whose tab is gone without VS Code having asked. */
export type LeavingAnswer = "accept" | "reject" | "stay";

/** Whether a tab shows both sides. */
export function isDiffTab(tab: Tab): boolean {
  return tab.input instanceof TabInputTextDiff;
}

/** Tabs that show the right side alone, beside a diff of the same proposal. */
function loneTabsOf(id: string): readonly Tab[] {
  const tabs = tabsOfProposal(id);
  const lone = tabs.filter((tab) => !isDiffTab(tab));
  return lone.length < tabs.length ? lone : [];
}

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

/** After so long the user of a verdict may be anywhere, in ms. */
const staysFor = 2_000;

/**
 * Whether somebody who gives a verdict in a diff is likely still there when its tab closes. VS Code tells nobody where the
 * focus is, and hands it to the next tab even out of a terminal in which the user types by then.
 */
export function watchUser(): () => boolean {
  const terminal = window.activeTerminal;
  const until = Date.now() + staysFor;
  return () => window.activeTerminal === terminal && Date.now() < until;
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

/**
 * After a reload VS Code restores an unsaved right side in a tab of its own. Closing that would ask, as long as the
 * document is unsaved: so it is saved, which decides nothing.
 */
export async function closeLoneTabs(id: string, document: TextDocument): Promise<void> {
  const tabs = loneTabsOf(id);
  if (tabs.length === 0) return;
  if (document.isDirty) await document.save();
  await window.tabGroups.close(Array.from(tabs), true);
}

/**
 * Closes a tab that no proposal claims any more. Text that was typed into it is handed over in a new unsaved file: its
 * agent is gone, the user's work is not.
 */
async function closeStaleTab(tab: Tab, handOver: (text: string, likePath: string) => Promise<void>): Promise<void> {
  const document = documentOf(tab);
  if (document?.isDirty === true) {
    await handOver(document.getText(), document.uri.fsPath);
    // Saving takes the mark of an unsaved change away, so that closing asks nothing.
    await document.save();
  }
  await window.tabGroups.close(tab, true);
}

function documentOf(tab: Tab): TextDocument | undefined {
  const wanted = proposalUriOfTab(tab)?.toString();
  return workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}

export interface StaleTabsOptions {
  readonly restored: Promise<void>;
  readonly isOpen: (id: string) => boolean;
  readonly handOver: (text: string, likePath: string) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Closes tabs that no proposal claims: those of an earlier run, and those that "Reopen Closed Editor" brings back. One
 * call after the other, because each looks anew at what there is.
 */
export function createStaleTabs({ restored, isOpen, handOver, logger }: StaleTabsOptions): () => Promise<void> {
  let sweeping = Promise.resolve();
  const sweep = async (): Promise<void> => {
    await restored;
    for (const tab of allProposalTabs()) {
      if (!isOpen(proposalIdOfTab(tab) ?? "")) await closeStaleTab(tab, handOver);
    }
  };
  return async () => {
    sweeping = sweeping
      .then(sweep)
      .catch((error: unknown) =>
        logger.warn("A tab of an earlier review could not be closed", { reason: messageOf(error) }),
      );
    await sweeping;
  };
}

/** The extension host hears of a tab a little after the window has it, ms. */
const longestWait = 5_000;

/** Resolves when a tab, one of this kind, shows the proposal; rejects when VS Code did not open one. */
export async function waitForTab(id: string, isIt: (tab: Tab) => boolean = () => true): Promise<void> {
  const isThere = (): boolean => tabsOfProposal(id).some(isIt);
  if (isThere()) return;
  await new Promise<void>((resolve, reject) => {
    const subscription = window.tabGroups.onDidChangeTabs(() => {
      if (!isThere()) return;
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    });
    const timer = setTimeout(() => {
      subscription.dispose();
      reject(new PatchbayError("host-failed", "VS Code did not open the diff editor."));
    }, longestWait);
  });
}
