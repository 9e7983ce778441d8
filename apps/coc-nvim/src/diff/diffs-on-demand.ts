import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type Disposable,
  type HostDiffs,
  LoadOnce,
} from "@patchbay/core";
import type { VimDiffs, VimDiffsOptions } from "./vim-diffs.ts";

/** {@link VimDiffs}, loaded with the first proposal: whoever only starts the editor does not pay for reviews. */
export class DiffsOnDemand implements HostDiffs, Disposable {
  readonly #options: VimDiffsOptions;
  readonly #diffs: LoadOnce<VimDiffs> = new LoadOnce(async () => {
    const { VimDiffs } = await import("./vim-diffs.ts");
    return new VimDiffs(this.#options);
  });
  #abandoned = false;

  constructor(options: VimDiffsOptions) {
    this.#options = options;
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const diffs = await this.#diffs.get();
    if (this.#abandoned) diffs.abandon();
    return await diffs.open(request, events);
  }

  /** What Vim tells about a review; without one there is nobody to be told. */
  report(kind: string, id: string, text: unknown): void {
    this.#diffs.loaded?.report(kind, id, text);
  }

  /** The editor is about to end: views need not be taken away, and nothing more is asked of it. */
  abandon(): void {
    this.#abandoned = true;
    this.#diffs.loaded?.abandon();
  }

  dispose(): void {
    this.#abandoned = true;
    this.#diffs.loaded?.dispose();
  }
}
