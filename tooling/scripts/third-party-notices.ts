import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The parts of esbuild's plugin interface that are used here; written out, as esbuild comes with the bundler and not with us. */
interface BundlerPlugin {
  readonly name: string;
  setup(build: {
    readonly initialOptions: { metafile?: boolean; absWorkingDir?: string };
    onEnd(callback: (result: BundleResult) => void): void;
  }): void;
}

interface BundleResult {
  readonly metafile?: {
    readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
  };
}

/** Writes the licences of everything that a bundle contains, as those licences ask for. `file` is relative to the package. */
export function thirdPartyNotices(file: string): BundlerPlugin {
  return {
    name: "third-party-notices",
    setup: (build) => {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        const base = build.initialOptions.absWorkingDir ?? process.cwd();
        const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs));
        const packages = new Set(inputs.flatMap((input) => packageDirectory(resolve(base, input)) ?? []));
        const notices = Array.from(packages, notice).toSorted((a, b) => a.localeCompare(b));
        mkdirSync(dirname(resolve(base, file)), { recursive: true });
        writeFileSync(resolve(base, file), `${intro}\n${notices.join("\n")}`);
      });
    },
  };
}

const intro =
  "Patchbay is under the Apache License 2.0. This distribution contains the following packages under their own licences.\n";

/** The innermost package that a file is part of, where it is one from the registry. */
function packageDirectory(path: string): string | undefined {
  const match = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/u.exec(path);
  return match?.[1];
}

function notice(directory: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const names = readdirSync(directory).filter((name) => /^(?:licen[cs]e|notice|copying)/iu.test(name));
  const texts = names
    .map((name) => join(directory, name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8").trim());
  const title = `${field(manifest, "name")} ${field(manifest, "version")} (${field(manifest, "license")})`;
  return `${title}\n${"=".repeat(title.length)}\n\n${texts.join("\n\n")}\n`;
}

function field(manifest: unknown, name: string): string {
  const value: unknown = typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, name) : undefined;
  return typeof value === "string" ? value : "unknown";
}
