import { window } from "vscode";
import { PatchbayError } from "@patchbay/core";
import { tabsOfProposal } from "./proposal-tabs.ts";

/** The extension host hears of a tab a little after the window has it, ms. */
const longestWait = 5_000;

/** Resolves when a tab shows the proposal; rejects when VS Code did not open one. */
export async function waitForTab(id: string): Promise<void> {
  if (tabsOfProposal(id).length > 0) return;
  await new Promise<void>((resolve, reject) => {
    const subscription = window.tabGroups.onDidChangeTabs(() => {
      if (tabsOfProposal(id).length === 0) return;
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
