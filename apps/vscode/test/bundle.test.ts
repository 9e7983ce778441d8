import { isBuiltin } from "node:module";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { languages } from "@patchbay/languages";
import { readTexts } from "@patchbay/languages/node";
import { panelStrings } from "@patchbay/panel/messages";
import { describe, expect, it } from "vitest";
import { inBrowsers } from "../../../packages/languages/scripts/english.ts";
import { vscodeParts } from "../../../packages/languages/scripts/files.ts";
import { builtTexts } from "../../../packages/languages/scripts/texts-of.ts";

const dist = fileURLToPath(new URL("../dist", import.meta.url));

/** A file with everything that it requires as soon as it is loaded. */
function loadedWith(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  // What is required within a function of its own is loaded later.
  for (const [, required] of text.matchAll(/(?<!=>)require\("\.\/([^"]+)"\)/gu)) {
    if (required !== undefined) loadedWith(required, seen);
  }
  return seen;
}

/** What is loaded with an agent, besides what serves its protocol. */
const ofAgents =
  /^(?:behaviour|socket-door|patch-writing|patch-verdicts|question-doors|ide-questions|own-service|service-changes|service-links|service-desk)-/u;

/** Files with those that nothing else asks for. */
function alone(scripts: readonly string[], files: readonly string[]): readonly string[] {
  const texts = new Map(scripts.map((file) => [file, readFileSync(join(dist, file), "utf8")]));
  const found = new Set(files);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const file of scripts) {
      const askers = scripts.filter((other) => texts.get(other)?.includes(`"./${file}"`));
      if (askers.length > 0 && askers.every((asker) => found.has(asker))) found.add(file);
    }
  }
  return [...found];
}

function bytesOf(files: Iterable<string>): number {
  return Array.from(files).reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
}

