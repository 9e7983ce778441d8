import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../../packages/cli/src/command-line.ts";
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

/** Commands, settings and titles, as they stand in the pages of findings. */
describe("the pages of findings", () => {
  const folder = join(repository, "docs/findings");
  const pages = readdirSync(folder).map((name): readonly [string, string] => [
    name,
    readFileSync(join(folder, name), "utf8"),
  ]);
  const read = (path: string): string => readFileSync(join(repository, path), "utf8");

  it.each(pages)("%s names only commands, settings and titles that exist", (_name, page) => {
    const typed = [...matches(page, /`(patchbay [^`\n]+)`/gu), ...matches(page, /(?:^|\$\()(patchbay [^\n)]+)/gmu)];
    for (const line of typed) {
      const args = line.split(" ").slice(1);
      expect(() =>
        parseCommandLine(args.length === 1 && args[0] === "run" ? ["run", "claude"] : args, "/"),
      ).not.toThrow();
    }
    const vim = read("apps/coc-nvim/package.json");
    const code = read("apps/vscode/package.json");
    for (const name of matches(page, /:CocCommand (patchbay\.\w+)/gu)) expect(vim).toContain(`"command": "${name}"`);
    for (const name of matches(page, /`(patchbay\.[\w.]+)`/gu)) expect(vim + code).toContain(`"${name}": {`);
    const titles = read("apps/vscode/package.nls.json");
    for (const title of matches(page, /\*\*Patchbay: ([^*]+)\*\*/gu)) expect(titles).toContain(`: "${title}"`);
    for (const other of matches(page, /`([a-z]+(?:-[a-z]+)+)`/gu))
      expect(pages.map(([name]) => name)).toContain(`${other}.md`);
  });
});

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, match]) => (match === undefined ? [] : [match]));
}

function found(name: string, beside: string): string | undefined {
  return [beside, ...roots].map((root) => join(repository, root, name)).find((path) => existsSync(path));
}
