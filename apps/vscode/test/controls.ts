import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Disposable } from "vscode";
import { type EditorHost, nullLogger } from "@patchbay/core";
import type { DiffControls, EditorHostControls } from "@patchbay/testkit";
import type { DiffViews } from "../src/diff/diff-views.ts";
import { registerProposalTexts } from "../src/diff/lazy-reviews.ts";
import { registerReviews } from "../src/diff/register-reviews.ts";
import { createHost } from "../src/host/host.ts";
import { WorkspaceSettings } from "../src/settings.ts";
import { Position } from "./fake-vscode/ranges.ts";
import { openFakeWindow } from "./fake-vscode/index.ts";
import { Uri } from "./fake-vscode/uri.ts";
import { TabInputTextDiff, TextDocumentSaveReason } from "./fake-vscode/values.ts";
import type { FakeWorkbench } from "./fake-vscode/workbench.ts";
import type { FakeTab } from "./fake-vscode/shapes.ts";

/** The edition's host in a window without a screen. */
export interface HostInWindow {
  readonly bench: FakeWorkbench;
  readonly host: EditorHost;
  readonly views: DiffViews;
  readonly folder: string;
  dispose(): void;
}

export function createHostInWindow(restored: Promise<void> = Promise.resolve()): HostInWindow {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-vscode-")));
  const bench = openFakeWindow();
  bench.folders = [folder];
  const parts: { dispose(): unknown }[] = [];
  const own = (part: Disposable): void => {
    parts.push(part);
  };
  const settings = new WorkspaceSettings();
  own(settings);
  const handOver = async (text: string, likePath: string): Promise<void> =>
    await host.documents?.openUntitled?.(text, likePath);
  const reviews = registerReviews({
    settings,
    logger: nullLogger,
    restored,
    sessions: () => undefined,
    handOver,
    own,
  });
  const { views } = reviews;
  for (const part of registerProposalTexts(async () => reviews.texts)) own(part);
  const host: EditorHost = createHost({ storageUri: undefined }, "1.2.3", views, own);
  return {
    bench,
    host,
    views,
    folder,
    dispose: () => {
      for (const part of parts) part.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The tab of a proposal, while it is open. */
export function tabOf(bench: FakeWorkbench, id: string): FakeTab | undefined {
  return bench.tabs.find((tab) => tab.input instanceof TabInputTextDiff && tab.input.modified.query === id);
}

/** Everything that was started has been handled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function sideOf(bench: FakeWorkbench, id: string, side: "original" | "modified"): Uri | undefined {
  const input = tabOf(bench, id)?.input;
  return input instanceof TabInputTextDiff ? input[side] : undefined;
}

async function textOf(bench: FakeWorkbench, id: string, side: "original" | "modified"): Promise<string> {
  const uri = sideOf(bench, id, side);
  return uri === undefined ? "" : (await bench.openDocument(uri)).getText();
}

function createDiffControls({ bench, views }: HostInWindow, id: string): DiffControls {
  const proposal = async (act: (uri: Uri) => Promise<void>): Promise<void> => {
    const uri = sideOf(bench, id, "modified");
    if (uri !== undefined) await act(uri);
  };
  return {
    isShown: async () => tabOf(bench, id) !== undefined,
    leftText: async () => await textOf(bench, id, "original"),
    rightText: async () => await textOf(bench, id, "modified"),
    type: async (text) => await proposal(async (uri) => await bench.typeOver(await bench.openDocument(uri), text)),
    accept: async () => void views.review(id)?.accept(true),
    reject: async () => void views.review(id)?.reject(true),
    close: async () => {
      const tab = tabOf(bench, id);
      if (tab !== undefined) await bench.closeTab(tab);
    },
    autosave: async () =>
      await proposal(async (uri) => {
        await bench.save(await bench.openDocument(uri), TextDocumentSaveReason.AfterDelay);
      }),
  };
}

export async function createControls(): Promise<EditorHostControls> {
  const window = createHostInWindow();
  const { bench, host, folder } = window;
  const documentOf = async (path: string) => await bench.openDocument(Uri.file(path));
  return {
    host,
    folder,
    writeDisk: async (path, text) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      bench.noteDisk(path);
    },
    readDisk: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    openFile: async (path) => await bench.showFile(Uri.file(path)),
    focusFile: async (path) => await bench.showFile(Uri.file(path)),
    closeFile: async (path) => {
      for (const tab of bench.tabs.filter((one) => "uri" in one.input && one.input.uri.fsPath === path)) {
        await bench.closeTab(tab);
      }
    },
    setCursor: async ({ line, character }) =>
      bench.select(new Position(line, character), new Position(line, character)),
    select: async ({ start, end }) =>
      bench.select(new Position(start.line, start.character), new Position(end.line, end.character)),
    makeDirty: async (path, text) => bench.edit(await documentOf(path), text),
    focusTerminal: async () => {
      bench.focus = "terminal";
    },
    focusedElement: async () => bench.focus,
    questionsAsked: () => bench.closingQuestions + bench.shown.filter((message) => message.modal).length,
    failNextOpen: () => {
      bench.failNextDiff = true;
    },
    diff: (id) => createDiffControls(window, id),
    settle,
    setFolders: async (folders) => {
      bench.folders = Array.from(folders);
      bench.onDidChangeWorkspaceFolders.fire({});
    },
    setTrusted: async (trusted) => {
      bench.trusted = trusted;
      if (trusted) bench.onDidGrantWorkspaceTrust.fire();
    },
    answerNextMessage: (action) => bench.answerNext(() => action),
    dispose: async () => window.dispose(),
  };
}
