import { posix } from "node:path";
import {
  type Clock,
  type Disposable,
  type FileFacts,
  type Files,
  type OpenedText,
  type Platform,
  type Random,
  toDisposable,
} from "@patchbay/core";
import { createFakeClock, createFakeRandom, type FakeClock } from "./fake-clock.ts";
import { createFakeProcess, type FakeProcess, type FakeProcessOptions } from "./fake-process.ts";

interface Entry {
  readonly kind: FileFacts["kind"];
  uid: number;
  mode: number;
  data: string;
  modifiedMs: number;
  readonly id: string;
}

export type FilesCall = Exclude<keyof Files, "removeSync" | "watch">;

export interface MemoryFilesOptions {
  readonly clock: Clock;
  /** The user whom new entries belong to. */
  readonly uid: number;
  /** Directories that are there from the start. */
  readonly directories: readonly string[];
}

/** A POSIX file system in memory, with owners, modes and links, and with faults on demand. */
export class MemoryFiles implements Files {
  /** Bytes that can still be written; less means ENOSPC. */
  freeBytes: number = Number.POSITIVE_INFINITY;
  /** False: the system has no watches left. */
  canWatch: boolean = true;
  readonly #options: MemoryFilesOptions;
  readonly #entries: Map<string, Entry> = new Map();
  readonly #faults: { readonly call: FilesCall; readonly path: string | undefined; readonly code: string }[] = [];
  readonly #before: ((call: FilesCall, path: string) => void)[] = [];
  #made = 0;
  readonly #watches: Set<{ readonly directory: string; readonly onChange: () => void }> = new Set();

  constructor(options: MemoryFilesOptions) {
    this.#options = options;
    for (const directory of ["/", ...options.directories]) this.addDirectory(directory);
  }

