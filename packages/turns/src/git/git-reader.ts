import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import process from "node:process";
import type { Logger, Platform } from "@patchbay/core";

/** A file of a commit or of git's index. */
interface GitObject {
  /** The top of its work tree. */
  readonly repository: string;
  /** Its name, or that of a commit, a colon, and the path in it. */
  readonly object: string;
  /** Of the file in the work tree, in bytes, when git last looked at it. */
  readonly size: number;
}

/** Relative names, with slashes. */
export interface Ignored {
  /** Files that are ignored by themselves. */
  readonly files: readonly string[];
  /** Folders in which nothing else stands than what is ignored; they end with a slash, and what is in them is not named. */
  readonly folders: ReadonlySet<string>;
}

/** PORT: the user's object stores; read only. */
export interface GitObjects {
  /** As it stood in the work tree; undefined where that cannot be told, or it is larger than `limit` bytes. Never rejects. */
  read(object: GitObject, limit: number): Promise<Uint8Array | undefined>;
  dispose(): void;
}

export interface GitReaderOptions {
  readonly platform: Pick<Platform, "clock" | "process">;
  readonly logger: Logger;
}

/** A program that reads objects ends when nobody asks for so long, ms. */
const idleMs = 10_000;

/** Git is not waited for any longer, ms. */
const patienceMs = 5_000;

/** A list of more is of no use. */
const longestListBytes = 32 * 1024 * 1024;

/** A directory that took too long is left alone for so long, ms. */
const pauseMs = 60_000;

/**
 * Whatever the configuration says, git starts no other program for what is asked here, takes no lock and fetches nothing. It is always asked
 * from within the work tree: only then does it look whose the repository is, and refuses that of another user.
 */
const readOnly = [
  "--no-optional-locks",
  "--literal-pathspecs",
  "-c",
  "core.fsmonitor=false",
  // One that is too old for GIT_NO_LAZY_FETCH starts `git fetch`, which ends at once over this, before it has written its configuration.
  "-c",
  "fetch.prune=never",
];

/** Reads from the user's repositories by their own git, which is the one that knows all forms of them. Writes nothing. */
export class GitReader implements GitObjects {
  readonly #options: GitReaderOptions;
  readonly #readers: Map<string, ObjectReader> = new Map();
  readonly #listing: Set<ChildProcessWithoutNullStreams> = new Set();
  #isOver = false;
  /** When directories may be asked for again that took too long; by the steady clock. */
  readonly #pauses: Map<string, number> = new Map();

  constructor(options: GitReaderOptions) {
    this.#options = options;
  }

  async read({ repository, object, size }: GitObject, limit: number): Promise<Uint8Array | undefined> {
    if (this.#isOver || !/^[0-9a-f]{40,64}(?::[^\0\r\n]+)?$/u.test(object)) return undefined;
    let reader = this.#readers.get(repository);
    if (reader === undefined || reader.isOver) {
      reader = new ObjectReader(this.#start(["-C", repository, "cat-file", "--batch"]), this.#options.platform);
      this.#readers.set(repository, reader);
    }
    const bytes = await reader.read(object, limit);
    return bytes === undefined ? undefined : asInWorkTree(bytes, size);
  }

  /**
   * Files below a directory that git neither tracks nor ignores, relative to it, with slashes; one that ends with a slash is a repository of
   * its own. Undefined where git cannot tell. Never rejects.
   */
  async untracked(directory: string): Promise<readonly string[] | undefined> {
    return await this.#list(directory, ["--exclude-standard"]);
  }

  /** What git ignores below a directory; undefined where it cannot tell. Never rejects. */
  async ignored(directory: string): Promise<Ignored | undefined> {
    const names = await this.#list(directory, ["--ignored", "--exclude-standard", "--directory"]);
    if (names === undefined) return undefined;
    const folders = new Set(names.filter((name) => name.endsWith("/")));
    // Where it is no pattern for the folder that leaves its files out, git names both.
    return { files: names.filter((name) => !name.endsWith("/") && !isBelow(name, folders)), folders };
  }

  async #list(directory: string, which: readonly string[]): Promise<readonly string[] | undefined> {
    const { clock } = this.#options.platform;
    if (this.#isOver) return undefined;
    const key = `${directory}\0${which.join(" ")}`;
    if (clock.monotonic() < (this.#pauses.get(key) ?? 0)) return undefined;
    const child = this.#start(["-C", directory, "ls-files", "--others", ...which, "-z"]);
    this.#listing.add(child);
    return await new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const timer = clock.setTimeout(() => {
        this.#pauses.set(key, clock.monotonic() + pauseMs);
        child.kill();
      }, patienceMs);
      child.stdin.end();
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > longestListBytes) child.kill();
      });
      child.on("error", () => {
        timer.dispose();
        resolve(undefined);
      });
      child.on("close", (code) => {
        timer.dispose();
        this.#listing.delete(child);
        const names = Buffer.concat(chunks).toString("utf8").split("\0");
        resolve(code === 0 ? names.filter((name) => name !== "") : undefined);
      });
    });
  }

  dispose(): void {
    this.#isOver = true;
    for (const child of this.#listing) child.kill();
    for (const reader of this.#readers.values()) reader.end();
    this.#readers.clear();
  }

  #start(given: readonly string[]): ChildProcessWithoutNullStreams {
    const { homeDirectory } = this.#options.platform.process;
    // From the home: some systems look for a program where it is started first, and that would be the user's repository.
    const child = spawn("git", [...readOnly, ...given], { cwd: homeDirectory, env: environment(), windowsHide: true });
    child.on("error", (error) => this.#options.logger.debug("Git could not be started", { reason: error.message }));
    child.stdin.on("error", () => {});
    child.stderr.resume();
    return child;
  }
}

/** Whether a file stands in one of these folders, at any depth. */
export function isBelow(name: string, folders: ReadonlySet<string>): boolean {
  for (let at = name.lastIndexOf("/"); at !== -1; at = at === 0 ? -1 : name.lastIndexOf("/", at - 1))
    if (folders.has(name.slice(0, at + 1))) return true;
  return false;
}

/** Without what points git at another repository. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/iu.test(name));
  return {
    ...Object.fromEntries(own),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
  };
}

/**
 * An object as it stood in the work tree, by its size there: as it is, or with the line ends that git was told to write. Undefined where
 * neither fits: a filter of the user's made something else of it.
 */
export function asInWorkTree(bytes: Buffer, size: number): Buffer | undefined {
  if (bytes.length % 2 ** 32 === size) return bytes;
  let bare = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    if (at === 0 || bytes[at - 1] !== 0x0d) bare += 1;
  }
  if (bytes.length + bare !== size || bare === 0) return undefined;
  return Buffer.from(bytes.toString("latin1").replace(/(?<!\r)\n/gu, "\r\n"), "latin1");
}

