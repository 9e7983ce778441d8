import type { Diagnostic, FileDiagnostics } from "@patchbay/core";
import type { Diagnostic as Marker } from "@theia/core/shared/vscode-languageserver-protocol";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { FileService } from "@theia/filesystem/lib/browser/file-service";
import { ProblemManager } from "@theia/markers/lib/browser/problem/problem-manager";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { filePathOf, fileUriOf } from "./file-paths.ts";
import { ProblemFreshness, waitUntil } from "./problem-freshness.ts";

const severities = ["Error", "Error", "Warning", "Information", "Hint"] as const;

/** How long a file on disk counts as just written, in milliseconds. */
const freshFor = 5000;

/** How long an open document may take to follow its file, in milliseconds. */
const catchUpWait = 2000;

/** Larger files are not compared with the disk, in bytes. */
const largestCompared = 5 * 1024 * 1024;

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

  @postConstruct()
  protected init(): void {
    this.models.onDidCreate((model) => {
      model.onDidChangeContent(() => this.freshness.noteChange(model.uri));
      model.onDispose(() => this.freshness.forget(model.uri));
    });
    this.problems.onDidChangeMarkers((uri) => {
      this.freshness.notePublished(uri.toString(), this.find(uri.toString())?.languageId);
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