  /** Puts a directory and its missing parents there, as another program would. */
  addDirectory(path: string, facts: { readonly uid?: number; readonly mode?: number } = {}): void {
    if (path !== "/" && !this.#entries.has(posix.dirname(path))) this.addDirectory(posix.dirname(path));
    this.#put(path, { kind: "directory", uid: facts.uid, mode: facts.mode ?? 0o755, data: "" });
  }

  addFile(path: string, data: string, facts: { readonly uid?: number; readonly mode?: number } = {}): void {
    this.#addDirectoryOf(path);
    this.#put(path, { kind: "file", uid: facts.uid, mode: facts.mode ?? 0o644, data });
  }

  addLink(path: string, target: string, facts: { readonly uid?: number } = {}): void {
    this.#addDirectoryOf(path);
    this.#put(path, { kind: "link", uid: facts.uid, mode: 0o777, data: target });
  }

  /** The next such call (of that path, where one is given) fails with this system error code. */
  failNext(call: FilesCall, code: string, path?: string): void {
    this.#faults.push({ call, path, code });
  }

  /** Runs before every call: the place where a test lets another process interfere. */
  onBefore(listener: (call: FilesCall, path: string) => void): void {
    this.#before.push(listener);
  }

  /** An entry and everything below it is gone, as after another program's cleaning. */
  vanish(path: string): void {
    for (const key of Array.from(this.#entries.keys())) {
      if (key !== path && !key.startsWith(`${path}/`)) continue;
      this.#entries.delete(key);
    }
    this.#tell(path);
  }

  /** Every path there is, sorted. */
  get paths(): readonly string[] {
    return Array.from(this.#entries.keys()).sort();
  }

  async lstat(path: string): Promise<FileFacts | undefined> {
    this.#enter("lstat", path);
    const entry = this.#entries.get(this.#throughParents(path));
    if (entry === undefined) return undefined;
    return factsOf(entry);
  }

  async makeDirectory(path: string, mode: number): Promise<"created" | "exists"> {
    this.#enter("makeDirectory", path);
    const real = this.#inDirectory(path);
    if (this.#entries.has(real)) return "exists";
    this.#put(real, { kind: "directory", uid: undefined, mode, data: "" });
    return "created";
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#enter("chmod", path);
    const entry = this.#existing(path);
    if (entry.uid !== this.#options.uid) throw systemError("EPERM", path);
    entry.mode = mode;
  }

  async createExclusive(path: string, pieces: string | Iterable<string>, mode: number): Promise<void> {
    this.#enter("createExclusive", path);
    const data = typeof pieces === "string" ? pieces : Array.from(pieces).join("");
    const real = this.#inDirectory(path);
    if (this.#entries.has(real)) throw systemError("EEXIST", path);
    const size = Buffer.byteLength(data);
    if (size > this.freeBytes) throw systemError("ENOSPC", path);
    this.freeBytes -= size;
    this.#put(real, { kind: "file", uid: undefined, mode, data });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#enter("rename", from);
    const entry = this.#existing(from);
    const target = this.#inDirectory(to);
    if (this.#entries.get(target)?.kind === "directory") throw systemError("EISDIR", to);
    this.#entries.delete(this.#throughParents(from));
    this.#entries.set(target, entry);
    this.#tell(target);
  }

  async remove(path: string): Promise<void> {
    this.#enter("remove", path);
    this.removeSync(path);
  }

  async removeDirectory(path: string): Promise<void> {
    this.#enter("removeDirectory", path);
    const real = this.#throughParents(path);
    if (this.#entries.get(real)?.kind !== "directory") return;
    if (this.paths.some((entry) => entry.startsWith(`${real}/`))) throw systemError("ENOTEMPTY", path);
    this.#entries.delete(real);
    this.#tell(real);
  }

  removeSync(path: string): void {
    const real = this.#throughParents(path);
    const entry = this.#entries.get(real);
    if (entry === undefined || entry.kind === "directory") return;
    this.#entries.delete(real);
    this.#tell(real);
  }

  async readText(path: string, limitBytes: number): Promise<string | undefined> {
    this.#enter("readText", path);
    return this.#open(path, limitBytes)?.text;
  }

  async readOpened(path: string, limitBytes: number): Promise<OpenedText | undefined> {
    this.#enter("readOpened", path);
    return this.#open(path, limitBytes);
  }

  async readReal(path: string, limitBytes: number): Promise<Uint8Array | undefined> {
    this.#enter("readReal", path);
    const entry = this.#entries.get(path);
    if (entry?.kind !== "file" || this.#resolve(path) !== path) return undefined;
    const bytes = Buffer.from(entry.data);
    return bytes.length > limitBytes ? undefined : bytes;
  }

  async replaceText(path: string, heldText: string, text: string): Promise<"replaced" | "stale"> {
    this.#enter("replaceText", path);
    const real = this.#throughParents(path);
    const entry = this.#entries.get(real);
    if (entry?.kind !== "file" || entry.data !== heldText) return "stale";
    this.#entries.set(real, { ...entry, data: text, modifiedMs: this.#options.clock.now() });
    return "replaced";
  }

  async startsWithByteOrderMark(path: string): Promise<boolean> {
    this.#enter("startsWithByteOrderMark", path);
    return this.#entries.get(this.#throughParents(path))?.data.startsWith("\uFEFF") === true;
  }

  async list(path: string): Promise<readonly string[]> {
    this.#enter("list", path);
    const real = this.#resolve(path);
    if (real === undefined) return [];
    const prefix = real === "/" ? "/" : `${real}/`;
    return this.paths.flatMap((entry) => {
      const name = entry.slice(prefix.length);
      return entry.startsWith(prefix) && name !== "" && !name.includes("/") ? [name] : [];
    });
  }

  async realPath(path: string): Promise<string | undefined> {
    this.#enter("realPath", path);
    return this.#resolve(path);
  }

  async readLink(path: string): Promise<string | undefined> {
    this.#enter("readLink", path);
    const entry = this.#entries.get(this.#throughParents(path));
    return entry?.kind === "link" ? entry.data : undefined;
  }

  watch(directory: string, onChange: () => void): Disposable | undefined {
    if (!this.canWatch || this.#entries.get(directory)?.kind !== "directory") return undefined;
    const watch = { directory, onChange };
    this.#watches.add(watch);
    return toDisposable(() => this.#watches.delete(watch));
  }

  /** Something happened to an entry: whoever watches its directory, or what is gone with it, hears of it. */
  #tell(path: string): void {
    for (const watch of Array.from(this.#watches)) {
      const isGone = !this.#entries.has(watch.directory);
      if (isGone) this.#watches.delete(watch);
      if (isGone || posix.dirname(path) === watch.directory) watch.onChange();
    }
  }

  #addDirectoryOf(path: string): void {
    if (!this.#entries.has(posix.dirname(path))) this.addDirectory(posix.dirname(path));
  }

  #put(path: string, entry: { kind: Entry["kind"]; uid: number | undefined; mode: number; data: string }): void {
    const modifiedMs = this.#options.clock.now();
    this.#made += 1;
    this.#entries.set(path, {
      ...entry,
      uid: entry.uid ?? this.#options.uid,
      modifiedMs,
      id: this.#made.toString(),
    });
    this.#tell(path);
  }

  #open(path: string, limitBytes: number): OpenedText | undefined {
    const entry = this.#entries.get(this.#throughParents(path));
    if (entry?.kind !== "file" || Buffer.byteLength(entry.data) > limitBytes) return undefined;
    return { text: entry.data, facts: factsOf(entry) };
  }

  #enter(call: FilesCall, path: string): void {
    for (const listener of this.#before) listener(call, path);
    const index = this.#faults.findIndex((fault) => fault.call === call && (fault.path ?? path) === path);
    const fault = this.#faults[index];
    if (fault === undefined) return;
    this.#faults.splice(index, 1);
    throw systemError(fault.code, path);
  }

  #existing(path: string): Entry {
    const entry = this.#entries.get(this.#throughParents(path));
    if (entry === undefined) throw systemError("ENOENT", path);
    return entry;
  }

  /** The path with the links of its directories resolved; its directory must be there. */
  #inDirectory(path: string): string {
    const parent = this.#resolve(posix.dirname(path));
    if (parent === undefined) throw systemError("ENOENT", path);
    if (this.#entries.get(parent)?.kind !== "directory") throw systemError("ENOTDIR", path);
    return posix.join(parent, posix.basename(path));
  }

  #throughParents(path: string): string {
    if (path === "/") return path;
    const parent = this.#resolve(posix.dirname(path));
    return posix.join(parent ?? posix.dirname(path), posix.basename(path));
  }

  #resolve(path: string, depth = 0): string | undefined {
    if (depth > 40) return undefined;
    let current = "/";
    for (const [index, part] of path.split("/").filter(Boolean).entries()) {
      const next = posix.join(current, part);
      const entry = this.#entries.get(next);
      if (entry === undefined) return undefined;
      if (entry.kind === "link") {
        const rest = path
          .split("/")
          .filter(Boolean)
          .slice(index + 1);
        return this.#resolve(posix.resolve(current, entry.data, ...rest), depth + 1);
      }
      current = next;
    }
    return current;
  }
}

function factsOf({ kind, uid, mode, data, modifiedMs, id }: Entry): FileFacts {
  return { kind, uid, mode, size: Buffer.byteLength(data), modifiedMs, changedMs: modifiedMs, id };
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

export interface MemoryPlatformOptions extends FakeProcessOptions {
  /** Unix milliseconds at which the clock stands. */
  readonly now?: number;
  /** Makes the random texts. */
  readonly seed?: string;
}

/** A machine in memory: each part has its own controls. */
export interface MemoryPlatform extends Platform {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly files: MemoryFiles;
  readonly process: FakeProcess;
}

/** A machine with a home and a temporary directory and nothing in them. */
export function createMemoryPlatform(options: MemoryPlatformOptions = {}): MemoryPlatform {
  const clock = createFakeClock(options.now);
  const process = createFakeProcess(options);
  const files = new MemoryFiles({ clock, uid: process.uid, directories: [process.homeDirectory] });
  files.addDirectory(process.temporaryDirectory, { uid: 0, mode: 0o1777 });
  return { clock, random: createFakeRandom(options.seed), files, process };
}
