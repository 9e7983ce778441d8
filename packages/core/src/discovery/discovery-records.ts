import type { DiscoveryRecord } from "../agents/dialect.ts";
import type { Platform } from "../platform/platform.ts";
import {
  adviceFor,
  causeOf,
  findPrivateDirectory,
  isOwn,
  isPlainName,
  ownLinksBelow,
  type PrivateDirectory,
  privateFileNames,
  type PrivateFileNames,
  writePrivateFile,
} from "../storage/private-directory.ts";
import { markerFor, markRecord, maximumRecordBytes, parseMarker, type RecordMarker } from "../storage/claim.ts";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { Logger } from "../support/logger.ts";
import type { RecordWatch, StaleRecordsSweep } from "./record-upkeep.ts";

export interface DiscoveryRecordsOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  /**
   * Key of the editor window served, where one outlives this process (coc.nvim: the editor's pid and start). Records of an
   * earlier process with the same key are swept even while that process lives on as an orphan.
   */
  readonly owner?: string;
}

/** A record that was not written. The others were. */
export interface WriteProblem {
  /** The place that is wrong. */
  readonly path: string;
  /** Sentences for the user: what is wrong and what to do. */
  readonly message: string;
}

/** The files through which agents find this companion: written privately, kept in being, taken away at the end. */
export interface DiscoveryRecords {
  /**
   * Makes `records` the whole set: writes what is new or changed, removes what is no longer wanted. Calls while one runs
   * are answered with the result of the last. Adds the marker by which a later run knows them. Never rejects.
   */
  write(records: readonly DiscoveryRecord[]): Promise<readonly WriteProblem[]>;
  /** Writes again what vanished (temporary-file cleaners) and tries again what was refused. One lstat per record while all is well. */
  verify(): Promise<readonly WriteProblem[]>;
  /**
   * From now on writes again, within seconds and without being asked, what vanishes. `onDidRestore` hears each time what
   * could not be written. Loads what watches. Never rejects.
   */
  keep(onDidRestore: (problems: readonly WriteProblem[]) => void): Promise<void>;
  /** Removes records that runs of Patchbay which have ended left in these places. Touches nobody else's. Loads what sweeps. */
  sweepStale(places: StaleRecordsSweep["places"]): Promise<void>;
  /**
   * The end: removes every record, also those of a write that is still running. A later `write` or `verify` does nothing,
   * so that an event that was on its way cannot bring a record back. Never rejects.
   */
  remove(): Promise<void>;
  /** The same for the last synchronous moment of a process. Never throws. */
  removeSync(): void;
}

/** Creates the set, empty. Nothing is touched before the first call. */
export function createDiscoveryRecords(options: DiscoveryRecordsOptions): DiscoveryRecords {
  return new RecordSet(options);
}

type Placement = { readonly kind: "placed"; readonly path: string } | ({ readonly kind: "problem" } & WriteProblem);

class RecordSet implements DiscoveryRecords {
  readonly #platform: Platform;
  readonly #logger: Logger;
  readonly #owner: string | undefined;
  readonly #marker: LoadOnce<RecordMarker> = new LoadOnce(() => markerFor(this.#platform, this.#owner));
  #wanted: readonly DiscoveryRecord[] = [];
  /** Changes with every call that changes what is wanted; a run that sees it change starts over. */
  #generation = 0;
  #ended = false;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work ends.
  #running: Promise<readonly WriteProblem[]> | undefined;
  /** Text of each record in place, by path. */
  readonly #placed: Map<string, string> = new Map();
  /** The writes that are under way, for `removeSync`. */
  readonly #current: Set<PrivateFileNames> = new Set();
  #problems: readonly WriteProblem[] = [];
  #reported: ReadonlySet<string> = new Set();
  #watch: RecordWatch | undefined;

  constructor(options: DiscoveryRecordsOptions) {
    this.#platform = options.platform;
    this.#logger = options.logger;
    this.#owner = options.owner;
  }

  write(records: readonly DiscoveryRecord[]): Promise<readonly WriteProblem[]> {
    this.#wanted = this.#ended ? [] : records;
    this.#generation += 1;
    return this.#settle();
  }

