import type { Files } from "../platform/platform.ts";
import { byteOrderMark } from "./text-fidelity.ts";
import type { Proposal } from "./proposal.ts";

/** How many answers are remembered; an agent works on few files at a time. */
const maximumRemembered = 64;

/**
 * Tells which final texts need the byte order mark of their file. A file is read at most once for each state it is in when
 * it is proposed: agents propose again and again for the same file.
 */
export class ByteOrderMarks {
  readonly #files: Files;
  readonly #known: Map<string, { readonly state: string; readonly hasMark: boolean }> = new Map();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Whether the final text must have a mark because the file has one; looked up only where it decides anything. */
  needed(proposal: Proposal): Promise<boolean> | boolean {
    const { owner, kind, input } = proposal.facts;
    // A file that did not exist has no mark, and a proposal that has one keeps it anyway.
    if (owner.byteOrderMark !== "as-on-disk" || kind === "create" || input.text.startsWith(byteOrderMark)) return false;
    const { fileState } = proposal;
    const known = this.#known.get(input.path);
    return fileState !== undefined && known?.state === fileState ? known.hasMark : this.#read(input.path, fileState);
  }

  async #read(path: string, state: string | undefined): Promise<boolean> {
    const hasMark = await this.#files.startsWithByteOrderMark(path);
    if (state !== undefined) {
      if (this.#known.size >= maximumRemembered) this.#known.clear();
      this.#known.set(path, { state, hasMark });
    }
    return hasMark;
  }
}