interface Question {
  readonly limit: number;
  readonly answer: (bytes: Buffer | undefined) => void;
}

/** One `git cat-file --batch`: a name goes in, `<name> <type> <size>` and the bytes come out, in order. */
class ObjectReader {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #platform: Pick<Platform, "clock">;
  readonly #questions: Question[] = [];
  readonly #chunks: Buffer[] = [];
  #held = 0;
  /** What is left of the object that comes, with the line feed behind it. */
  #body: { left: number; readonly size: number; readonly isWanted: boolean } | undefined;
  #idle: { dispose(): void } | undefined;
  isOver = false;

  constructor(child: ChildProcessWithoutNullStreams, platform: Pick<Platform, "clock">) {
    this.#child = child;
    this.#platform = platform;
    child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    child.on("error", () => this.end());
    child.on("close", () => this.end());
  }

  async read(object: string, limit: number): Promise<Buffer | undefined> {
    if (this.isOver) return undefined;
    return await new Promise((answer) => {
      this.#questions.push({ limit, answer });
      this.#child.stdin.write(`${object}\n`);
      this.#wait(patienceMs);
    });
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#idle?.dispose();
    this.#child.stdin.end();
    this.#child.kill();
    for (const { answer } of this.#questions.splice(0)) answer(undefined);
  }

  #wait(ms: number): void {
    this.#idle?.dispose();
    this.#idle = this.#platform.clock.setTimeout(() => this.end(), ms);
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    for (;;) {
      if (this.#body === undefined && !this.#readHeader()) return;
      if (this.#body !== undefined && !this.#readBody()) return;
    }
  }

  #readHeader(): boolean {
    const held = this.#all();
    const end = held.indexOf(0x0a);
    if (end === -1) return false;
    const words = held.toString("latin1", 0, end).split(" ");
    this.#rest(held.subarray(end + 1));
    const size = Number(words[2]);
    // "<name> missing"
    if (words.length !== 3 || !Number.isSafeInteger(size)) this.#answer(undefined);
    else
      this.#body = { left: size + 1, size, isWanted: words[1] === "blob" && size <= (this.#questions[0]?.limit ?? 0) };
    return true;
  }

  /** What is too large passes by and is not held. */
  #readBody(): boolean {
    const body = this.#body;
    if (body === undefined) return false;
    if (!body.isWanted && this.#held < body.left) {
      body.left -= this.#held;
      this.#rest(Buffer.alloc(0));
      return false;
    }
    if (this.#held < body.left) return false;
    const held = this.#all();
    const bytes = body.isWanted ? Buffer.from(held.subarray(0, body.size)) : undefined;
    this.#rest(held.subarray(body.left));
    this.#body = undefined;
    this.#answer(bytes);
    return true;
  }

  #answer(bytes: Buffer | undefined): void {
    this.#questions.shift()?.answer(bytes);
    this.#wait(this.#questions.length > 0 ? patienceMs : idleMs);
  }

  #all(): Buffer {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const all = Buffer.concat(this.#chunks);
    this.#rest(all);
    return all;
  }

  #rest(bytes: Buffer): void {
    this.#chunks.length = 0;
    if (bytes.length > 0) this.#chunks.push(bytes);
    this.#held = bytes.length;
  }
}
