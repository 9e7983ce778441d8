import { type Logger, messageOf, type Platform, textEdits } from "@patchbay/core";
import type { GitObjects } from "../git/git-reader.ts";
import { type CopyShelf, largestCopy } from "../store/copy-shelf.ts";
import { bytesOf, copyShare, nameOfText, type TurnStore } from "../store/turn-store.ts";
import { folderOf } from "./folders.ts";
import { type Content, type FileRecord, noFile } from "./records.ts";
import type { StoreHealth } from "./store-health.ts";

export interface ContentsOptions {
  readonly platform: Pick<Platform, "files" | "random">;
  readonly logger: Logger;
  readonly health: Pick<StoreHealth, "failed">;
  readonly store: TurnStore;
  readonly shelf: CopyShelf;
  readonly objects: GitObjects;
  /** Paths with links resolved. */
  readonly mayKeep: (path: string) => boolean;
  /** Of one file and of one session, in bytes. */
  readonly limits: { readonly file: number; readonly session: number };
}

type NotRead = Exclude<Content, { kind: "text" | "bytes" | "git" }>;

/** Objects of the user's repository that are put back are read up to this size, bytes: nothing of them is kept. */
const largestObject = 64 * 1024 * 1024;

/** What an undo takes away is kept up to this size, bytes: it is to be brought back. */
const largestTaken = 16 * 1024 * 1024;

/** Keeps what files held, as far as it may be kept, and reads it again. */
export class Contents {
  readonly #options: ContentsOptions;
  readonly #spent: Map<string, number> = new Map();
  /** What this run has kept. */
  readonly #names: Set<string> = new Set();

  constructor(options: ContentsOptions) {
    this.#options = options;
  }

  /** Whether a text of a file may be kept at all. */
  mayKeep(path: string): boolean {
    return this.#options.mayKeep(path);
  }

  /** What a file holds now; kept for a session. No link is followed. */
  async ofFile(path: string, session: string): Promise<Content> {
    const held = await this.#readNow(path);
    return held instanceof Uint8Array ? await this.keep(path, held, session) : held;
  }

  /** What a small file holds at a turn's begin, in case it changes: see `copy`. */
  async copyOf(path: string, session: string): Promise<Content> {
    const held = await this.#readNow(path, this.copyLimits.small);
    if (held instanceof Uint8Array) return await this.copy(held);
    // It has grown since somebody looked.
    return held.kind === "named" && held.why === "large" ? await this.ofFile(path, session) : held;
  }

  /** The same of what is in hand and may be kept. What comes to be named by a turn is to be kept by then (`keepCopy`). */
  async copy(held: Uint8Array): Promise<Content> {
    const { platform, shelf, logger, health } = this.#options;
    const { isText, text } = asText(held);
    const name = nameOfText(text, platform.random.mac);
    const content: Content = isText ? { kind: "text", text: name } : { kind: "bytes", text: name, size: held.length };
    try {
      return (await shelf.put(name, held)) ? content : { kind: "named", why: "large", sign: name };
    } catch (error) {
      logger.warn("A copy could not be kept", { reason: messageOf(error) });
      health.failed(error);
      return { kind: "named", why: "failed", sign: name };
    }
  }

  /** Keeps in the store what was copied at a turn's begin, now that it has changed. Something else as it is. */
  async keepCopy(path: string, content: Content, session: string): Promise<Content> {
    if (content.kind !== "text" && content.kind !== "bytes") return content;
    const bytes = await this.#onShelf(content);
    if (bytes !== undefined) return await this.keep(path, bytes, session);
    const isThere = await this.#options.store.refresh(content.text).catch(() => false);
    return isThere ? content : { kind: "named", why: "failed", sign: content.text };
  }

  /** Undefined where it is not there, or is not what it was. */
  async #onShelf(content: Extract<Content, { kind: "text" | "bytes" }>): Promise<Uint8Array | undefined> {
    const bytes = await this.#options.shelf.read(content.text).catch(() => undefined);
    if (bytes === undefined) return undefined;
    return nameOfText(asText(bytes).text, this.#options.platform.random.mac) === content.text ? bytes : undefined;
  }

  /** What a file holds that an undo is about to take away: on nobody's account. */
  async ofTaken(path: string): Promise<Content> {
    const held = await this.#readNow(path, largestTaken);
    return held instanceof Uint8Array ? await this.keep(path, held, "undo", largestTaken) : held;
  }

