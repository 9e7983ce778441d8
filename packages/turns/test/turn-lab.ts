import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { createNodePlatform, type TurnSource } from "@patchbay/core";
import { createFakeClock, type FakeClock } from "@patchbay/testkit";
import { onTestFinished } from "vitest";
import { FolderLedgers } from "../src/folder-ledgers.ts";
import type { FolderLedgersOptions, TurnInfo } from "../src/model.ts";
import { createDiskDoor } from "../src/undo/disk-door.ts";

export const claude: TurnSource = { agent: "claude", agentName: "Claude Code", session: "s1", folder: undefined };
export const gemini: TurnSource = { agent: "gemini", agentName: "Gemini CLI", session: "g1", folder: undefined };

/** A real folder with a real git. */
export class TurnLab {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "turns-")));
  readonly folder: string = join(this.root, "work");
  readonly storage: string = join(this.root, "storage");
  readonly clock: FakeClock = createFakeClock(Date.now());

  constructor() {
    mkdirSync(this.folder);
    mkdirSync(this.storage, { mode: 0o700 });
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string | Uint8Array): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Something else than a directory where the storage is. */
  writeStorage(text: string): void {
    writeFileSync(this.storage, text);
  }

  read(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : undefined;
  }

  chmod(name: string, mode: number): void {
    chmodSync(this.path(name), mode);
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true });
  }

  git(...given: readonly string[]): string {
    return this.gitIn(this.folder, ...given);
  }

  gitIn(folder: string, ...given: readonly string[]): string {
    const own = ["user.name=a", "user.email=a@example.com", "protocol.file.allow=always", "commit.gpgsign=false"];
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    return execFileSync("git", [...own.flatMap((one) => ["-c", one]), ...given], {
      cwd: folder,
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** A repository with these files in a commit; their times lie before that of the index. */
  commit(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    if (!existsSync(this.path(".git"))) this.git("init", "-q", "-b", "main");
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "all");
  }

  open(options: Partial<FolderLedgersOptions> = {}): FolderLedgers {
    const ledgers = new FolderLedgers({
      platform: { ...createNodePlatform(), clock: this.clock },
      storageDirectory: this.storage,
      folders: [this.folder],
      mayKeep: () => true,
      door: this.door,
      ...options,
    });
    onTestFinished(() => ledgers.dispose());
    return ledgers;
  }

  /** As where no editor runs, with a trash of its own. */
  get disk(): FolderLedgersOptions["door"] {
    const platform = createNodePlatform();
    const { process } = platform;
    const environment = (name: string): string | undefined =>
      name === "XDG_DATA_HOME" ? join(this.root, "data") : process.environment(name);
    const homeDirectory = join(this.root, "home");
    // As macOS gives it to every user.
    mkdirSync(join(homeDirectory, ".Trash"), { recursive: true });
    const facts = { ...process, homeDirectory, environment };
    return createDiskDoor({ platform: { ...platform, process: facts }, folders: [this.folder] });
  }

  /** Files as they are on disk. */
  readonly door: FolderLedgersOptions["door"] = {
    unsavedText: async () => undefined,
    replace: async (path, held, text) => {
      const now = existsSync(path) ? readFileSync(path, "utf8") : undefined;
      if (now !== held) return "stale";
      writeFileSync(path, text);
      return "written";
    },
    remove: async (path) => {
      rmSync(path);
      return true;
    },
    restore: async (...given) => await this.disk.restore(...given),
    removeEmpty: async (folder) => await this.disk.removeEmpty(folder),
  };

  /** A turn in which a command does something. */
  async command(ledgers: FolderLedgers, work: () => void, source: TurnSource = claude): Promise<void> {
    ledgers.turnBegan(source, "Do it");
    await ledgers.settled();
    ledgers.aboutToRun(source, "something");
    await ledgers.settled();
    work();
    ledgers.wrote(source);
    ledgers.turnEnded(source);
    await ledgers.settled();
  }

  /** A write that a hook tells of. */
  async told(ledgers: FolderLedgers, name: string, text: string, source: TurnSource = claude): Promise<void> {
    const path = this.path(name);
    ledgers.aboutToWrite(source, [{ path, before: existsSync(path) ? readFileSync(path) : undefined }]);
    await ledgers.settled();
    this.write(name, text);
    ledgers.wrote(source);
    await ledgers.settled();
  }

  /** Names, kinds and attributions of a turn's files. */
  files(turn: TurnInfo | undefined): readonly string[] {
    const files = turn?.files ?? [];
    return files.map(
      ({ path, kind, attribution }) =>
        `${path.slice(this.folder.length + 1).replaceAll(sep, "/")} ${kind} ${attribution}`,
    );
  }
}
