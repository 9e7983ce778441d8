import { type Logger, messageOf, type Platform, textEdits } from "@patchbay/core";
import type { GitObjects } from "../git/git-reader.ts";
import { bytesOf, nameOfText, type TurnStore } from "../store/turn-store.ts";
import { type Content, type FileRecord, noFile } from "./records.ts";
import type { StoreHealth } from "./store-health.ts";

export interface ContentsOptions {
  readonly platform: Pick<Platform, "files" | "random">;
  readonly logger: Logger;
  readonly health: Pick<StoreHealth, "failed">;
  readonly store: TurnStore;
  readonly objects: GitObjects;
  /** Paths with links resolved. */
  readonly mayKeep: (path: string) => boolean;
  /** Of one file and of one session, in bytes. */
  readonly limits: { readonly file: number; readonly session: number };
}

type NotKept = Exclude<Content, { kind: "text" | "git" }>;

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

  /** What a file holds now; kept for a session if it is a text. No link is followed. */
  async ofFile(path: string, session: string): Promise<Content> {
    const held = await this.#readNow(path);
    return held instanceof Uint8Array ? await this.keep(path, held, session) : held;
  }

  /** The text of a file as it is, not kept: also where there is no room. Undefined where `ofFile` would name the file only. */
  async textNow(path: string): Promise<{ readonly text: string | undefined } | undefined> {
    const held = await this.#readNow(path);
    if (!(held instanceof Uint8Array)) return held.kind === "none" ? { text: undefined } : undefined;
    const text = textIn(held);
    return text === undefined || text.includes("\0") ? undefined : { text };
  }

  async #readNow(path: string): Promise<Uint8Array | NotKept> {
    const { platform, limits, mayKeep } = this.#options;
    let sign = "unread";
    try {
      const facts = await platform.files.lstat(path);
      if (facts === undefined) return { kind: "none" };
      sign = `${facts.kind} ${facts.size} ${facts.modifiedMs}`;
      if (facts.kind !== "file") return { kind: "named", why: "other", sign };
      if (!mayKeep(path)) return { kind: "named", why: "withheld", sign };
      if (facts.size > limits.file) return { kind: "named", why: "large", sign };
      const held = await platform.files.readReal(path, limits.file, facts);
      if (held !== undefined) return held;
      const now = await platform.files.lstat(path);
      if (now === undefined) return { kind: "none" };
      sign = `${now.kind} ${now.size} ${now.modifiedMs}`;
      if (now.kind !== "file") return { kind: "named", why: "other", sign };
      // Behind a link by now: where that leads is none of this folder.
      if ((await platform.files.realPath(path)) !== path) return { kind: "none" };
      // It grew while it was read.
      return { kind: "named", why: now.size > limits.file ? "large" : "unread", sign };
    } catch {
      // No descriptor left, no permission, a failing disk. That says nothing of what it holds, least of all that it is not there.
      return { kind: "named", why: "unread", sign };
    }
  }

  /** The same of what is in hand. */
  async keep(path: string, held: Uint8Array | string | undefined, session: string): Promise<Content> {
    if (held === undefined) return noFile;
    const { store, limits, mayKeep, platform, logger, health } = this.#options;
    const text = typeof held === "string" ? held : textIn(held);
    const size = typeof held === "string" ? Buffer.byteLength(held) : held.byteLength;
    const sign = (): string => platform.random.mac("sign", text ?? Buffer.from(held).toString("latin1"));
    if (!mayKeep(path)) return { kind: "named", why: "withheld", sign: sign() };
    if (text === undefined || text.includes("\0")) return { kind: "named", why: "binary", sign: sign() };
    const spent = this.#spent.get(session) ?? 0;
    const textName = nameOfText(text, platform.random.mac);
    const isKept = store.has(textName);
    if (size > limits.file || (!isKept && spent + size > limits.session)) {
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
    return { kind: "text", text: name };
  }

  /** Texts that this run has kept, perhaps only to compare them. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Whether a text can be read again. It stays then for as long as nobody has named it. */
  async isKept(content: Content): Promise<boolean> {
    return content.kind !== "text" || (await this.#options.store.refresh(content.text).catch(() => false));
  }

  /** Undefined where there was no file, or its text is not kept. */
  async read(content: Content): Promise<string | undefined> {
    const { store, objects, limits } = this.#options;
    switch (content.kind) {
      case "text":
        return await store.read(content.text);
      case "git": {
        const bytes = await objects.read(content, limits.file);
        const text = bytes === undefined ? undefined : textIn(bytes);
        return text?.includes("\0") === true ? undefined : text;
      }
      default:
        return undefined;
    }
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
    if (one.kind === "text" && other.kind === "text") return one.text === other.text;
    if (one.kind === "git" && other.kind === "git" && one.object === other.object) return one.size === other.size;
    if (sizeOf(one) !== sizeOf(other)) return false;
    const [left, right] = await Promise.all([this.read(one), this.read(other)]);
    return left !== undefined && left === right;
  }
}

/** A text that could not be kept has the name that it would have in the store. */
function signOf(content: Content): string | undefined {
  return content.kind === "named" ? content.sign : content.kind === "text" ? content.text : undefined;
}

/** In the work tree, modulo 2^32 as git counts. */
function sizeOf(content: Extract<Content, { kind: "text" | "git" }>): number {
  return content.kind === "git" ? content.size : (bytesOf(content.text) ?? 0) % 2 ** 32;
}

/** Lines that an edit takes or brings; one at the end of a text may begin with the line end before it. */
function linesIn(part: string): number {
  if (part === "") return 0;
  const ends = part.split("\n").length - 1;
  return part.endsWith("\n") || part.startsWith("\n") ? ends : ends + 1;
}

/** Undefined where it is not UTF-8. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