  /** The text of a file as it is, not kept: also where there is no room. Undefined where `ofFile` would name the file only. */
  async textNow(path: string): Promise<{ readonly text: string | undefined } | undefined> {
    const held = await this.#readNow(path);
    if (!(held instanceof Uint8Array)) return held.kind === "none" ? { text: undefined } : undefined;
    const text = textIn(held);
    return text === undefined || text.includes("\0") ? undefined : { text };
  }

  async #readNow(path: string, limit: number = this.#options.limits.file): Promise<Uint8Array | NotRead> {
    const { platform, mayKeep } = this.#options;
    let sign = "unread";
    try {
      const facts = await platform.files.lstat(path);
      if (facts === undefined) return { kind: "none" };
      sign = `${facts.kind} ${facts.size} ${facts.modifiedMs}`;
      if (facts.kind === "link" && mayKeep(path)) return await this.#linkAt(path, sign);
      if (facts.kind !== "file") return { kind: "named", why: "other", sign };
      if (!mayKeep(path)) return { kind: "named", why: "withheld", sign };
      if (facts.size > limit) return { kind: "named", why: "large", sign };
      const held = await platform.files.readReal(path, limit, facts);
      if (held !== undefined) return held;
      const now = await platform.files.lstat(path);
      if (now === undefined) return { kind: "none" };
      sign = `${now.kind} ${now.size} ${now.modifiedMs}`;
      if (now.kind !== "file") return { kind: "named", why: "other", sign };
      // Behind a link by now: where that leads is none of this folder.
      if ((await platform.files.realPath(path)) !== path) return { kind: "none" };
      // It grew while it was read.
      return { kind: "named", why: now.size > limit ? "large" : "unread", sign };
    } catch {
      // No descriptor left, no permission, a failing disk. That says nothing of what it holds, least of all that it is not there.
      return { kind: "named", why: "unread", sign };
    }
  }

  async #linkAt(path: string, sign: string): Promise<NotRead> {
    const { files } = this.#options.platform;
    // Behind a link itself: where that leads is none of this folder.
    if ((await files.realPath(folderOf(path))) !== folderOf(path)) return { kind: "none" };
    const target = await files.readLink(path);
    return target === undefined ? { kind: "named", why: "unread", sign } : { kind: "link", target };
  }

  /** The same of what is in hand. */
  async keep(
    path: string,
    held: Uint8Array | string | undefined,
    session: string,
    limit: number = this.#options.limits.file,
  ): Promise<Content> {
    if (held === undefined) return noFile;
    const { store, limits, mayKeep, platform, logger, health } = this.#options;
    const { isText, text } = asText(held);
    const size = typeof held === "string" ? Buffer.byteLength(held) : held.byteLength;
    if (!mayKeep(path)) return { kind: "named", why: "withheld", sign: platform.random.mac("sign", text) };
    const spent = this.#spent.get(session) ?? 0;
    const textName = nameOfText(text, platform.random.mac);
    const isKept = store.has(textName);
    if (size > limit || (session !== "undo" && !isKept && spent + size > limits.session)) {
      return { kind: "named", why: "large", sign: textName };
    }
    const before = store.size;
    let name: string | undefined;
    try {
      name = await store.keep(text);
    } catch (error) {
      logger.warn("A text could not be kept", { reason: messageOf(error) });
      health.failed(error);
      return { kind: "named", why: "failed", sign: textName };
    }
    if (name === undefined) return { kind: "named", why: "large", sign: textName };
    this.#names.add(name);
    this.#spent.set(session, spent + Math.max(0, store.size - before));
    return isText ? { kind: "text", text: name } : { kind: "bytes", text: name, size };
  }

  /** Texts that this run has kept, perhaps only to compare them. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Of what may change in a turn so much is copied at most when it begins, in all and of one file; bytes. `small`: what `copy` takes. */
  get copyLimits(): { readonly all: number; readonly file: number; readonly small: number } {
    const { store, limits } = this.#options;
    return { all: store.room * copyShare, file: limits.file, small: Math.min(largestCopy, limits.file) };
  }

  /** Whether texts can be read again, as of now. Those that are asked for stay then for as long as nobody has named them. */
  async whetherKept(): Promise<(content: Content) => Promise<boolean>> {
    const { store, shelf } = this.#options;
    await shelf.begin();
    const isThere = await store.refreshMany();
    return async (content) => {
      if (content.kind !== "text" && content.kind !== "bytes") return true;
      const { text } = content;
      return (await shelf.has(text).catch(() => false)) || (await isThere(text).catch(() => false));
    };
  }

  /** Undefined where there was no file, or its text is not kept. */
  async read(content: Content): Promise<string | undefined> {
    const { objects, limits } = this.#options;
    if (content.kind === "text") {
      // What an undo took away may be longer than what is compared line by line.
      return (bytesOf(content.text) ?? 0) > limits.file ? undefined : await this.#stored(content);
    }
    if (content.kind !== "git") return undefined;
    const bytes = await objects.read(content, limits.file);
    const text = bytes === undefined ? undefined : textIn(bytes);
    return text?.includes("\0") === true ? undefined : text;
  }

  /** What a file held, text or not; undefined where there was none, or it cannot be read again. */
  async bytes(content: Content): Promise<Uint8Array | undefined> {
    const { objects } = this.#options;
    if (content.kind === "git") return await objects.read(content, largestObject);
    if (content.kind !== "text" && content.kind !== "bytes") return undefined;
    const text = await this.#stored(content);
    return text === undefined ? undefined : Buffer.from(text, content.kind === "text" ? "utf8" : "base64");
  }

  /** As it stands in the store, or would. */
  async #stored(content: Extract<Content, { kind: "text" | "bytes" }>): Promise<string | undefined> {
    const text = await this.#options.store.read(content.text);
    if (text !== undefined) return text;
    const bytes = await this.#onShelf(content);
    return bytes === undefined ? undefined : asText(bytes).text;
  }

  /** Lines that came and went; undefined where one of both is not kept. */
  async lines(before: Content, after: Content): Promise<FileRecord["lines"]> {
    const [left, right] = await Promise.all([this.#textOf(before), this.#textOf(after)]);
    if (left === undefined || right === undefined) return undefined;
    const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    let [added, removed] = [0, 0];
    for (const { start, end, text } of await textEdits(left, right, pause)) {
      added += linesIn(text);
      removed += linesIn(left.slice(start, end));
    }
    return { added, removed };
  }

  /** No file is an empty text. */
  async #textOf(content: Content): Promise<string | undefined> {
    return content.kind === "none" ? "" : await this.read(content);
  }

  /** Whether both are the same to the byte. What cannot be told is not. */
  async isSame(one: Content, other: Content): Promise<boolean> {
    if (one.kind === "none" || other.kind === "none") return one.kind === other.kind;
    if (one.kind === "named" || other.kind === "named") {
      const [sign, others] = [signOf(one), signOf(other)];
      return sign !== undefined && sign === others;
    }
    if (one.kind === "link" || other.kind === "link") {
      return one.kind === "link" && other.kind === "link" && one.target === other.target;
    }
    if (one.kind !== "git" && other.kind !== "git") return one.kind === other.kind && one.text === other.text;
    if (one.kind === "git" && other.kind === "git" && one.object === other.object) return one.size === other.size;
    if (sizeOf(one) !== sizeOf(other)) return false;
    const [left, right] = await Promise.all([this.bytes(one), this.bytes(other)]);
    return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
  }
}

