import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ReleaseFile } from "./checks.ts";
import { readTarball, readZip } from "./archive.ts";

/** The repository. */
export const root: string = fileURLToPath(new URL("../../../", import.meta.url)).replace(/[/\\]$/u, "");

/** What goes to npm, in the order in which one needs the other. */
export const packageFolders = [
  "packages/core",
  "packages/conversations",
  "packages/testkit",
  "packages/cli",
  "apps/theia",
  "apps/coc-nvim",
] as const;

/** Makes every file of a release from what has been built. What else is in `folder` goes. */
export function makeFiles(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const node = process.execPath;
  const pack = join(root, "tooling/scripts/pack-published.ts");
  for (const one of packageFolders)
    execFileSync(node, [pack, "--to", folder], { cwd: join(root, one), stdio: ["ignore", "ignore", "inherit"] });
  const extension = join(root, "apps/vscode");
  execFileSync(node, [join(extension, "scripts/package.mts"), "--to", folder], {
    cwd: extension,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Writes `SHA256SUMS` beside the files, as `sha256sum --check` reads it. */
export function writeChecksums(folder: string): void {
  const lines = namesIn(folder).map((name) => {
    const hash = createHash("sha256").update(readFileSync(join(folder, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

/** The files that are published and installed. */
export function readFiles(folder: string): readonly ReleaseFile[] {
  return namesIn(folder)
    .filter((file) => /\.(?:tgz|vsix)$/u.test(file))
    .map((file) => {
      const archive = readFileSync(join(folder, file));
      const contents = file.endsWith(".vsix") ? readZip(archive) : readTarball(archive);
      return { file, bytes: archive.length, contents };
    });
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name !== "SHA256SUMS")
    .toSorted();
}
