import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import {
  type Diagnostic,
  type EditorHost,
  Emitter,
  type FileDiagnostics,
  type HostDiagnostics,
  type HostDocuments,
  type HostIdentity,
  type HostMessage,
  type HostMessages,
  type HostWorkspace,
  type ProcessFacts,
  type Range,
  stateDirectory,
  toDisposable,
} from "@patchbay/core";
import { version } from "../own-command.ts";
import { OpenFiles, type OpenPlace, openRegularFile } from "./open-files.ts";
import { ReviewQueue } from "./review-queue.ts";

export interface HeadlessHostOptions {
  /** Absolute. */
  readonly folder: string;
  /** Absolute: served along with it. */
  readonly moreFolders?: readonly string[];
  /** Where somebody says what problems files have. */
  readonly problems?: HostDiagnostics | undefined;
  readonly storageDirectory: string | undefined;
  /** Shows a message and resolves with the chosen action. */
  readonly ask: (message: HostMessage) => Promise<string | undefined>;
}

/** The editor that is none: a folder, the files that its user says to have open, and a queue of proposals. */
export class HeadlessHost implements EditorHost {
  readonly identity: HostIdentity = {
    name: "patchbay",
    displayName: "Patchbay",
    version,
    pids: [process.pid],
  };
  readonly workspace: HostWorkspace;
  readonly editors: OpenFiles = new OpenFiles();
  readonly diffs: ReviewQueue = new ReviewQueue();
  readonly messages: HostMessages;
  readonly documents: HostDocuments;
  readonly diagnostics?: HostDiagnostics;
  readonly storageDirectory: string | undefined;

  constructor(options: HeadlessHostOptions) {
    const never = () => toDisposable(() => {});
    this.storageDirectory = options.storageDirectory;
    if (options.problems !== undefined) this.diagnostics = options.problems;
    this.messages = { show: async (message) => await options.ask(message) };
    this.workspace = {
      folders: () => [options.folder, ...(options.moreFolders ?? [])],
      trusted: () => undefined,
      onDidChangeFolders: never,
      onDidChangeTrust: never,
    };
    this.documents = {
      open: async ({ path, range }) => this.editors.open(placeOf(path, range)),
      // Nothing is ever typed here: an open file is as it is on disk.
      isDirty: (path) => (this.#isOpen(path) ? false : undefined),
      save: async (path) => this.#isOpen(path),
      readText: async (path, limitBytes) => (this.#isOpen(path) ? readHead(path, limitBytes) : undefined),
      languageId: () => undefined,
    };
  }

  #isOpen(path: string): boolean {
    return this.editors.openFiles().includes(path);
  }
}

function placeOf(path: string, range: Range | undefined): OpenPlace {
  if (range === undefined) return { path, cursor: { line: 0, character: 0 } };
  const { start, end } = range;
  const isEmpty = start.line === end.line && start.character === end.character;
  return { path, cursor: end, ...(isEmpty ? {} : { selection: range }) };
}

function readHead(path: string, limitBytes: number): string | undefined {
  const file = openRegularFile(path);
  if (file === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(limitBytes);
    const count = readSync(file, buffer, 0, limitBytes, 0);
    return buffer.toString("utf8", 0, count);
  } finally {
    closeSync(file);
  }
}

/** Where the headless host of a folder keeps port, token and drafts. */
export function serveDirectory(facts: ProcessFacts, folder: string): string {
  return stateDirectory(facts, ["serve", createHash("sha256").update(folder).digest("hex").slice(0, 16)]);
}

/** Problems of files, as a program tells them: it knows when it looks again. */
export class SaidProblems implements HostDiagnostics {
  readonly #byPath: Map<string, readonly Diagnostic[]> = new Map();
  readonly #change: Emitter<{ readonly paths: readonly string[] }> = new Emitter();
  readonly onDidChange: NonNullable<HostDiagnostics["onDidChange"]> = this.#change.event;

  /** All that a file has now. */
  say(path: string, problems: readonly Diagnostic[]): void {
    if (problems.length === 0) this.#byPath.delete(path);
    else this.#byPath.set(path, problems);
    this.#change.fire({ paths: [path] });
  }

  async read(path: string | undefined): Promise<readonly FileDiagnostics[]> {
    const all = Array.from(this.#byPath, ([file, diagnostics]) => ({ path: file, diagnostics }));
    return all.filter((file) => path === undefined || file.path === path);
  }
}