/** A text that could not be kept has the name that it would have in the store. */
function signOf(content: Content): string | undefined {
  if (content.kind === "named") return content.sign;
  return content.kind === "text" || content.kind === "bytes" ? content.text : undefined;
}

/** In the work tree, modulo 2^32 as git counts. */
function sizeOf(content: Extract<Content, { kind: "text" | "bytes" | "git" }>): number {
  return (content.kind === "text" ? (bytesOf(content.text) ?? 0) : content.size) % 2 ** 32;
}

/** Lines that an edit takes or brings; one at the end of a text may begin with the line end before it. */
function linesIn(part: string): number {
  if (part === "") return 0;
  const ends = part.split("\n").length - 1;
  return part.endsWith("\n") || part.startsWith("\n") ? ends : ends + 1;
}

/** As it stands in the store. */
function asText(held: Uint8Array | string): { readonly isText: boolean; readonly text: string } {
  const utf8 = typeof held === "string" ? held : textIn(held);
  if (utf8?.includes("\0") === false) return { isText: true, text: utf8 };
  const bytes =
    typeof held === "string" ? Buffer.from(held) : Buffer.from(held.buffer, held.byteOffset, held.byteLength);
  return { isText: false, text: bytes.toString("base64") };
}

/** Undefined where it is not UTF-8. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
