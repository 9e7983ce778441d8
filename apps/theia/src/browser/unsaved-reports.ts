import { inject, injectable } from "@theia/core/shared/inversify";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { URI } from "@theia/core/lib/common/uri";
import { filePathOf } from "./file-paths.ts";

/** Many keys make one report, milliseconds. */
const gatherMs = 150;

type TextModel = MonacoTextModelService["models"][number];

/** Says of which files the unsaved text came, changed or went, while a proposal is under review. */
@injectable()
export class UnsavedReports {
  @inject(MonacoTextModelService)
  protected readonly models: MonacoTextModelService;
  protected readonly due: Set<string> = new Set();
  /** Whether anybody listens. */
  wanted = false;

  start(report: (path: string) => void): void {
    for (const model of this.models.models) this.follow(model, report);
    this.models.onDidCreate((model) => this.follow(model, report));
  }

  protected follow(model: TextModel, report: (path: string) => void): void {
    const path = filePathOf(new URI(model.uri));
    if (path === undefined) return;
    const note = (): void => this.note(path, report);
    model.onDidChangeContent(note);
    model.onDirtyChanged(note);
    model.onDispose(note);
  }

  protected note(path: string, report: (path: string) => void): void {
    if (!this.wanted || this.due.has(path)) return;
    this.due.add(path);
    window.setTimeout(() => {
      this.due.delete(path);
      report(path);
    }, gatherMs);
  }
}
