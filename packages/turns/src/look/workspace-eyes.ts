import { basename, sep } from "node:path";
import { hasOneSpelling, type Logger, messageOf, type Platform } from "@patchbay/core";
import type { GitReader } from "../git/git-reader.ts";
import type { IndexEntry } from "../git/git-index.ts";
import { actsSince, onlyCommitted } from "../git/repository.ts";
import type { Contents } from "../ledger/contents.ts";
import { type Content, noFile } from "../ledger/records.ts";
import { type DiskState, diskStateOf, isClean, isSameState } from "./disk-state.ts";
import type { Eyes, Look, SeenChange } from "./eyes.ts";
import type { Places } from "./places.ts";
import { KnownNames } from "./known-names.ts";
import { Moves } from "./moves.ts";
import { readAtOnce } from "./read-at-once.ts";
import { Slices } from "./slices.ts";
import { isSameStage, mostFiles, type WorkTree, WorkTrees } from "./work-trees.ts";

export interface WorkspaceEyesOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  readonly places: Places;
  readonly objects: GitReader;
  readonly contents: Contents;
  /** Links resolved. */
  readonly openFiles: () => readonly string[];
}

/** A file as it was at the last look. */
interface Known {
  /** Undefined: the system did not say. */
  readonly state: DiskState | undefined;
  /** Undefined: nobody had the time to read it, or nobody may. */
  readonly content: Content | undefined;
  /** Git ignores it. */
  readonly isIgnored?: boolean;
}

/** Where a file stands, if git knows it. */
interface Tracked {
  /** The top of its work tree. */
  readonly top: string;
  readonly entry: IndexEntry;
  /** When the index was written. */
  readonly writtenMs: number;
}

/** So many files are read at the begin of a turn at most. */
const mostRead = 10_000;

/** After so long no more files are read at the begin of a turn, ms. */
const readingMs = 2_000;

/** The times of some file systems are so coarse, ms. */
const coarseMs = 2_000;

const unreadBefore: Content = { kind: "named", why: "unread", sign: "unread" };

/**
 * Looks at the work trees of the workspace's folders as git does, and reads only what differs. Where there is no git, it looks at every file,
 * and reads each once; where there are too many for that, at the open ones.
 */
export class WorkspaceEyes implements Eyes {
  readonly #options: WorkspaceEyesOptions;
  readonly #trees: WorkTrees;
  #known: Map<string, Known> = new Map();
  #heads: ReadonlyMap<string, WorkTree> = new Map();
  /** There were more files than are looked at. */
  #wasCut = false;
  /** Whether what is known is from this turn. */
  #isFresh = false;
  /** By the system's own clock, which gives files their times: what has not changed since then was there. */
  #lookedAt = 0;
  #looks = 0;
  #lastMs = 0;