  async verify(): Promise<readonly WriteProblem[]> {
    if (this.#running !== undefined) return this.#running;
    if (this.#problems.length === 0) {
      const present = await Promise.all(Array.from(this.#placed.keys(), (path) => this.#isInPlace(path)));
      if (present.every(Boolean)) return this.#problems;
    }
    return this.#settle();
  }

  async keep(onDidRestore: (problems: readonly WriteProblem[]) => void): Promise<void> {
    try {
      const upkeep = await import("./record-upkeep.ts");
      if (this.#ended || this.#watch !== undefined) return;
      this.#watch = new upkeep.RecordWatch({
        platform: this.#platform,
        paths: () => Array.from(this.#placed.keys()),
        restore: async () => await this.#restore(onDidRestore),
      });
      this.#watch.follow();
    } catch (error) {
      this.#logger.warn("Discovery records are not watched", { reason: messageOf(error) });
    }
  }

  async #restore(onDidRestore: (problems: readonly WriteProblem[]) => void): Promise<boolean> {
    try {
      await this.#running;
      const present = await Promise.all(Array.from(this.#placed.keys(), (path) => this.#isInPlace(path)));
      if (present.every(Boolean) || this.#ended) return false;
      this.#logger.info("Discovery records had vanished and are written again", {});
      onDidRestore(await this.#settle());
    } catch (error) {
      this.#logger.warn("Discovery records could not be written again", { reason: messageOf(error) });
    }
    return true;
  }

  async sweepStale(places: StaleRecordsSweep["places"]): Promise<void> {
    const { sweepStaleRecords } = await import("./record-upkeep.ts");
    await sweepStaleRecords({ platform: this.#platform, logger: this.#logger, owner: this.#owner, places });
  }

  async remove(): Promise<void> {
    this.#ended = true;
    this.#watch?.dispose();
    await this.write([]);
  }

  removeSync(): void {
    this.#ended = true;
    this.#watch?.dispose();
    this.#wanted = [];
    this.#generation += 1;
    const { files } = this.#platform;
    // The temporary name first: a rename that is under way then either fails or has made the target, which goes next.
    for (const { temporary, target } of this.#current) {
      files.removeSync(temporary);
      files.removeSync(target);
    }
    for (const path of this.#placed.keys()) files.removeSync(path);
    this.#placed.clear();
  }

  #settle(): Promise<readonly WriteProblem[]> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<readonly WriteProblem[]> {
    try {
      for (;;) {
        const generation = this.#generation;
        const problems = await this.#apply(this.#wanted, () => generation === this.#generation);
        if (generation !== this.#generation) continue;
        this.#problems = problems;
        this.#report(problems);
        this.#watch?.follow();
        return problems;
      }
    } finally {
      this.#running = undefined;
    }
  }

  async #apply(records: readonly DiscoveryRecord[], isCurrent: () => boolean): Promise<readonly WriteProblem[]> {
    // Side by side: an editor's start waits for this. Each directory is looked at once; of two records for one place the last counts.
    const directories = new Map<string, Promise<PrivateDirectory>>();
    const places = new Map<string, Promise<Placement | undefined>>();
    for (const record of new Map(records.map((each) => [placeOf(each), each])).values()) {
      const key = placeOf({ ...record, fileName: "" });
      const directory = directories.get(key) ?? this.#findDirectory(record);
      directories.set(key, directory);
      places.set(placeOf(record), this.#place(record, directory, isCurrent));
    }
    const placements = await Promise.all(places.values());
    if (!isCurrent()) return [];
    const kept = new Set<string>();
    const problems: WriteProblem[] = [];
    for (const placement of placements) {
      if (placement?.kind === "placed") kept.add(placement.path);
      else if (placement !== undefined) problems.push({ path: placement.path, message: placement.message });
    }
    const unwanted = Array.from(this.#placed.keys()).filter((path) => !kept.has(path));
    await Promise.all(unwanted.map((path) => this.#takeAway(path)));
    return problems;
  }

  #findDirectory(record: DiscoveryRecord): Promise<PrivateDirectory> {
    return findPrivateDirectory(this.#platform, {
      root: record.root,
      levels: record.directories,
      intent: "make",
      ownLinks: ownLinksBelow(this.#platform, record.root),
    });
  }

  /** Undefined where the record is no longer wanted before anything was written. */
  async #place(
    record: DiscoveryRecord,
    finding: Promise<PrivateDirectory>,
    isCurrent: () => boolean,
  ): Promise<Placement | undefined> {
    const directory = await finding;
    if (directory.kind === "refused") return problem(directory.path, directory.reason);
    if (!isPlainName(record.fileName)) return problem(directory.path, `"${record.fileName}" is not a file name.`);
    const names = privateFileNames(this.#platform, directory.path, record.fileName);
    try {
      const text = markRecord(record.content, await this.#ownMarker());
      const isDone = this.#placed.get(names.target) === text && (await this.#isInPlace(names.target));
      if (!isCurrent()) return undefined;
      if (!isDone) await this.#write(names, text);
      return { kind: "placed", path: names.target };
    } catch (error) {
      return problem(names.target, `${names.target} could not be written (${causeOf(error)}). ${adviceFor(error)}`);
    }
  }

  async #write(names: PrivateFileNames, text: string): Promise<void> {
    this.#current.add(names);
    try {
      await writePrivateFile(this.#platform, names, text);
      // Noted even where it is no longer wanted: the next pass takes it away.
      this.#placed.set(names.target, text);
      this.#logger.debug("Discovery record written", { path: names.target });
    } finally {
      this.#current.delete(names);
    }
  }

  async #isInPlace(path: string): Promise<boolean> {
    try {
      const facts = await this.#platform.files.lstat(path);
      return facts?.kind === "file" && (facts.mode & 0o777) === 0o600 && isOwn(this.#platform, facts);
    } catch (error) {
      this.#logger.debug("Discovery record could not be examined", { path, reason: messageOf(error) });
      return false;
    }
  }

  /** Removes a record that is still this run's: a successor on the same port may have put its own under the same name. */
  async #takeAway(path: string): Promise<void> {
    try {
      const text = await this.#platform.files.readText(path, maximumRecordBytes);
      const found = text === undefined ? undefined : parseMarker(text);
      const own = await this.#ownMarker();
      const isOurs = text === this.#placed.get(path) || (found?.pid === own.pid && found.start === own.start);
      if (text !== undefined && isOurs) await this.#platform.files.remove(path);
    } catch (error) {
      this.#logger.warn("Discovery record could not be removed", { path, reason: messageOf(error) });
    }
    this.#placed.delete(path);
  }

  #ownMarker(): Promise<RecordMarker> {
    return this.#marker.get();
  }

  /** Each problem is logged once for as long as it lasts; `verify` may find it again many times. */
  #report(problems: readonly WriteProblem[]): void {
    for (const { path, message } of problems) {
      if (!this.#reported.has(message)) this.#logger.warn("Discovery record not written", { path, reason: message });
    }
    this.#reported = new Set(problems.map(({ message }) => message));
  }
}

/** A text that two records share only if they mean the same file. */
function placeOf({ root, directories, fileName }: DiscoveryRecord): string {
  return JSON.stringify([root, directories, fileName]);
}

function problem(path: string, reason: string): Placement {
  return { kind: "problem", path, message: `Some agents may not find this editor: ${reason}` };
}
