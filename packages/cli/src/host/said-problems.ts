import { type Diagnostic, Emitter, type FileDiagnostics, type HostDiagnostics } from "@patchbay/core";

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
