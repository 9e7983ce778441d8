import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

/** Outside the repository and kept between runs, with what the end-to-end suite keeps there. */
const cacheDirectory: string =
  process.env["PATCHBAY_E2E_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "patchbay-e2e");

const installTimeoutMs = 5 * 60_000;

/**
 * The folder of an npm package that is not among this repository's dependencies, installed on first use without running
 * any of its scripts. Throws where the registry cannot be reached.
 */
export async function installedPackage(name: string, version: string): Promise<string> {
  const directory = join(cacheDirectory, `${name.replaceAll(/[@/]/gu, "-").replace(/^-/u, "")}-${version}`);
  if (!existsSync(join(directory, ".installed"))) {
    const aside = `${directory}.partial-${process.pid}`;
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { recursive: true });
    await writeFile(join(aside, "package.json"), '{"private":true}\n');
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
    console.log(`installing ${name} ${version} …`);
    await promisify(execFile)("npm", ["install", ...quiet, `${name}@${version}`], {
      cwd: aside,
      timeout: installTimeoutMs,
    });
    await writeFile(join(aside, ".installed"), "");
    await rm(directory, { recursive: true, force: true });
    await rename(aside, directory);
  }
  return join(directory, "node_modules", ...name.split("/"));
}
