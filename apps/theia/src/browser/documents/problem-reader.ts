import type { Diagnostic, FileDiagnostics } from "@patchbay/core";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import type { Diagnostic as Marker } from "@theia/core/shared/vscode-languageserver-protocol";
import { FileService } from "@theia/filesystem/lib/browser/file-service";
import { ProblemManager } from "@theia/markers/lib/browser/problem/problem-manager";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { filePathOf, fileUriOf } from "./selection-text.ts";

const severities = ["Error", "Error", "Warning", "Information", "Hint"] as const;

/** How long a file on disk counts as just written, in milliseconds. */
const freshFor = 5000;

/** How long an open document may take to follow its file, in milliseconds. */
const catchUpWait = 2000;

/** Larger files are not compared with the disk, in bytes. */
const largestCompared = 5 * 1024 * 1024;

/** Problems that are published within so many milliseconds are told of at once. */
const gatheredFor = 50;

type TextModel = MonacoTextModelService["models"][number];

/** Reads what Theia's problems view shows, or is about to show. */
@injectable()
export class ProblemReader {
  @inject(ProblemManager)
  protected readonly problems: ProblemManager;
  @inject(MonacoTextModelService)
  protected readonly models: MonacoTextModelService;
  @inject(FileService)
  protected readonly files: FileService;

  protected readonly freshness: ProblemFreshness = new ProblemFreshness();

  /** Files whose problems were published and of which nobody was told yet. */
  protected readonly published: Set<string> = new Set();
  protected readonly onDidChangeEmitter: Emitter<readonly string[]> = new Emitter();
  /** The problems of these files were published, by their paths. */
  readonly onDidChange: Event<readonly string[]> = this.onDidChangeEmitter.event;

  @postConstruct()
  protected init(): void {
    this.models.onDidCreate((model) => {
      model.onDidChangeContent(() => this.freshness.noteChange(model.uri));
      model.onDispose(() => this.freshness.forget(model.uri));
    });
    this.problems.onDidChangeMarkers((uri) => {
      this.freshness.notePublished(uri.toString(), this.find(uri.toString())?.languageId);
      this.tellSoon(filePathOf(uri));
    });
  }

  /** Of one file, or of all files, when they are about the texts of now. */
  async readCurrent(path: string | undefined): Promise<readonly FileDiagnostics[]> {
    await this.catchUp(path === undefined ? this.fileModels() : [this.find(fileUriOf(path).toString())]);
    return this.read(path);
  }

  /** What is known now of one file, or of all files. */
  read(path: string | undefined): readonly FileDiagnostics[] {
    const uris = path === undefined ? Array.from(this.problems.getUris(), (uri) => new URI(uri)) : [fileUriOf(path)];
    return uris.flatMap((uri) => {
      const file = filePathOf(uri);
      if (file === undefined) return [];
      // A file whose problems were solved stays known to Theia, with none.
      const diagnostics = this.problems.findMarkers({ uri }).map((marker) => toDiagnostic(marker.data));
      return diagnostics.length === 0 ? [] : [{ path: file, diagnostics }];
    });
  }

  protected tellSoon(path: string | undefined): void {
    if (path === undefined) return;
    if (this.published.size === 0) {
      window.setTimeout(() => {
        const paths = Array.from(this.published);
        this.published.clear();
        this.onDidChangeEmitter.fire(paths);
      }, gatheredFor);
    }
    this.published.add(path);
  }

  protected find(uri: string): TextModel | undefined {
    return this.models.models.find((model) => model.uri === uri);
  }

  protected fileModels(): readonly TextModel[] {
    return this.models.models.filter((model) => filePathOf(new URI(model.uri)) !== undefined);
  }

  protected async catchUp(candidates: readonly (TextModel | undefined)[]): Promise<void> {
    const open = candidates.filter((model) => model !== undefined);
    await Promise.all(open.map((model) => this.waitForDisk(model)));
    await this.freshness.settle(open);
  }

  /** An agent's write reaches the document through the watcher of files: a moment later than the agent's question. */
  protected async waitForDisk(model: TextModel): Promise<void> {
    if (model.dirty) return;
    const written = await this.readFresh(new URI(model.uri));
    if (written === undefined) return;
    const lines = withPlainEnds(written);
    await waitUntil(() => model.dirty || withPlainEnds(model.getText()) === lines, catchUpWait);
  }

