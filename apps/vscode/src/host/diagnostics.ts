import {
  type Diagnostic as VsCodeDiagnostic,
  DiagnosticSeverity,
  type Disposable,
  extensions,
  languages,
  type TextDocument,
  Uri,
  window,
  workspace,
} from "vscode";
import { type Diagnostic, type FileDiagnostics, type HostDiagnostics, onAbort } from "@patchbay/core";
import { openDocumentOf, pathOfTab } from "./open-documents.ts";
import { sameLines } from "./document-texts.ts";
import { delay } from "../timers.ts";

/** How long a file on disk counts as just written, ms. */
const freshFor = 5_000;

/** Bounds of how long diagnostics of a change are waited for, ms. */
const shortestWait = 500;
const longestWait = 2_000;

/** How long for a language whose server has not published anything yet, ms. */
const firstWait = 1_500;

/** Language servers often publish twice in a row (syntax, then types), ms. */
const settleFor = 200;

const pollEvery = 40;

/** Larger files are not compared with the disk, bytes. */
const largestCompared = 5 * 1024 * 1024;

/**
 * VS Code's problems, current ones: right after an agent wrote a file, the editor's document and the language server are
 * behind the disk for a moment, and the agent asks in that moment.
 */
export class VsCodeDiagnostics implements HostDiagnostics, Disposable {
  /** Files with a change that no diagnostics have followed yet, with the time of the change. */
  readonly #changed: Map<string, number> = new Map();
  readonly #published: Map<string, number> = new Map();
  /** By language, how long its diagnostics took to follow a change lately, ms. */
  readonly #delays: Map<string, number> = new Map();
  readonly #subscriptions: readonly Disposable[];

  constructor() {
    this.#subscriptions = [
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme === "file" && contentChanges.length > 0) this.#noteChange(document);
      }),
      workspace.onDidCloseTextDocument((document) => {
        this.#changed.delete(document.uri.fsPath);
        this.#published.delete(document.uri.fsPath);
      }),
      languages.onDidChangeDiagnostics(({ uris }) => this.#notePublished(uris)),
    ];
  }

  async read(path: string | undefined, signal: AbortSignal): Promise<readonly FileDiagnostics[]> {
    let following: Disposable | undefined;
    await Promise.race([
      path === undefined ? this.#waitForAll(signal) : this.#waitForOne(path, signal),
      // What the editor itself is asked for on the way heeds no signal; it goes on, for the next question.
      new Promise<void>((resolve) => (following = onAbort(signal, resolve))),
    ]).finally(() => following?.dispose());
    if (path === undefined) {
      return languages
        .getDiagnostics()
        .filter(([uri, diagnostics]) => uri.scheme === "file" && diagnostics.length > 0)
        .map(([uri, diagnostics]) => ({ path: uri.fsPath, diagnostics: diagnostics.map(convert) }));
    }
    const diagnostics = languages.getDiagnostics(Uri.file(path)).map(convert);
    return diagnostics.length === 0 ? [] : [{ path, diagnostics }];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #noteChange(document: TextDocument): void {
    this.#changed.set(document.uri.fsPath, Date.now());
  }

  #notePublished(uris: readonly Uri[]): void {
    for (const { scheme, fsPath } of uris) {
      if (scheme !== "file") continue;
      const changed = this.#changed.get(fsPath);
      this.#changed.delete(fsPath);
      const document = openDocumentOf(fsPath);
      if (document === undefined) continue;
      const now = Date.now();
      this.#published.set(fsPath, now);
      const before = this.#delays.get(document.languageId) ?? 0;
      this.#delays.set(document.languageId, Math.max(changed === undefined ? 0 : now - changed, before / 2));
    }
  }

  async #waitForOne(path: string, signal: AbortSignal): Promise<void> {
    const open = openDocumentOf(path);
    if (open === undefined) {
      await this.#load(path, signal);
      return;
    }
    await this.#waitForDisk(open, signal);
    await this.#waitUntil(() => !this.#isBehind(open), longestWait, signal);
    await this.#settle([path], signal);
  }

  /** Loads a file so that its language server looks at it, without showing it. */
  async #load(path: string, signal: AbortSignal): Promise<void> {
    const before = Date.now();
    let patience: number;
    try {
      patience = this.#patience((await workspace.openTextDocument(Uri.file(path))).languageId);
    } catch {
      // No such file, or no text: then there are no diagnostics either.
      return;
    }
    await this.#waitUntil(() => (this.#published.get(path) ?? 0) >= before, patience, signal);
    await this.#settle([path], signal);
  }

  async #waitForAll(signal: AbortSignal): Promise<void> {
    const open = workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === "file" && !isClosed);
    await Promise.all(open.map((document) => this.#waitForDisk(document, signal)));
    await this.#waitUntil(() => !open.some((document) => this.#isBehind(document)), longestWait, signal);
    await this.#settle(
      open.map(({ uri }) => uri.fsPath),
      signal,
    );
  }

  /** An agent's write reaches the editor through its file watcher: a moment later than the agent's question. */
  async #waitForDisk(document: TextDocument, signal: AbortSignal): Promise<void> {
    if (document.isDirty) return;
    const written = await readFreshText(document.uri);
    if (written === undefined) return;
    const caughtUp = (): boolean => document.isClosed || sameLines(document.getText(), written);
    await this.#waitUntil(caughtUp, longestWait, signal);
  }

  /** Of what is in no tab most languages publish nothing (docs/protocols/claude.md): only what they were seen to publish is waited for. */
  #isBehind(document: TextDocument): boolean {
    const path = document.uri.fsPath;
    const changed = this.#changed.get(path);
    if (changed !== undefined && !this.#published.has(path) && !isInTab(path)) return false;
    return changed !== undefined && !document.isClosed && Date.now() - changed < this.#patience(document.languageId);
  }

  /** A change that brings no new problem publishes nothing: so there is an end to waiting, as the language is known to be quick. */
  #patience(languageId: string): number {
    const usual = this.#delays.get(languageId);
    if (usual === undefined) return hasServer(languageId) ? firstWait : 0;
    return Math.min(longestWait, Math.max(shortestWait, 3 * usual));
  }

  async #settle(paths: readonly string[], signal: AbortSignal): Promise<void> {
    const quiet = (): boolean => paths.every((path) => Date.now() - (this.#published.get(path) ?? 0) >= settleFor);
    await this.#waitUntil(quiet, settleFor * 3, signal);
  }

  async #waitUntil(done: () => boolean, longest: number, signal: AbortSignal): Promise<void> {
    const end = Date.now() + longest;
    while (!done() && Date.now() < end && !signal.aborted) await delay(pollEvery, signal);
  }
}