  constructor(options: WorkspaceEyesOptions) {
    this.#options = options;
    this.#trees = new WorkTrees(options.platform, options.objects);
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  forget(): void {
    // What is known saves the next first look from reading the same again.
    this.#isFresh = false;
  }

  async look(session: string): Promise<Look> {
    const { clock } = this.#options.platform;
    const slices = new Slices(clock);
    try {
      return await this.#look(session, slices);
    } catch (error) {
      this.#options.logger.warn("The workspace could not be looked at", { reason: messageOf(error) });
      return { changes: [], headMoved: false, git: [], isPartial: true };
    } finally {
      await slices.pause();
      this.#lastMs = slices.spentMs;
    }
  }

  async #look(session: string, slices: Slices): Promise<Look> {
    const isFirst = !this.#isFresh;
    this.#looks += 1;
    const { files, opened, ignored, trees, isPartial, isCut } = await this.#gather(slices);
    const lookedAt = this.#lookedAt;
    this.#lookedAt = Date.now();
    const moved = await this.#movedTrees(trees, isFirst);
    const git = isFirst ? [] : await this.#actsIn(trees, slices);
    const stashes = this.#stashes(trees);
    const now = new Map<string, Known>();
    const changes: SeenChange[] = [];
    const moves = new Moves(this.#known);
    const reading = new Reading(this.#options, isFirst ? this.#account : session, isFirst);
    let isUnknown = false;
    for (const [path, where] of files) {
      if (slices.isDue) await slices.pause();
      const state = diskStateOf(path);
      const was = this.#known.get(path);
      const isIgnored = ignored.has(path);
      if (state === "unknown") {
        isUnknown = true;
        now.set(path, was ?? { state: undefined, content: undefined, isIgnored });
        continue;
      }
      if (state === undefined) {
        const before = was?.content ?? (was === undefined ? noFile : unreadBefore);
        // A checkout has taken it away, or it is as it was.
        if (!isFirst && was !== undefined && !(where !== undefined && moved.has(where.top))) {
          changes.push(await this.#gone(path, before, was));
        }
        continue;
      }
      const isAsItWas = was?.state !== undefined && isSameState(was.state, state);
      if (was !== undefined && isAsItWas && (!isFirst || (await reading.isKept(was.content, state)))) {
        now.set(path, was);
        continue;
      }
      const isAsInGit = where !== undefined && isClean(state, where.entry, where.writtenMs);
      const isOfCheckout = where !== undefined && moved.has(where.top);
      const inGit = where === undefined ? undefined : contentOf(where);
      if (isAsInGit && (isFirst || isOfCheckout)) {
        // A link is so short that it is read at once.
        now.set(path, { state, content: inGit ?? (await reading.read(path, state)) });
        continue;
      }
      const content = await reading.read(path, state);
      now.set(path, { state, content, isIgnored });
      if (isFirst) continue;
      const movedFrom = was === undefined ? moves.from(state) : undefined;
      const isOld = opened.has(path) || state.changedMs < lookedAt - coarseMs;
      const isTold = this.#wasListed(path, isIgnored);
      // Of what a build makes nobody knows whether it was there where nobody looked.
      if (was === undefined && movedFrom === undefined && (isOld || (isIgnored && !isTold))) continue;
      const wasThere = was !== undefined || (movedFrom === undefined && !isTold);
      const before = isOfCheckout ? inGit : wasThere ? was?.content : noFile;
      const change = await this.#change(path, before ?? unreadBefore, content ?? unreadBefore, was?.state, state);
      if (change === undefined) continue;
      const isOfGit = await this.#isOfStash(path, where, change.after, isAsInGit, stashes);
      changes.push({
        ...change,
        ...(movedFrom === undefined ? {} : { movedFrom }),
        ...(isOfGit ? { isOfGit } : {}),
        ...(isIgnored && wasThere ? { isIgnored } : {}),
      });
    }
    await this.#addLeft(now, files, moved, changes, isFirst, slices);
    this.#known = now;
    this.#heads = new Map(trees.map((tree) => [tree.folder, tree]));
    this.#wasCut = isCut;
    this.#isFresh = true;
    return { changes, headMoved: moved.size > 0, git, isPartial: isPartial || isUnknown || reading.isPartial };
  }

  /** On which copies are kept: on no session's. */
  get #account(): string {
    return `look ${this.#looks}`;
  }

  async #gone(path: string, before: Content, { state, isIgnored }: Known): Promise<SeenChange> {
    return {
      path,
      before: await this.#options.contents.keepCopy(path, before, this.#account),
      after: noFile,
      mode: undefined,
      ...(state === undefined ? {} : { goneMode: state.mode }),
      ...(isIgnored === true ? { isIgnored } : {}),
    };
  }

  /** Whether the last look knew everything that stood where a path is: then what it did not know was not there. */
  #wasListed(path: string, isIgnored: boolean): boolean {
    let innermost: WorkTree | undefined;
    for (const tree of this.#heads.values()) {
      const isIn = tree.folder.length > (innermost?.folder.length ?? -1) && path.startsWith(withSeparator(tree.folder));
      if (isIn) innermost = tree;
    }
    return !this.#wasCut && innermost?.isWhole === true && (!isIgnored || innermost.tellsIgnored(path));
  }

