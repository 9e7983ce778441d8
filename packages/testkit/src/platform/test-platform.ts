import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createNodePlatform, type Disposable, type Platform, type ProcessFacts } from "@patchbay/core";
import { createMacFiles } from "./mac-files.ts";

export interface TestPlatformOptions {
  /** Folder for everything; default: a new one in the system's temporary directory, removed by `dispose`. */
  readonly root?: string;
  /** Default: `root`/home. */
  readonly home?: string;
  /** Default: `root`/tmp. */
  readonly tmp?: string;
  /** Default: the real clock. */
  readonly clock?: Clock;
  /**
   * `macos`: files are found in any case and any Unicode normalisation, the temporary directory is the user's own behind links, and the
   * system says its name. Default: this machine's.
   */
  readonly system?: "macos";
  /** The only environment variables that are seen; default: none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real machine, with home and temporary directory in a folder that is thrown away. */
export interface TestPlatform extends Platform, Disposable {
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  /** A folder in `root` for a test's files. */
  readonly workspace: string;
}

/** `/tmp` and `/var` of macOS are links. */
function makeMacFolders(root: string): void {
  for (const name of ["tmp", "var"]) {
    mkdirSync(join(root, "private", name), { recursive: true });
    symlinkSync(join("private", name), join(root, name));
  }
}

/** Real files, processes and random numbers; nothing outside one temporary folder is touched. */
export function createTestPlatform(options: TestPlatformOptions = {}): TestPlatform {
  const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), "patchbay-test-")));
  const isMac = options.system === "macos";
  if (isMac) makeMacFolders(root);
  const home = options.home ?? join(root, isMac ? "Users/user" : "home");
  const tmp = options.tmp ?? join(root, isMac ? "var/folders/zz/user/T" : "tmp");
  const workspace = join(root, "workspace");
  for (const directory of [home, tmp, workspace]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const node = createNodePlatform();
  const files = isMac ? createMacFiles(node.files) : node.files;
  const environment = new Map(Object.entries(options.environment ?? {}));
  const facts: ProcessFacts = {
    pid: node.process.pid,
    ppid: node.process.ppid,
    uid: node.process.uid,
    platform: isMac ? "darwin" : node.process.platform,
    homeDirectory: home,
    temporaryDirectory: tmp,
    environment: (name) => environment.get(name),
    isAlive: (pid) => node.process.isAlive(pid),
    parentOf: (pid) => node.process.parentOf(pid),
    startMark: (pid) => node.process.startMark(pid),
    stateOf: async (pid) => node.process.stateOf?.(pid),
    // Only Linux says so.
    peerOf: async (ports) => (isMac ? undefined : node.process.peerOf?.(ports)),
    commandOf: async (pid) => (isMac ? undefined : node.process.commandOf?.(pid)),
  };
  return {
    clock: options.clock ?? node.clock,
    random: node.random,
    files,
    process: facts,
    ...(node.processes === undefined ? {} : { processes: node.processes }),
    root,
    home,
    tmp,
    workspace,
    dispose: () => {
      if (options.root === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}
