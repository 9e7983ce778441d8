import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { statements } from "../../hard/src/report/statements.ts";

const repository = join(import.meta.dirname, "../../..");
const documents = [
  ...readdirSync(repository),
  ...readdirSync(join(repository, "docs"), { recursive: true }).map((path) => join("docs", String(path))),
  ...["apps", "packages", "tooling"].flatMap((group) =>
    readdirSync(join(repository, group)).map((name) => join(group, name, "README.md")),
  ),
].filter((path) => path.endsWith(".md") && existsSync(join(repository, path)));

/** Where a path in a document may begin; `core/test/…` is short for `packages/core/test/…`. */
const roots = ["", "packages", "apps"];
const file = /`((?:core|testkit|cli|vscode|theia|coc-nvim)\/(?:[\w.-]+\/)+[\w.-]+\.(?:ts|mts|mjs|vim))`/gu;
const folder = /`((?:packages|apps|tooling|docs)\/[\w./-]+)`/gu;
const test = /`([\w./-]+\.test\.ts)` \(([^)]+)\)/gu;
const link = /\]\(([^)#\s:]+)(?:#[^)]*)?\)/gu;

describe("the documents", () => {
  it.each(documents)("%s names only files and tests that exist", (path) => {
    const text = readFileSync(join(repository, path), "utf8");
    const links = matches(text, link).map((target) => join(dirname(path), target));
    expect(links.filter((target) => !existsSync(join(repository, target)))).toEqual([]);
    const names = [...matches(text, file), ...matches(text, folder)].filter((name) => !/\/(?:dist|nova)\//u.test(name));
    expect(names.filter((name) => found(name, dirname(path)) === undefined)).toEqual([]);
    for (const [, name = "", titles = ""] of text.matchAll(test)) {
      const source = readFileSync(found(name, dirname(path)) ?? name, "utf8");
      expect(matches(titles, /"([^"]+)"/gu).filter((title) => !source.includes(title))).toEqual([]);
    }
  });

  it("list every requirement with an id", () => {
    const page = readFileSync(join(repository, "docs/requirements.md"), "utf8");
    const listed = matches(page, /^\| ([A-Z]\d\d) \|/gmu);
    expect(Object.keys(statements).filter((id) => !listed.includes(id))).toEqual([]);
    const used = documents.flatMap((path) =>
      matches(readFileSync(join(repository, path), "utf8"), /[(\s]([A-Z]\d\d)(?=[),.:]| and | to )/gu),
    );
    expect(used.filter((id) => !listed.includes(id))).toEqual([]);
  });
});

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, match]) => (match === undefined ? [] : [match]));
}

function found(name: string, beside: string): string | undefined {
  return [beside, ...roots].map((root) => join(repository, root, name)).find((path) => existsSync(path));
}
