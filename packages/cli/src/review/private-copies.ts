import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Copies of texts in a directory that only this user can enter, for programs that want files. */
export class PrivateCopies {
  readonly #directory: string;

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), "patchbay-review-"));
    chmodSync(this.#directory, 0o700);
  }

  /** Writes a copy (0600) whose name ends like the file's, so that editors know the language. `label` goes in front. */
  write(path: string, label: string, text: string): string {
    const name = basename(path).replace(/[^\p{L}\p{N}._-]/gu, "_");
    const copy = join(this.#directory, `${label}${name}`);
    writeFileSync(copy, text, { mode: 0o600, flag: "wx" });
    return copy;
  }

  read(copy: string): string {
    return readFileSync(copy, "utf8");
  }

  dispose(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
