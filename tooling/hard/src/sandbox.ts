import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type AgentId, agentOf, agents } from "@patchbay/core";
import * as z from "zod";

const recordSchema = z.object({ port: z.number().optional(), authToken: z.string() });

/** A folder with a home, a temporary directory, a workspace and a storage of its own. */
export class Sandbox {
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  readonly workspace: string;
  readonly storage: string;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-hard-")));
    this.home = join(this.root, "home");
    this.tmp = join(this.root, "tmp");
    this.workspace = join(this.root, "workspace");
    this.storage = join(this.root, "storage");
    // Like a machine's: others may walk in and look, and /tmp is everybody's with the sticky bit.
    chmodSync(this.root, 0o755);
    for (const directory of [this.home, this.workspace]) mkdirSync(directory, { mode: 0o755 });
    mkdirSync(this.tmp);
    chmodSync(this.tmp, 0o1777);
  }

  /** A path in the workspace. */
  file(name: string): string {
    return join(this.workspace, name);
  }

  /**
   * Every directory in which records are written. Core says which; that agents look there is shown by the testkit's
   * drivers, and what attackers do to them stands in the tests with its own paths.
   */
  get recordDirectories(): readonly string[] {
    return agents.flatMap(({ id }) => this.#placesOf(id));
  }

  /** The directory in which an agent looks first. */
  recordsOf(id: AgentId): string {
    const [directory] = this.#placesOf(id);
    if (directory === undefined) throw new Error(`${id} looks nowhere.`);
    return directory;
  }

  /** Resolves when an agent finds something: a socket is opened a moment after the port. */
  async announced(id: AgentId): Promise<void> {
    for (let looks = 0; looks < 200 && this.#recordNames(this.recordsOf(id)).length === 0; looks += 1)
      await new Promise((resolve) => setTimeout(resolve, 25));
  }

  #recordNames(directory: string): readonly string[] {
    return namesIn(directory).filter((name) => !name.startsWith(".") && !name.endsWith(".sock"));
  }

  #placesOf(id: AgentId): readonly string[] {
    const surroundings = { homeDirectory: this.home, temporaryDirectory: this.tmp, environment: () => undefined };
    return agentOf(id)
      .places(surroundings)
      .map(({ root, directories }) => join(root, ...directories));
  }

  /** All records that are there now; one that is being written is none yet, and its file is gone in the next moment. */
  records(): readonly string[] {
    return this.recordFiles().filter((path) => !basename(path).startsWith(".") && !path.endsWith(".sock"));
  }

  /** Everything in the records' directories. */
  recordFiles(): readonly string[] {
    return this.recordDirectories.flatMap((directory) => namesIn(directory).map((name) => join(directory, name)));
  }

  /** The token that an agent finds. */
  token(id: AgentId): string {
    const directory = this.recordsOf(id);
    const [name] = this.#recordNames(directory);
    if (name === undefined) throw new Error(`No record in ${directory}.`);
    return recordSchema.parse(JSON.parse(readFileSync(join(directory, name), "utf8"))).authToken;
  }

  /** Every token that any record holds. */
  tokens(): readonly string[] {
    return [
      ...new Set(this.records().map((path) => recordSchema.parse(JSON.parse(readFileSync(path, "utf8"))).authToken)),
    ];
  }

  /** Gives everything that the companion's user owns to this user. */
  ownedBy(uid: number): void {
    for (const path of [this.home, this.workspace]) chownSync(path, uid, uid);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Not made yet, or refused.
    return [];
  }
}
