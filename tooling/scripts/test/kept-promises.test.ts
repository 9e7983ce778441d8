import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "../../..");
const oxlint = join(dirname(createRequire(import.meta.url).resolve("oxlint/package.json")), "bin/oxlint");

const kept = {
  "a field that is there or not": "class A { #loading: Promise<string> | undefined; }",
  "a field that may be null": "class A { #loading: null | Promise<void> = null; }",
  "a field that is optional": "class A { loading?: Promise<string>; }",
  "a field that begins with its object": 'class A { readonly #engine = import("node:fs"); }',
  "a constant of the file": 'const engine = import("node:fs").then(String);',
  "a constant that the file exports": 'export const engine: Promise<unknown> = import("node:fs");',
  "an optional property of an object": "interface A { loading?: Promise<void> }",
  "a variable": "let loading: Promise<number> | undefined;",
  "a property of an object": "interface A { loading: Promise<void> | undefined }",
  "a map by key": "const engines: Map<string, Promise<string>> = new Map();",
  "a map of entries that hold one":
    "class A { readonly #engines: Map<string, { readonly engine: Promise<string> }> = new Map(); }",
  "a weak map": "const engines: WeakMap<object, Promise<string>> = new WeakMap();",
  "a record": "const engines: Record<string, Promise<string>> = {};",
  "an import, kept where there is none yet": 'let kept: unknown; kept ??= import("node:fs");',
  "a chain, kept where there is none yet": "let kept: unknown; kept ??= Promise.resolve(1).then(String);",
  "an async function that is called": "let kept: unknown; kept ||= (async () => 1)();",
  "several at once": "let kept: unknown; kept ??= Promise.all([]);",
};

const forgotten = {
  "a value that is there or not": "class A { #loaded: string | undefined; }",
  "a promise of one call":
    "async function f(): Promise<void> { const step: Promise<number> = g(); await step; } declare function g(): Promise<number>;",
  "a promise that is there from the beginning": "class A { #tail: Promise<void> = Promise.resolve(); }",
  "a tail that others hang on to": "const tail: Promise<void> = Promise.resolve();",
  "a promise that one call waits for":
    'async function f(): Promise<unknown> { const loading = import("node:fs"); return await loading; }',
  "a function that gives one": "interface A { read?: () => Promise<string>; close(): Promise<void> | undefined }",
  "what one has been given": "interface A { readonly shown: Promise<void> | undefined }",
  "a map of values": "const names: Map<string, string> = new Map();",
  "a map of what forgets":
    "class LoadOnce<T> { declare t: T } const engines: Map<string, LoadOnce<string>> = new Map();",
  "a value, kept where there is none yet": "let kept: number | undefined; kept ??= Number(1);",
};

let folder = "";
let reported: ReadonlySet<string>;

const fileOf = (kind: string, title: string): string => `${kind}-${title.replaceAll(/\W/gu, "-")}.ts`;

/** The files that the rule reports, each by its path. */
async function lint(): Promise<ReadonlySet<string>> {
  const args = [oxlint, "--format", "unix", "packages", "apps", "tooling"];
  // It ends with a failure where it reports.
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  const lines = said.split("\n").filter((line) => line.includes("no-kept-promise"));
  return new Set(lines.map((line) => line.slice(0, line.indexOf(":"))));
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-lint-")));
  for (const path of [".oxlintrc.json", "tooling/scripts/kept-promises.mjs"]) {
    cpSync(join(repository, path), join(folder, path));
  }
  const write = (path: string, code: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `export {};\n${code}\n`);
  };
  for (const [title, code] of Object.entries(kept)) write(`packages/core/src/${fileOf("kept", title)}`, code);
  for (const [title, code] of Object.entries(forgotten)) write(`packages/core/src/${fileOf("forgotten", title)}`, code);
  for (const where of ["packages/cli/src/serve", "apps/theia/src/node", "apps/vscode/src", "packages/core/test"]) {
    write(`${where}/one.ts`, kept["a variable"]);
  }
  const said = "// oxlint-disable-next-line patchbay/no-kept-promise -- It is forgotten when it ends.\n";
  write("packages/core/src/said.ts", said + kept["a variable"]);
  reported = await lint();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the rule against kept promises", () => {
  it.each(Object.keys(kept))("reports %s", (title) => {
    expect(reported).toContain(`packages/core/src/${fileOf("kept", title)}`);
  });

  it.each(Object.keys(forgotten))("does not report %s", (title) => {
    expect(reported).not.toContain(`packages/core/src/${fileOf("forgotten", title)}`);
  });

  it("holds in every package and edition, and not in tests", () => {
    const elsewhere = Array.from(reported).filter((path) => path.endsWith("/one.ts"));
    expect(elsewhere.toSorted()).toEqual([
      "apps/theia/src/node/one.ts",
      "apps/vscode/src/one.ts",
      "packages/cli/src/serve/one.ts",
    ]);
  });

  it("is silent where somebody says why a failure cannot stay", () => {
    expect(reported).not.toContain("packages/core/src/said.ts");
  });
});
