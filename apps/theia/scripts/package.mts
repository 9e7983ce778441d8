import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

// Packs what applications install: the built extension with its own package.json, without what only this workspace needs.
const root = join(import.meta.dirname, "..");
const staging = mkdtempSync(join(tmpdir(), "patchbay-theia-"));
try {
  for (const name of ["lib", "README.md", "LICENSE"])
    cpSync(join(root, name), join(staging, name), { recursive: true });
  const {
    devDependencies: _dev,
    scripts: _scripts,
    ...published
  } = z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  for (const name of readdirSync(root)) if (name.endsWith(".tgz")) rmSync(join(root, name));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", root], { cwd: staging, stdio: "inherit" });
} finally {
  rmSync(staging, { recursive: true, force: true });
}