  /** Files that were there and are neither tracked nor listed: gone, or ignored by now. */
  async #addLeft(
    now: Map<string, Known>,
    files: ReadonlyMap<string, unknown>,
    moved: ReadonlySet<string>,
    changes: SeenChange[],
    isFirst: boolean,
    slices: Slices,
  ): Promise<void> {
    if (isFirst) return;
    for (const [path, was] of this.#known) {
      if (files.has(path)) continue;
      if (slices.isDue) await slices.pause();
      const state = diskStateOf(path);
      if (state !== undefined) now.set(path, was);
      else if (!this.#wasTrackedIn(path, moved)) changes.push(await this.#gone(path, was.content ?? unreadBefore, was));
    }
  }

  #wasTrackedIn(path: string, moved: ReadonlySet<string>): boolean {
    for (const { git, index } of this.#heads.values()) {
      if (git !== undefined && moved.has(git.repository.top) && index.entries.has(path)) return true;
    }
    return false;
  }

  async #change(
    path: string,
    before: Content,
    after: Content,
    was: DiskState | undefined,
    is: DiskState,
  ): Promise<SeenChange | undefined> {
    const isSame = await this.#options.contents.isSame(before, after);
    // Those of a link say nothing.
    const mode = was?.kind === "file" && was.mode !== is.mode ? { before: was.mode, after: is.mode } : undefined;
    if (isSame && mode === undefined) return undefined;
    const kept = await this.#options.contents.keepCopy(path, before, this.#account);
    return { path, before: kept, after: isSame ? kept : after, mode };
  }

  /** Every file that is looked at, with what git knows of it. */
  async #gather(slices: Slices): Promise<{
    readonly files: ReadonlyMap<string, Tracked | undefined>;
    /** Those of them that are looked at only because they are open: they may have been there before. */
    readonly opened: ReadonlySet<string>;
    readonly ignored: ReadonlySet<string>;
    readonly trees: readonly WorkTree[];
    readonly isPartial: boolean;
    readonly isCut: boolean;
  }> {
    const { places, openFiles } = this.#options;
    const files = new Map<string, Tracked | undefined>();
    const ignored = new Set<string>();
    const trees: WorkTree[] = [];
    let isPartial = false;
    const names = hasOneSpelling(this.#options.platform) ? undefined : new KnownNames(this.#known);
    for (const { real } of await places.load()) {
      for (const tree of await this.#trees.of(real, slices)) {
        const { entries, writtenMs } = tree.index;
        const top = tree.git?.repository.top ?? tree.folder;
        trees.push(tree);
        isPartial ||= !tree.isWhole;
        for (const [path, entry] of entries) {
          if (slices.isDueInMany) await slices.pause();
          files.set(path, { top, entry, writtenMs });
        }
        names?.listed(tree);
        for (const found of tree.untracked) {
          const path = names?.of(found) ?? found;
          if (!files.has(path) && !isOfEditors(path)) files.set(path, undefined);
        }
        for (const found of tree.ignored) {
          const path = names?.of(found) ?? found;
          if (files.has(path) || isOfEditors(path)) continue;
          files.set(path, undefined);
          ignored.add(path);
        }
      }
    }
    const opened = new Set(openFiles().filter((path) => places.isInside(path) && !files.has(path)));
    for (const path of opened) files.set(path, undefined);
    if (files.size <= mostFiles) return { files, opened, ignored, trees, isPartial, isCut: false };
    const cut = new Map(Array.from(files).slice(0, mostFiles));
    return { files: cut, opened, ignored, trees, isPartial: true, isCut: true };
  }

  /** What git did in these since the last look. */
  async #actsIn(trees: readonly WorkTree[], slices: Slices): Promise<readonly string[]> {
    const acts = new Set<string>();
    for (const { folder, git, index } of trees) {
      const earlier = this.#heads.get(folder);
      if (git === undefined || earlier?.git === undefined) continue;
      const { files } = this.#options.platform;
      const done = await actsSince(files, git.repository, earlier.git.head, git.head);
      for (const act of done) acts.add(act);
      // Whatever git does else changes what is staged, too.
      if (done.length === 0 && !(await isSameStage(earlier.index, index, slices))) acts.add("index");
    }
    return [...acts];
  }

  /** The work trees in which something was put aside or taken back since the last look, and what that was, by their tops. */
  #stashes(trees: readonly WorkTree[]): ReadonlyMap<string, string | undefined> {
    const found = new Map<string, string | undefined>();
    for (const { folder, git } of trees) {
      const earlier = this.#heads.get(folder)?.git;
      if (git !== undefined && earlier !== undefined && git.head.stash !== earlier.head.stash)
        found.set(git.repository.top, earlier.head.stash);
    }
    return found;
  }

  async #isOfStash(
    path: string,
    where: Tracked | undefined,
    after: Content,
    isAsInGit: boolean,
    stashes: ReadonlyMap<string, string | undefined>,
  ): Promise<boolean> {
    if (where === undefined || !stashes.has(where.top)) return false;
    if (isAsInGit) return true;
    const state = diskStateOf(path);
    if (state === undefined || state === "unknown") return false;
    const [stash, { path: name, object: staged }] = [stashes.get(where.top), where.entry];
    for (const object of [staged, ...(stash === undefined ? [] : [`${stash}:${name}`])]) {
      const inGit = { kind: "git", repository: where.top, object, size: state.size } as const;
      if (await this.#options.contents.isSame(after, inGit)) return true;
    }
    return false;
  }

  /** The tops of the work trees into which something else than what was there has been checked out. */
  async #movedTrees(trees: readonly WorkTree[], isFirst: boolean): Promise<ReadonlySet<string>> {
    const moved = new Set<string>();
    for (const { folder, git } of isFirst ? [] : trees) {
      const earlier = this.#heads.get(folder)?.git?.head;
      if (git === undefined || earlier === undefined || earlier.commit === git.head.commit) continue;
      const { repository } = git;
      if (!(await onlyCommitted(this.#options.platform.files, repository, earlier))) moved.add(repository.top);
    }
    return moved;
  }
}

/**
 * What editors put beside a file while it is open or being written, and nobody calls a change: Vim (swap, backup and undo files, the 4913
 * by which it tries a folder), Emacs (locks, auto-saves, backups), Kate, JetBrains, GLib, LibreOffice and Microsoft Office.
 */
const ofEditors =
  /^(?:\..*\.(?:sw[a-z]|kate-swp)|.*~|4913|\.#.*|#.*#|.*___jb_(?:tmp|old|bak)___|\.goutputstream-\w+|\.~lock\..*#|~\$.*)$/su;

function isOfEditors(path: string): boolean {
  return ofEditors.test(basename(path));
}

function withSeparator(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function contentOf({ top, entry }: Tracked): Content | undefined {
  if ((entry.mode & 0o170000) !== 0o100000) return undefined;
  return { kind: "git", repository: top, object: entry.object, size: entry.size };
}

/** Reads files during one look, at its begin not longer than an agent can be held up. */
class Reading {
  readonly #options: Pick<WorkspaceEyesOptions, "contents" | "platform">;
  readonly #account: string;
  readonly #isBounded: boolean;
  readonly #begun: number;
  #count = 0;
  #bytes = 0;
  /** Asked for once in a look. */
  #isThere: ((content: Content) => Promise<boolean>) | undefined;
  isPartial = false;

  constructor(options: Pick<WorkspaceEyesOptions, "contents" | "platform">, account: string, isBounded: boolean) {
    this.#options = options;
    this.#account = account;
    this.#isBounded = isBounded;
    this.#begun = options.platform.clock.monotonic();
  }

  async read(path: string, state: DiskState): Promise<Content | undefined> {
    if (state.kind === "other") return { kind: "named", why: "other", sign: `${state.kind} ${state.changedMs}` };
    const { contents, platform } = this.#options;
    if (state.kind === "link") return await contents.ofFile(path, this.#account);
    this.#count += 1;
    const isTooMuch =
      this.#count > mostRead || !this.#hasRoom(state) || platform.clock.monotonic() - this.#begun > readingMs;
    if (this.#isBounded && isTooMuch) {
      this.isPartial = true;
      return undefined;
    }
    const { small } = contents.copyLimits;
    if (!this.#isBounded || state.size > small) return await contents.ofFile(path, this.#account);
    const held = contents.mayKeep(path) ? readAtOnce(path, small) : undefined;
    return held === undefined ? await contents.copyOf(path, this.#account) : await contents.copy(held);
  }

  /** Whether what was read of it before is there still. */
  async isKept(content: Content | undefined, state: DiskState): Promise<boolean> {
    // Of what could not be copied, a full disk for one, a copy may be had by now.
    const isSmall = state.size <= this.#options.contents.copyLimits.file;
    const isLacking =
      content?.kind === "named" && ["failed", "unread", ...(isSmall ? ["large"] : [])].includes(content.why);
    if (isLacking) return false;
    if (content === undefined) return false;
    this.#isThere ??= await this.#options.contents.whetherKept();
    const isThere = await this.#isThere(content);
    if (isThere && (content.kind === "text" || content.kind === "bytes")) this.#hasRoom(state);
    return isThere;
  }

  /** Copies at the begin leave room for what is to come. Large files are not copied. */
  #hasRoom({ size }: DiskState): boolean {
    const { all, file } = this.#options.contents.copyLimits;
    if (size > file) return true;
    this.#bytes += size;
    return this.#bytes <= all;
  }
}
