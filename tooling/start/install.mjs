// Plain JavaScript without an import from the registry: it runs in whatever Node the user has, before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What a build of the command line needs: some 40 MB. The lock file is this repository's own; its hashes are checked as ever. */
const little = ["--prod", "--filter", "@patchbay/start...", "--frozen-lockfile", "--trust-lockfile"];

/**
 * Installs everything, or only what `start` needs. Where everything is there it stays so: pnpm would take the rest away.
 *
 * @param {{ readonly onlyForStart: boolean }} options
 */
export function install({ onlyForStart }) {
  const least = onlyForStart && !existsSync(join(root, "node_modules", ".bin"));
  if (least && !existsSync(join(root, "tooling", "start", "node_modules"))) console.log("Installing about 40 MB …");
  const { status, error, stdout } = spawnSync("pnpm", ["install", ...(least ? little : [])], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", onlyForStart ? "pipe" : "inherit", "inherit"],
    shell: process.platform === "win32",
    // Packages that install others with npm would print its news.
    env: { ...process.env, npm_config_update_notifier: "false" },
  });
  if (error === undefined && status === 0) return;
  console.error(
    `${stdout ?? ""}\nNot everything could be installed${error === undefined ? "" : `: ${error.message}`}.`,
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install({ onlyForStart: false });
