import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** How long Git may take to say what it ignores, ms. */
const gitMs = 3_000;

/** Most files that are looked through. */
const mostFiles = 20_000;

/** What people do not mean where no ignore file says so. */
const leftOut: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

/**
 * The files of a folder that no ignore file names, as absolute paths; undefined where the folder is not Git's. Git reads all
 * ignore files rightly. It is not for folders that nobody trusts.
 */
export async function filesOfGit(folder: string): Promise<ReadonlySet<string> | undefined> {
  const args = ["-c", "core.fsmonitor=false", "ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  return await new Promise((resolve) => {
    execFile("git", args, { cwd: folder, timeout: gitMs, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (error !== null) resolve(undefined);
      else resolve(new Set(stdout.split("\0").flatMap((path) => (path === "" ? [] : [join(folder, path)]))));
    });
  });
}

/** The files of a folder as absolute paths, without an editor: what Git knows, else what is there, the nearest first. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  const known = await filesOfGit(folder);
  if (known !== undefined) return Array.from(known).slice(0, mostFiles);
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined && found.length < mostFiles; next = folders.shift()) {
    const within = next;
    // A folder that cannot be read has no files.
    for (const entry of await readdir(within, { withFileTypes: true }).catch(() => [])) {
      if (leftOut.has(entry.name)) continue;
      const path = join(within, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) found.push(path);
    }
  }
  return found.slice(0, mostFiles);
}
