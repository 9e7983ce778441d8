import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { originOf } from "./origin.ts";

// Packs the package in the current folder as its users get it: the files it names, and a manifest without what only this
// workspace understands (`workspace:` and `catalog:` versions, scripts). Leaves one tarball beside it. With `--build` its version
// says what is in it: npm keeps a tarball whose name and version it knows, whatever the file holds by now.
const root = process.cwd();
const staging = mkdtempSync(join(tmpdir(), "patchbay-pack-"));
try {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (!isManifest(manifest)) throw new Error(`${join(root, "package.json")} names no files`);
  const { devDependencies: _dev, scripts: _scripts, ...published } = manifest;
  for (const name of manifest.files) cpSync(join(root, name), join(staging, name), { recursive: true });
  const version = process.argv.includes("--build")
    ? `${manifest.version}-build.${contentMark(staging)}`
    : manifest.version;
  const origin = originOf(`${basename(dirname(root))}/${basename(root)}`);
  const whole = { ...published, ...origin, version };
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(whole, undefined, 2)}\n`);
  for (const name of readdirSync(root)) if (name.endsWith(".tgz")) rmSync(join(root, name));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", root], { cwd: staging, stdio: "inherit" });
} finally {
  rmSync(staging, { recursive: true, force: true });
}

interface Manifest {
  readonly files: readonly string[];
  readonly version: string;
  readonly devDependencies?: unknown;
  readonly scripts?: unknown;
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null || !("files" in value) || !("version" in value)) return false;
  return Array.isArray(value.files) && typeof value.version === "string";
}

/** The same for the same files, another one for any other. It begins with a letter: a version's number has no leading zero. */
function contentMark(directory: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(`${relative(directory, file)}\0`).update(readFileSync(file));
  return `x${hash.digest("hex").slice(0, 10)}`;
}