  /** Text of a file that was written a moment ago. */
  protected async readFresh(uri: URI): Promise<string | undefined> {
    try {
      const { mtime, size } = await this.files.resolve(uri, { resolveMetadata: true });
      if (Math.abs(Date.now() - mtime) > freshFor || size > largestCompared) return undefined;
      return (await this.files.read(uri)).value;
    } catch {
      // It is gone, or no text: then its document does not follow it either.
      return undefined;
    }
  }
}

/** Without what a document keeps aside: the byte order mark and the kind of line ends. */
function withPlainEnds(text: string): string {
  return text.replace("\uFEFF", "").replaceAll("\r\n", "\n");
}

function toDiagnostic(marker: Marker): Diagnostic {
  const { message, severity, range, source, code } = marker;
  return {
    message: typeof message === "string" ? message : String(message),
    severity: severities[severity ?? 1] ?? "Error",
    range: { start: range.start, end: range.end },
    ...(source === undefined ? {} : { source }),
    ...(code === undefined ? {} : { code: String(code) }),
  };
}

/** Bounds of how long the problems of a change are waited for, in milliseconds; the whole fits into the backend's patience. */
const shortestWait = 500;
const longestWait = 2000;

/** For a language of which nothing is known yet: one with a server publishes within this time, in milliseconds. */
const firstWait = 1500;

/** Language servers often publish twice in a row (syntax, then types), in milliseconds. */
const settleFor = 200;

const pollEvery = 40;

/** A file whose problems are asked for. */
export interface WatchedFile {
  readonly uri: string;
  readonly languageId: string;
}

/**
 * Knows which files' problems are behind their text. Right after an agent wrote a file it asks what it has broken, and the
 * language server is not done yet: what the problems view shows in that moment is about the text before.
 */
export class ProblemFreshness {
  /** Files with a change that no problems have followed yet, with its time. */
  readonly #changed: Map<string, number> = new Map();
  readonly #published: Map<string, number> = new Map();
  /** By language, how long its problems took to follow a change lately; 0 for one that publishes nothing. */
  readonly #delays: Map<string, number> = new Map();

  /** The text of an open file changed. */
  noteChange(uri: string): void {
    this.#changed.set(uri, Date.now());
  }

  /** The problems of a file were published. */
  notePublished(uri: string, languageId: string | undefined): void {
    const now = Date.now();
    const changed = this.#changed.get(uri);
    this.#changed.delete(uri);
    this.#published.set(uri, now);
    if (changed === undefined || languageId === undefined) return;
    this.#delays.set(languageId, Math.max(now - changed, (this.#delays.get(languageId) ?? 0) / 2));
  }

  /** The file is not open any more. */
  forget(uri: string): void {
    this.#changed.delete(uri);
    this.#published.delete(uri);
  }

  /** Resolves when the problems of these files are as current as they get, or after two and a half seconds at most. */
  async settle(files: readonly WatchedFile[]): Promise<void> {
    await waitUntil(() => !files.some((file) => this.#isBehind(file)), longestWait);
    for (const { uri, languageId } of files) {
      // A change that brings no new problem publishes nothing either, and a language without a server never does.
      if (this.#changed.delete(uri) && !this.#delays.has(languageId)) this.#delays.set(languageId, 0);
    }
    const isQuiet = ({ uri }: WatchedFile): boolean => Date.now() - (this.#published.get(uri) ?? 0) >= settleFor;
    await waitUntil(() => files.every(isQuiet), 2 * settleFor);
  }

  #isBehind({ uri, languageId }: WatchedFile): boolean {
    const changed = this.#changed.get(uri);
    return changed !== undefined && Date.now() - changed < this.#patience(languageId);
  }

  #patience(languageId: string): number {
    const usual = this.#delays.get(languageId);
    return usual === undefined ? firstWait : Math.max(shortestWait, 3 * usual);
  }
}

/** Looks until `done`, or until the time is over. */
async function waitUntil(done: () => boolean, longest: number): Promise<void> {
  const end = Date.now() + longest;
  while (!done() && Date.now() < end) await new Promise<void>((resolve) => setTimeout(resolve, pollEvery));
}
