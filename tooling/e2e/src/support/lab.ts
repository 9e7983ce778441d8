import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../prerequisites/cache.ts";

/**
 * A throwaway world for one scenario: the editor and its agents share a home and a temporary directory, as they do on a
 * user's machine, and share nothing with the machine's real ones.
 */
export interface Lab {
  readonly root: string;
  readonly home: string;
  readonly temporary: string;
  readonly workspace: string;
  /** The whole environment of everything started in the lab. */
  readonly env: Readonly<Record<string, string>>;
  dispose(): Promise<void>;
}

/** Makes an empty lab, below the cache unless another folder is named. */
export async function createLab(parent: string = join(cacheDirectory, "labs")): Promise<Lab> {
  await mkdir(parent, { recursive: true });
  const root = await realpath(await mkdtemp(join(parent, "lab-")));
  const home = join(root, "home");
  const temporary = join(root, "tmp");
  const workspace = join(root, "workspace");
  for (const directory of [home, temporary, workspace]) await mkdir(directory, { mode: 0o700 });
  return {
    root,
    home,
    temporary,
    workspace,
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: home,
      TMPDIR: temporary,
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
    },
    // Agents write into their home for a moment after their end.
    dispose: () => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  };
}
