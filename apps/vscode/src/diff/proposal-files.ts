import { type FileStat, FileSystemError, FileType, type Uri } from "vscode";
import { AwaitedEntries } from "./awaited-entries.ts";
import { HeldText } from "./held-text.ts";
import { proposalIdOf } from "./proposal-uri.ts";

export interface ProposalFile {
  /** What a reload of the document or "Don't Save" gives back. */
  readonly text: string;
  /**
   * Whether the bytes carry a byte order mark, so that VS Code reads them as UTF-8 whatever `files.encoding` says.
   * Documents never show it.
   */
  readonly marked: boolean;
}

/** What was saved is bytes, what was proposed a text. */
interface Content {
  readonly size: number;
  text(): string;
  bytes(): Uint8Array | Promise<Uint8Array>;
}

interface Entry {
  readonly content: Content;
  readonly created: number;
  readonly modified: number;
}

/**
 * The right sides as files. Writing one changes nothing but what this provider holds: whether a save is a verdict is
 * told by the review, from the reason of the save.
 */
export class ProposalFiles {
  readonly #entries: AwaitedEntries<Entry>;

  /** `restored` resolves when every proposal of an earlier run is back: until then an unknown one may still come. */
  constructor(restored: Promise<void>) {
    this.#entries = new AwaitedEntries(restored);
  }

  /** Sets what is held. Its time stays, so that VS Code does not see another version on the disk when it saves. */
  put(id: string, file: ProposalFile): void {
    const now = Date.now();
    const before = this.#entries.get(id);
    const content = new HeldText(file.text, file.marked);
    this.#entries.set(id, { content, created: before?.created ?? now, modified: before?.modified ?? now });
  }

  /** The text held for a proposal, without a byte order mark. */
  textOf(id: string): string | undefined {
    return this.#entries.get(id)?.content.text();
  }

  drop(id: string): void {
    this.#entries.delete(id);
  }

  async stat(uri: Uri): Promise<FileStat> {
    const entry = await this.#entry(uri);
    return { type: FileType.File, ctime: entry.created, mtime: entry.modified, size: entry.content.size };
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return await (await this.#entry(uri)).content.bytes();
  }

  /** Never fails: a failing save would bring an error message in place of what the user wanted. */
  writeFile(uri: Uri, content: Uint8Array): void {
    const id = proposalIdOf(uri) ?? "";
    const before = this.#entries.get(id);
    // VS Code tells versions apart by time and size, so the time must move. One without an entry is a tab of an earlier
    // run that is being closed; it needs an entry for a moment.
    const modified = Math.max(Date.now(), (before?.modified ?? 0) + 1);
    const bytes = content.slice();
    const saved = {
      size: bytes.byteLength,
      text: () => new TextDecoder("utf-8").decode(bytes),
      bytes: () => bytes,
    };
    this.#entries.set(id, { content: saved, created: before?.created ?? modified, modified });
  }

  async #entry(uri: Uri): Promise<Entry> {
    const entry = await this.#entries.wait(proposalIdOf(uri) ?? "");
    if (entry === undefined) throw FileSystemError.FileNotFound(uri);
    return entry;
  }
}
