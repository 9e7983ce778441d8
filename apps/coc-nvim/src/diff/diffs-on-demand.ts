import type { DiffOpening, DiffRequest, DiffViewEvents, Disposable, HostDiffs } from "@patchbay/core";
import type { VimDiffs, VimDiffsOptions } from "./vim-diffs.ts";

/** {@link VimDiffs}, loaded with the first proposal: whoever only starts the editor does not pay for reviews. */
export class DiffsOnDemand implements HostDiffs, Disposable {
  readonly #options: VimDiffsOptions;
  #loading: Promise<VimDiffs> | undefined;
  #diffs: VimDiffs | undefined;
  #abandoned = false;

  constructor(options: VimDiffsOptions) {
    this.#options = options;
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    this.#loading ??= import("./vim-diffs.ts").then((loaded) => new loaded.VimDiffs(this.#options));
    this.#diffs = await this.#loading;
    if (this.#abandoned) this.#diffs.abandon();
    return await this.#diffs.open(request, events);
  }

  /** What Vim tells about a review; without one there is nobody to be told. */
  report(kind: string, id: string, text: unknown): void {
    this.#diffs?.report(kind, id, text);
  }

  /** The editor is about to end: views need not be taken away, and nothing more is asked of it. */
  abandon(): void {
    this.#abandoned = true;
    this.#diffs?.abandon();
  }

  dispose(): void {
    this.#abandoned = true;
    this.#diffs?.dispose();
  }
}
