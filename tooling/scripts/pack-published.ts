import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Packs the package in the current folder as its users get it: the files it names, and a manifest without what only this
// workspace understands (`workspace:` and `catalog:` versions, scripts). Leaves one tarball beside it.
const root = process.cwd();
const staging = mkdtempSync(join(tmpdir(), "patchbay-pack-"));
try {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (!isManifest(manifest)) throw new Error(`${join(root, "package.json")} names no files`);
  const { devDependencies: _dev, scripts: _scripts, ...published } = manifest;
  for (const name of manifest.files) cpSync(join(root, name), join(staging, name), { recursive: true });
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  for (const name of readdirSync(root)) if (name.endsWith(".tgz")) rmSync(join(root, name));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", root], { cwd: staging, stdio: "inherit" });
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function isManifest(
  value: unknown,
): value is { readonly files: readonly string[]; readonly devDependencies?: unknown; readonly scripts?: unknown } {
  return typeof value === "object" && value !== null && "files" in value && Array.isArray(value.files);
}
