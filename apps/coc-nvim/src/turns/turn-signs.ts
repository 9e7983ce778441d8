import { type Clock, type Disposable, DisposableStore, messageOf, type Logger } from "@patchbay/core";
import { type FolderLedgers, type HeldLines, type PlacedHunk, placedHunks, undecidedFiles } from "@patchbay/turns";
import { toBufferText } from "../diff/buffer-reader.ts";
import type { VimEditors } from "../host/vim-editors.ts";
import { asLines, asNumber, asShape } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";

/** After what was typed or written last, ms. */
const restMs = 200;

/** More marks are not shown. */
const mostMarks = 2_000;

export interface TurnSignsOptions {
  readonly ledgers: () => Pick<FolderLedgers, "afterText" | "beforeText" | "turns">;
  readonly vim: Vim;
  readonly coc: Pick<CocServices, "lines">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly editors: Pick<VimEditors, "bufferOf" | "onDidChangeUnsaved" | "openFiles">;
  /** Whether signs are shown; the cursor finds changes in any case. */
  readonly isShown: () => boolean;
}

/** A change in the buffer: first and last line, and its kind. */
type Mark = readonly [first: number, last: number, kind: "add" | "change" | "delete" | "topdelete"];

/** Marks lines of open files that agents have changed and nobody has reviewed, and has buffers take over what agents write. */
export class TurnSigns implements Disposable {
  readonly #options: TurnSignsOptions;
  readonly #store: DisposableStore = new DisposableStore();
  /** What Vim was told last, by path. */
  readonly #told: Map<string, string> = new Map();
  readonly #wanted: Set<string> = new Set();
  #timer: Disposable | undefined;
  #isBusy = false;

  constructor(options: TurnSignsOptions) {
    this.#options = options;
    this.#store.add(options.editors.onDidChangeUnsaved(({ path }) => this.#want(path)));
  }

  /** The ledger has changed, or a setting. */
  update(): void {
    for (const path of this.#options.editors.openFiles()) this.#want(path);
  }

  /** Hunks of a file that is open, as its buffer is now; undefined where it is not open. */
  async hunks(path: string): Promise<readonly PlacedHunk[] | undefined> {
    const { editors, ledgers, vim, clock } = this.#options;
    const number = editors.bufferOf(path)?.number;
    if (number === undefined) return undefined;
    const { lines } = asShape(await vim.call("patchbay#disk#held", [number]));
    return Array.isArray(lines) ? await placedHunks(ledgers(), heldLines(path, asLines(lines)), clock) : undefined;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  #want(path: string): void {
    this.#wanted.add(path);
    if (this.#isBusy) return;
    this.#timer?.dispose();
    this.#timer = this.#options.clock.setTimeout(() => void this.#run(), restMs);
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    const paths = [...this.#wanted];
    this.#wanted.clear();
    const left: string[] = [];
    for (const path of paths) {
      try {
        if (!(await this.#mark(path))) left.push(path);
      } catch (error) {
        this.#options.logger.warn("Changes could not be marked", { reason: messageOf(error) });
      }
    }
    this.#isBusy = false;
    if (this.#store.isDisposed) return;
    for (const path of [...left, ...this.#wanted]) this.#want(path);
  }

  /** False where Vim cannot be asked now. */
  async #mark(path: string): Promise<boolean> {
    const { coc, clock, editors, isShown, ledgers, vim } = this.#options;
    const number = editors.bufferOf(path)?.number;
    const isChanged = ledgers()
      .turns()
      .some((turn) => undecidedFiles(turn).some((file) => file.path === path));
    if (number === undefined || (!isChanged && !this.#told.has(path))) {
      this.#told.delete(path);
      return true;
    }
    // What an agent writes without asking is to be seen, and not to bring up Vim's prompt.
    if (asNumber(await vim.call("patchbay#disk#reload", [path])) === 0) return false;
    const lines = coc.lines(number) ?? asLines(asShape(await vim.call("patchbay#disk#held", [number]))["lines"]);
    const marks = (await placedHunks(ledgers(), heldLines(path, lines), clock)).slice(0, mostMarks).map(markOf);
    const told = JSON.stringify([number, isShown(), marks]);
    if (told === this.#told.get(path)) return true;
    if (marks.length === 0) this.#told.delete(path);
    else this.#told.set(path, told);
    vim.notify("patchbay#turns#mark", [number, marks, isShown() ? 1 : 0]);
    return true;
  }
}

/** As a buffer holds them, without line ends. */
export function heldLines(path: string, lines: readonly string[]): HeldLines {
  return { path, lines, linesOf: (text) => toBufferText(text).lines };
}

function markOf({ start, end, kind }: PlacedHunk): Mark {
  if (kind !== "delete") return [start + 1, end, kind];
  return start === 0 ? [1, 1, "topdelete"] : [start, start, "delete"];
}
