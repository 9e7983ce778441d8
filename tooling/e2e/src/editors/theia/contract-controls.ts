import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import type { DiffControls, EditorHostControls } from "@patchbay/testkit";
import { AttachedWindow } from "../../../../../apps/theia/src/node/attached-window.ts";
import { WorkspaceHost } from "../../../../../apps/theia/src/node/workspace-host.ts";
import { poll } from "../../support/poll.ts";
import type { EditorTerminal } from "../editor-driver.ts";
import type { PageWindow } from "./page-window.ts";
import type { TheiaWorkbench } from "./workbench.ts";

/** Longer than the frontend gathers changes and drafts, in milliseconds. */
const settled = 500;

export interface ContractStage {
  readonly workbench: TheiaWorkbench;
  readonly window: PageWindow;
  readonly terminal: EditorTerminal;
  /** The folder the window is open on. */
  readonly workspace: string;
}

/** The user's hands in a real Theia, for one test of the contract: a backend's host of its own on the one window. */
export async function createContractControls(stage: ContractStage): Promise<EditorHostControls> {
  const { workbench, window, terminal } = stage;
  const { page } = workbench;
  // Its name holds a proposal's id: where one is looked for by a part of a path, a file is found instead.
  const folder = await mkdtemp(join(stage.workspace, "contract-1-"));
  const host = new WorkspaceHost({
    identity: { name: "theia", displayName: "Theia", version: "0.0.0", pids: [process.pid] },
    folders: [folder],
    storageDirectory: undefined,
    encodings: { detect: async () => undefined, decode: (bytes, encoding) => new TextDecoder(encoding).decode(bytes) },
    clock: createNodePlatform().clock,
    logger: nullLogger,
  });
  const facts = {
    windowId: "contract",
    application: "Theia",
    workspace: folder,
    roots: [folder],
    trusted: true,
    settings: {
      exclude: [],
      shareSelection: true,
      reviews: {},
      openReviews: "always",
      sharing: true,
      agentChanges: true,
    } as const,
    shown: [],
  };
  const attached = new AttachedWindow(window, facts);
  host.windows.join(attached);
  window.serve({
    notifyContext: (context) => host.windows.updateContext(attached, context),
    notifyUnsaved: (path) => host.unsavedChanged(path),
    notifyDraft: (id, text) => host.diffs.find(id)?.drafted(text),
    decide: async (id, verdict) => {
      host.diffs.find(id)?.decide(verdict);
      return true;
    },
  });
  const dialogsBefore = window.dialogs;
  /** What the user does meanwhile; each to its end before the test is over, so that none reaches into the next. */
  const hands: Promise<unknown>[] = [];
  const meanwhile = (hand: Promise<void>): void => void hands.push(hand.catch((error: unknown) => error));
  await window.control("refresh");
  const settle = (): Promise<void> => page.waitForTimeout(settled);
  const openDocument = (path: string): Promise<void> => window.openDocument({ path, preview: false, focus: true });
  return {
    host,
    folder,
    writeDisk: (path, text) => writeFile(path, text),
    readDisk: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    openFile: openDocument,
    focusFile: openDocument,
    closeFile: (path) => window.control("closeFile", path),
    setCursor: (position) => window.control("setCursor", position),
    select: (range) => window.control("select", range),
    makeDirty: async (path, text) => {
      await window.control("makeDirty", path, text);
      await settle();
    },
    focusTerminal: () => terminal.focus(),
    focusedElement: () => window.control<string>("focused"),
    questionsAsked: () => window.dialogs - dialogsBefore,
    failNextOpen: () => void window.control("failNextOpen"),
    diff: (id) => diffControls(stage, id),
    settle,
    answerNextMessage: (action) => {
      meanwhile(action === undefined ? workbench.closeNotification() : workbench.answerNotification(action));
    },
    messagesSeen: () => workbench.notificationTexts(),
    dispose: async () => {
      const failed = (await Promise.all(hands)).find((error) => error !== undefined);
      window.serve(undefined);
      attached.leave();
      await window.control("closeEverything");
      await rm(folder, { recursive: true, force: true });
      if (failed !== undefined) throw failed;
    },
  };
}

function diffControls({ workbench, window }: ContractStage, id: string): DiffControls {
  const isShown = (): Promise<boolean> => window.control<boolean>("isShown", id);
  const press = async (word: string): Promise<void> => {
    if (!(await isShown())) return;
    await window.control("reveal", id);
    await workbench.toolbarItem(word).click({ timeout: 5_000 });
  };
  return {
    isShown,
    leftText: () => window.control<string>("leftText", id),
    rightText: () => window.control<string>("rightText", id),
    type: async (text) => {
      if (await isShown()) await window.control("type", id, text);
    },
    accept: () => press("Accept"),
    reject: () => press("Reject"),
    close: async () => {
      if (!(await isShown())) return;
      await window.control("reveal", id);
      await workbench.currentTab.locator(".lm-TabBar-tabCloseIcon").click({ timeout: 5_000 });
      const reject = workbench.dialog.getByRole("button", { name: "Reject", exact: true });
      await poll("the end of the tab or a question", async () => !(await isShown()) || (await reject.isVisible()), {
        timeout: 5_000,
      });
      if (await reject.isVisible()) await reject.click();
    },
    autosave: () => window.control("autosave"),
  };
}
