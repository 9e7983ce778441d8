import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { originOf } from "./origin.ts";

// Packs the package in the current folder as its users get it: the files it names, and a manifest without what only this
// workspace understands (`workspace:` and `catalog:` versions, scripts). Leaves one tarball beside it, or with `--to` in another
// folder. With `--build` its version says what is in it: npm keeps a tarball whose name and version it knows, whatever the file
// holds by now.
const { values: options } = parseArgs({ options: { build: { type: "boolean" }, to: { type: "string" } } });
const root = process.cwd();
const destination = resolve(options.to ?? root);
const staging = mkdtempSync(join(tmpdir(), "patchbay-pack-"));
try {
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (!isManifest(manifest)) throw new Error(`${join(root, "package.json")} names no files`);
  const { devDependencies: _dev, scripts: _scripts, dependencies, exports, ...published } = manifest;
  for (const name of manifest.files) cpSync(join(root, name), join(staging, name), { recursive: true });
  const version = options.build === true ? `${manifest.version}-build.${contentMark(staging)}` : manifest.version;
  const origin = originOf(`${basename(dirname(root))}/${basename(root)}`);
  const whole = {
    ...published,
    ...origin,
    version,
    ...(dependencies === undefined ? {} : { dependencies: plainVersions(dependencies, manifest.version) }),
    ...(exports === undefined ? {} : { exports: withoutSources(exports) }),
    publishConfig: { access: "public" },
  };
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(whole, undefined, 2)}\n`);
  if (destination === root) for (const name of readdirSync(root)) if (name.endsWith(".tgz")) rmSync(join(root, name));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", destination], { cwd: staging, stdio: "inherit" });
} finally {
  rmSync(staging, { recursive: true, force: true });
}

interface Manifest {
  readonly files: readonly string[];
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly scripts?: unknown;
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null || !("files" in value) || !("version" in value)) return false;
  return Array.isArray(value.files) && typeof value.version === "string";
}

/** Versions as npm reads them. Packages of this workspace are published together, so each wants its own version of the others. */
function plainVersions(dependencies: Readonly<Record<string, string>>, own: string): Readonly<Record<string, string>> {
  const workspace = readFileSync(join(import.meta.dirname, "..", "..", "pnpm-workspace.yaml"), "utf8");
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      if (version.startsWith("workspace:")) return [name, own];
      if (version !== "catalog:") return [name, version];
      const known = workspace
        .split("\n")
        .map((line) => /^ {2}"?([^":]+)"?: (\d\S*)$/u.exec(line))
        .find((match) => match?.[1] === name)?.[2];
      if (known === undefined) throw new Error(`The catalog has no ${name}.`);
      return [name, `^${known}`];
    }),
  );
}

/** A condition of this workspace leads to the sources, which are not published. */
function withoutSources(exports: NonNullable<Manifest["exports"]>): NonNullable<Manifest["exports"]> {
  return Object.fromEntries(
    Object.entries(exports).map(([name, { "@patchbay/source": _source, ...rest }]) => [name, rest]),
  );
}

/** The same for the same files, another one for any other. It begins with a letter: a version's number has no leading zero. */
function contentMark(directory: string): string {
  const hash = createHash("sha256");
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(`${relative(directory, file)}\0`).update(readFileSync(file));
  return `x${hash.digest("hex").slice(0, 10)}`;
}
