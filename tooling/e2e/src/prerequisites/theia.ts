import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mustRun } from "../support/processes.ts";
import { type Component, componentDirectory } from "./cache.ts";
import { nodeBinary } from "./components.ts";
import { compilerPackages, ensureDebianPackages } from "./debian.ts";

const version = "1.74.1";

/** The extensions of a plain Theia for the browser: editors, terminals, problems, search by file name. */
const extensions = [
  "core",
  "editor",
  "filesystem",
  "keymaps",
  "markers",
  "messages",
  "monaco",
  "navigator",
  "output",
  "outline-view",
  "preferences",
  "process",
  "terminal",
  "userstorage",
  "variable-resolver",
  "workspace",
] as const;

const extensionName = "@patchbay/theia";

/** A Theia application without our extension; {@link buildTheia} adds it. */
export const theiaApplication: Component = application("theia", extensions);

/** One that also runs VS Code's extensions as plugins. */
export const theiaWithPlugins: Component = application("theia-plugins", [
  ...extensions,
  "plugin-ext",
  "plugin-ext-vscode",
]);

function application(name: string, parts: readonly string[]): Component {
  return {
    name,
    version,
    recipe: 1,
    install: async (directory) => {
      const manifest = {
        name: "patchbay-e2e-theia",
        version: "0.0.0",
        private: true,
        theia: { target: "browser", frontend: { config: { applicationName: "Theia" } } },
        dependencies: Object.fromEntries(parts.map((part) => [`@theia/${part}`, version])),
        devDependencies: { "@theia/cli": version, typescript: "~5.9.3" },
        // Newer versions of it are not in every registry.
        overrides: { "typedarray.prototype.slice": "1.0.5" },
      };
      await writeFile(join(directory, "package.json"), JSON.stringify(manifest, undefined, 2));
      const env = buildEnvironment();
      const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
      await mustRun("npm", ["install", ...flags], { cwd: directory, env, timeout: 10 * 60_000 });
      // The one native part that has no prebuilt binary and is loaded at start.
      await ensureDebianPackages(() => {}, compilerPackages);
      await mustRun("npm", ["rebuild", "drivelist", "--loglevel=error"], { cwd: directory, env, timeout: 5 * 60_000 });
    },
  };
}

/**
 * Installs the packed extension into the application as a user does, from its package.json, and builds the application,
 * unless that very package is built in already. Returns the application's directory.
 */
export async function buildTheia(tarball: string, component: Component = theiaApplication): Promise<string> {
  const directory = componentDirectory(component);
  const stamp = join(directory, ".built");
  const digest = createHash("sha256")
    .update(await readFile(tarball))
    .digest("hex");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === digest) return directory;
  await rm(stamp, { force: true });
  const manifestFile = join(directory, "package.json");
  const manifest: unknown = JSON.parse(await readFile(manifestFile, "utf8"));
  await writeFile(manifestFile, JSON.stringify(withDependency(manifest, tarball), undefined, 2));
  // What `npm install` would do for this one package, without looking at the other thousand.
  const installed = join(directory, "node_modules", extensionName);
  await rm(installed, { recursive: true, force: true });
  await mkdir(installed, { recursive: true });
  await mustRun("tar", ["-xzf", tarball, "-C", installed, "--strip-components", "1"]);
  const cli = join(directory, "node_modules", ".bin", "theia");
  const options = { cwd: directory, env: buildEnvironment(), timeout: 5 * 60_000 };
  await mustRun(nodeBinary(), [cli, "build", "--mode", "development"], options);
  await writeFile(stamp, digest);
  return directory;
}

function buildEnvironment(): NodeJS.ProcessEnv {
  const bin = dirname(nodeBinary());
  return {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    PUPPETEER_SKIP_DOWNLOAD: "1",
    // Node's headers come with its package: nothing else needs to be reachable for the native part.
    npm_config_nodedir: dirname(bin),
  };
}

function withDependency(manifest: unknown, tarball: string): object {
  if (typeof manifest !== "object" || manifest === null || !("dependencies" in manifest)) {
    throw new Error("the application's package.json names no dependencies");
  }
  return {
    ...manifest,
    dependencies: Object.assign({}, manifest.dependencies, { [extensionName]: `file:${tarball}` }),
  };
}
