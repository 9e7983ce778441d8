import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { languages } from "@patchbay/languages";
import { readTexts } from "@patchbay/languages/node";
import { describe, expect, it } from "vitest";
import { cocParts, vimParts } from "../../../packages/languages/scripts/files.ts";
import { builtTexts } from "../../../packages/languages/scripts/texts-of.ts";

const lib = join(import.meta.dirname, "..", "lib");

/** A file with everything it requires as soon as it is loaded; what is imported later stands in a `then`. */
function loadedWith(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(lib, file), "utf8");
  for (const [, before = "", name = ""] of text.matchAll(/(=>\s*(?:[\w$]*\()?)?require\("\.\/([^"]+\.js)"\)/gu)) {
    if (before === "") loadedWith(name, seen);
  }
  return seen;
}

/** Every file that is loaded sooner or later, without what only `left` brings. */
function everLoaded(left: string, file = "index.js", seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file) || file === left) return seen;
  seen.add(file);
  const text = readFileSync(join(lib, file), "utf8");
  for (const [, name = ""] of text.matchAll(/(?:require|import)\("\.\/([^"]+\.js)"\)/gu)) everLoaded(left, name, seen);
  return seen;
}

describe.skipIf(!existsSync(join(lib, "index.js")))("the bundle (needs a build)", () => {
  const size = (files: Iterable<string>): number => {
    let bytes = 0;
    for (const file of files) bytes += statSync(join(lib, file)).size;
    return bytes;
  };
  const files = (existsSync(lib) ? readdirSync(lib) : []).filter((file) => file.endsWith(".js"));

  it("asks coc.nvim for itself in its first file alone", () => {
    const asking = files.filter((file) => readFileSync(join(lib, file), "utf8").includes('require("coc.nvim")'));
    expect(asking).toEqual(["index.js"]);
  });

  it("is small at the start and not large as a whole", () => {
    const lifecycle = files.find((file) => file.startsWith("lifecycle-")) ?? "";
    // As in VS Code: what has to be there at the start may take 100 kB.
    expect(size(new Set([...loadedWith("index.js"), ...loadedWith(lifecycle)]))).toBeLessThan(100_000);
    // As in VS Code: the ledger of turns, which is loaded when an agent says something, counts by itself.
    const turns = files.filter((file) => readFileSync(join(lib, file), "utf8").includes("cat-file"));
    expect(turns).toHaveLength(1);
    const [entry = ""] = files.filter((file) => file.startsWith("vim-panel-"));
    const withoutPanel = everLoaded(entry);
    // What conversations ask of the ledger is loaded with them.
    const panel = files.filter((file) => !withoutPanel.has(file) || file.startsWith("conversation-ledger-"));
    // As in VS Code: what each agent brings grows with their number, and is loaded with the one that is there.
    const agents = files.filter((file) =>
      /^(?:behaviour|engine|socket-door|patch-writing|patch-verdicts|question-doors|ide-questions|own-service|service-changes|service-links|service-desk)-/u.test(
        file,
      ),
    );
    // What only several of them need comes with them, too, but for what serves their protocols.
    const shared = new Set(agents.filter((file) => !file.startsWith("engine-")));
    for (let before = -1; before < shared.size; ) {
      before = shared.size;
      for (const file of files) {
        const askers = files.filter((other) => readFileSync(join(lib, other), "utf8").includes(`"./${file}"`));
        if (askers.length > 0 && askers.every((asker) => shared.has(asker))) shared.add(file);
      }
    }
    expect(agents.length).toBeGreaterThan(1);
    for (const file of agents) expect([file, size([file])]).toEqual([file, Math.min(size([file]), 9_000)]);
    const apart = new Set([...turns, ...panel, ...agents, ...shared]);
    expect(size(files.filter((file) => !apart.has(file)))).toBeLessThan(597_500);
    expect(size(turns)).toBeLessThan(94_500);
    // Loaded with its command: the server, and the drivers of the agents.
    expect(panel).toContain(entry);
    expect(size(panel)).toBeLessThan(320 * 1024);
    expect(loadedWith(lifecycle)).not.toContain(entry);
  });

  it("has its texts in each language, those of its scripts in Vim apart, and none of them in its programs", () => {
    for (const language of languages) {
      expect(readTexts(join(lib, "page", "languages"), language)).toEqual(builtTexts(language, cocParts()));
      expect(readTexts(join(lib, "vim", "languages"), language)).toEqual(builtTexts(language, vimParts()));
    }
    const lifecycle = files.find((file) => file.startsWith("lifecycle-")) ?? "";
    // Who reads English, or starts the editor, loads nothing of it.
    expect([...loadedWith(lifecycle)].filter((file) => file.startsWith("user-language-"))).toEqual([]);
    expect(files.filter((file) => file.startsWith("user-language-"))).toHaveLength(1);
  });

  it("loads nothing of the ledger of turns before an agent says something", () => {
    const lifecycle = files.find((file) => file.startsWith("lifecycle-")) ?? "";
    const loaded = [...new Set([...loadedWith("index.js"), ...loadedWith(lifecycle)])];
    expect(loaded.filter((file) => file.startsWith("agent-changes-"))).toEqual([]);
    expect(loaded.map((file) => readFileSync(join(lib, file), "utf8")).join("\n")).not.toContain("cat-file");
  });
});