function isInTab(path: string): boolean {
  return window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => pathOfTab(tab) === path));
}

/** Whether an extension is running for a language: only then something may be published. */
function hasServer(languageId: string): boolean {
  return extensions.all.some(({ isActive, packageJSON }) => {
    const manifest: unknown = packageJSON;
    const events: unknown =
      typeof manifest === "object" && manifest !== null && "activationEvents" in manifest && manifest.activationEvents;
    return isActive && Array.isArray(events) && events.includes(`onLanguage:${languageId}`);
  });
}

/** The text of a file that was written a moment ago; undefined for older ones and for other encodings: nothing to wait for. */
async function readFreshText(uri: Uri): Promise<string | undefined> {
  try {
    const { mtime, size } = await workspace.fs.stat(uri);
    if (Date.now() - mtime > freshFor || size > largestCompared) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(await workspace.fs.readFile(uri));
  } catch {
    // Gone, unreadable or not UTF-8.
    return undefined;
  }
}

function convert(diagnostic: VsCodeDiagnostic): Diagnostic {
  const { start, end } = diagnostic.range;
  const code = codeOf(diagnostic.code);
  return {
    message: diagnostic.message,
    severity: severityOf(diagnostic.severity),
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    ...(diagnostic.source === undefined ? {} : { source: diagnostic.source }),
    ...(code === undefined ? {} : { code }),
  };
}

function codeOf(code: VsCodeDiagnostic["code"]): string | undefined {
  if (code === undefined) return undefined;
  return typeof code === "object" ? String(code.value) : String(code);
}

function severityOf(severity: DiagnosticSeverity): Diagnostic["severity"] {
  switch (severity) {
    case DiagnosticSeverity.Error:
      return "Error";
    case DiagnosticSeverity.Warning:
      return "Warning";
    case DiagnosticSeverity.Information:
      return "Information";
    case DiagnosticSeverity.Hint:
      return "Hint";
  }
}