describe.skipIf(!existsSync(join(dist, "extension.js")))("the bundle (needs a build)", () => {
  // What a start costs is the time of the main thread, which a few kilobytes more or less do not decide; a chunk of its own for each does.
  it("loads at most 100 kB at start", () => {
    expect(bytesOf(loadedWith("extension.js"))).toBeLessThanOrEqual(100_000);
  });

  it("makes no segmenter of texts, which would take 10 ms of the start", () => {
    const texts = Array.from(loadedWith("extension.js"), (file) => readFileSync(join(dist, file), "utf8"));
    expect(texts.filter((text) => /Intl\.Segmenter/u.test(text))).toEqual([]);
  });

  it("is at most 596 kB as a whole, without what is loaded with an agent, the panel, the ledger of turns, what is read or tried once, and source maps", () => {
    const files = readdirSync(dist);
    const scripts = files.filter((file) => file.endsWith(".js"));
    // The driver of one agent, which is loaded with a conversation with it.
    const driver = scripts.filter((file) => file.startsWith("pi-"));
    // What conversations ask of the ledger is loaded with them.
    const panel = alone(scripts, [
      ...scripts.filter((file) => /^(?:panel|conversation-ledger)-/u.test(file)),
      ...driver,
    ]);
    const turns = scripts.filter((file) => file.startsWith("agent-changes-"));
    // The pages of a diagnosis, and the review without an agent.
    const once = scripts.filter((file) => /^(?:explanations|try-review)-/u.test(file));
    // What each agent brings grows with their number, and is loaded with the one that is there.
    const agents = scripts.filter((file) => ofAgents.test(file));
    const engines = scripts.filter((file) => file.startsWith("engine-"));
    const apart = new Set([...panel, ...turns, ...once, ...alone(scripts, agents), ...engines]);
    expect(bytesOf(scripts.filter((file) => !apart.has(file)))).toBeLessThanOrEqual(596_000);
    for (const file of [...agents, ...engines])
      expect([file, bytesOf([file])]).toEqual([file, Math.min(bytesOf([file]), 9_000)]);
    expect(driver).toHaveLength(1);
    expect(bytesOf(driver)).toBeLessThanOrEqual(33_000);
    expect(bytesOf(turns)).toBeLessThanOrEqual(98_300);
    expect(once).toHaveLength(2);
    expect(bytesOf(once)).toBeLessThanOrEqual(18_000);
    expect(bytesOf(panel) - bytesOf(driver)).toBeLessThanOrEqual(269_000);
    expect(files.filter((file) => !scripts.includes(file))).toEqual([
      "THIRD-PARTY-NOTICES.txt",
      "languages",
      "page",
      "patchbay-hook.cjs",
    ]);
  });

  it("has a small file for each language, and says what translators wrote", () => {
    const directory = join(dist, "languages");
    expect(readdirSync(directory).toSorted()).toEqual(["en", ...languages].map((name) => `${name}.json.br`).toSorted());
    for (const language of languages) {
      expect(readTexts(directory, language)).toEqual(builtTexts(language, vscodeParts()));
      expect(statSync(join(directory, `${language}.json.br`)).size).toBeLessThanOrEqual(12_700);
    }
    // Editors show reviews themselves, and are connected: in the place of those texts are others.
    const { said, page } = readTexts(directory, "de");
    expect(page).toHaveLength(Object.keys(panelStrings).filter((key) => !inBrowsers.test(key)).length);
    const scripts = readdirSync(dist).filter((file) => file.startsWith("panel-"));
    const text = scripts.map((file) => readFileSync(join(dist, file), "utf8")).join("\n");
    expect(text).not.toContain("connection.lost");
    expect(text).not.toContain(Array.from(said.values())[0]);
  });

  it("says whose work is in it, and in the panel's page", () => {
    const notices = ["", "page"].map((folder) => readFileSync(join(dist, folder, "THIRD-PARTY-NOTICES.txt"), "utf8"));
    for (const name of ["zod", "ws", "@modelcontextprotocol/sdk"]) expect(notices[0]).toContain(`\n${name} `);
    for (const name of ["preact", "marked", "highlight.js", "diff"]) expect(notices[1]).toContain(`\n${name} `);
  });

  it("loads nothing of the ledger of turns before an agent says something", () => {
    const loaded = Array.from(loadedWith("extension.js"));
    expect(loaded.filter((file) => file.startsWith("agent-changes-"))).toEqual([]);
    expect(loaded.map((file) => readFileSync(join(dist, file), "utf8")).join("\n")).not.toContain("cat-file");
  });

  it("explains and tries nothing before somebody asks", () => {
    const text = Array.from(loadedWith("extension.js"), (file) => readFileSync(join(dist, file), "utf8")).join("\n");
    expect(text).not.toContain("What is not harmed");
    expect(text).not.toContain("price of prices");
  });

  it("loads nothing of the panel before it is opened", () => {
    const loaded = Array.from(loadedWith("extension.js"));
    expect(loaded.filter((file) => file.startsWith("panel-"))).toEqual([]);
    const text = loaded.map((file) => readFileSync(join(dist, file), "utf8")).join("\n");
    expect(text).not.toContain("stream-json");
    expect(text).not.toContain("Content-Security-Policy");
  });

  it("holds nothing of JSON Schema that nobody uses: its validator, and what writes it", () => {
    const scripts = readdirSync(dist).filter((file) => file.endsWith(".js"));
    for (const file of scripts) {
      const text = readFileSync(join(dist, file), "utf8");
      expect(text).not.toContain("ajv");
      expect(text).not.toContain("json-schema.org");
    }
  });

  it("brings the program of hooks as one small file that needs no other", () => {
    const program = readFileSync(join(dist, "patchbay-hook.cjs"), "utf8");
    expect(program.length).toBeLessThan(40_000);
    const required = Array.from(program.matchAll(/require\("([^"]+)"\)/gu), ([, name = ""]) => name);
    expect(required.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  it("edits the agents' settings with what is not loaded at start", () => {
    const text = Array.from(loadedWith("extension.js"), (file) => readFileSync(join(dist, file), "utf8")).join("\n");
    expect(text).not.toContain("before-patchbay");
    expect(text).not.toContain("isLineBreakSeen");
  });

  it("keeps the protocol engine out of the start", () => {
    const text = Array.from(loadedWith("extension.js"), (file) => readFileSync(join(dist, file), "utf8")).join("\n");
    expect(text).not.toContain("notifications/initialized");
    expect(text).not.toContain("invalid_type");
  });
});
