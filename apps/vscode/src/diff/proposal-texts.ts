import { LoadOnce } from "@patchbay/core";
import { type Event, EventEmitter, FilePermission, type FileStat, FileSystemError, FileType, type Uri } from "vscode";
import { proposalIdOf } from "./proposal-uri.ts";

export interface ProposalFile {
  /** What a reload of the document or "Don't Save" gives back. */
  readonly text: string;
  /**
   * Whether the bytes carry a byte order mark, so that VS Code reads them as UTF-8 whatever `files.encoding` says.
   * Documents never show it.
   */
  readonly marked: boolean;
  /** The user may not edit it. */
  readonly isReadOnly: boolean;
}

/** What was saved is bytes, what was proposed a text. */
interface Content {
  readonly size: number;
  text(): string;
  bytes(): Uint8Array | Promise<Uint8Array>;
}

interface Entry {
  readonly content: Content;
  readonly isReadOnly: boolean;
  readonly created: number;
  readonly modified: number;
}

/**
 * The right sides as files. Writing one changes nothing but what this provider holds: whether a save is a verdict is
 * told by the review, from the reason of the save.
 */
export class ProposalFiles {
  readonly #entries: AwaitedEntries<Entry>;
  readonly #changes: EventEmitter<Uri> = new EventEmitter();
  /** The text of a right side that the user cannot edit is another one now. */
  readonly onDidChange: Event<Uri> = this.#changes.event;

  /** `restored` resolves when every proposal of an earlier run is back: until then an unknown one may still come. */
  constructor(restored: Promise<void>) {
    this.#entries = new AwaitedEntries(restored);
  }

  /** Sets what is held. Its time stays, so that VS Code does not see another version on the disk when it saves. */
  put(id: string, file: ProposalFile): void {
    const now = Date.now();
    const before = this.#entries.get(id);
    const content = new HeldText(file.text, file.marked);
    const { isReadOnly } = file;
    this.#entries.set(id, { content, isReadOnly, created: before?.created ?? now, modified: before?.modified ?? now });
  }

  /** Sets what is held of one that only we change, and has VS Code show it. */
  replace(id: string, uri: Uri, file: ProposalFile): void {
    const modified = Math.max(Date.now(), (this.#entries.get(id)?.modified ?? 0) + 1);
    const created = this.#entries.get(id)?.created ?? modified;
    const content = new HeldText(file.text, file.marked);
    this.#entries.set(id, { content, isReadOnly: file.isReadOnly, created, modified });
    this.#changes.fire(uri);
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
    const { created: ctime, modified: mtime, content, isReadOnly } = entry;
    const permissions = isReadOnly ? { permissions: FilePermission.Readonly } : {};
    return { type: FileType.File, ctime, mtime, size: content.size, ...permissions };
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
    this.#entries.set(id, { content: saved, isReadOnly: false, created: before?.created ?? modified, modified });
  }

  async #entry(uri: Uri): Promise<Entry> {
    const entry = await this.#entries.wait(proposalIdOf(uri) ?? "");
    if (entry === undefined) throw FileSystemError.FileNotFound(uri);
    return entry;
  }
}

/**
 * What is held per proposal, where a reader may come before the writer: after a window reload VS Code asks for the texts of
 * restored tabs while the companion is still starting.
 */
export class AwaitedEntries<T> {
  readonly #entries: Map<string, T> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  #complete = false;

  /** `complete` resolves when every proposal of an earlier run is back: who is not there then will not come. */
  constructor(complete: Promise<void>) {
    void complete.then(() => {
      this.#complete = true;
      this.#wake();
    });
  }

  get(id: string): T | undefined {
    return this.#entries.get(id);
  }

  set(id: string, entry: T): void {
    this.#entries.set(id, entry);
    this.#wake();
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** The entry, as soon as it is there; undefined when it will not come. */
  async wait(id: string): Promise<T | undefined> {
    for (;;) {
      const entry = this.#entries.get(id);
      if (entry !== undefined || this.#complete) return entry;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    const waiting = Array.from(this.#waiting);
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** Longer texts are encoded in pieces of this many UTF-16 units, with other work in between. */
const pieceLength = 1024 * 1024;

/** So much is copied at once, bytes: it takes some 15 ms. */
const longestCopy = 16 * 1024 * 1024;

const byteOrderMark = "\uFEFF";
const byteOrderMarkBytes = 3;

/** The content of a file that is held as a text, and is bytes only when VS Code asks for them. */
export class HeldText {
  readonly #text: string;
  readonly #marked: boolean;
  #size: number | undefined;
  readonly #bytes: LoadOnce<Uint8Array> = new LoadOnce(() =>
    encodeInPieces(this.#marked ? byteOrderMark + this.#text : this.#text, this.size),
  );

  /** `marked`: the bytes begin with a byte order mark. */
  constructor(text: string, marked: boolean) {
    this.#text = text;
    this.#marked = marked;
  }

  /** Without the byte order mark. */
  text(): string {
    return this.#text;
  }

  get size(): number {
    this.#size ??= Buffer.byteLength(this.#text) + (this.#marked ? byteOrderMarkBytes : 0);
    return this.#size;
  }

  async bytes(): Promise<Uint8Array> {
    return await this.#bytes.get();
  }
}

async function encodeInPieces(text: string, size: number): Promise<Uint8Array> {
  if (text.length <= pieceLength) return Buffer.from(text);
  // All of it is ASCII: a mere copy.
  if (size === text.length && size <= longestCopy) return Buffer.from(text, "latin1");
  // Every byte is written: nothing of what the memory held before is given away.
  const bytes = Buffer.allocUnsafeSlow(size);
  let written = 0;
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    // The halves of a pair are encoded together.
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    written += bytes.write(text.slice(start, end), written);
    start = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}

/** The left sides: what the file under review holds. A document without an entry is empty. */
export class OriginalTexts {
  readonly #texts: AwaitedEntries<string>;
  readonly #changes: EventEmitter<Uri> = new EventEmitter();
  /** The text of a left side is another one now. */
  readonly onDidChange: Event<Uri> = this.#changes.event;

  /** `restored` resolves when every proposal of an earlier run is back. */
  constructor(restored: Promise<void>) {
    this.#texts = new AwaitedEntries(restored);
  }

  put(id: string, text: string): void {
    this.#texts.set(id, text);
  }

  /** The text of a left side that may be shown already. */
  update(id: string, uri: Uri, text: string): void {
    if (this.#texts.get(id) === text) return;
    this.#texts.set(id, text);
    this.#changes.fire(uri);
  }

  textOf(id: string): string | undefined {
    return this.#texts.get(id);
  }

  drop(id: string): void {
    this.#texts.delete(id);
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    return (await this.#texts.wait(proposalIdOf(uri) ?? "")) ?? "";
  }
}

/** What both sides of reviews show. */
export interface ProposalTexts {
  readonly files: ProposalFiles;
  readonly originals: OriginalTexts;
}

/** `restored` resolves when every proposal of an earlier run is back: who asks earlier waits. */
export function createProposalTexts(restored: Promise<void>): ProposalTexts {
  return { files: new ProposalFiles(restored), originals: new OriginalTexts(restored) };
}
