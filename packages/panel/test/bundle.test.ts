import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { languages } from "@patchbay/languages";
import { readTexts } from "@patchbay/languages/node";
import { describe, expect, it } from "vitest";
import { builtTexts } from "../../languages/scripts/texts-of.ts";

const page = join(import.meta.dirname, "..", "dist", "page");

/** A file with everything that it imports as soon as it is loaded. */
function loadedWith(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(page, file), "utf8");
  for (const [, imported] of text.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/gu)) {
    if (imported !== undefined) loadedWith(imported, seen);
  }
  return seen;
}

const bytesOf = (files: Iterable<string>): number =>
  Array.from(files).reduce((sum, file) => sum + readFileSync(join(page, file)).length, 0);

const zippedOf = (files: Iterable<string>): number =>
  Array.from(files).reduce((sum, file) => sum + gzipSync(readFileSync(join(page, file)), { level: 9 }).length, 0);

const chunk = (name: string): string => {
  const found = readdirSync(page).find((file) => file.startsWith(`${name}-`) && file.endsWith(".js"));
  if (found === undefined) throw new Error(`no chunk ${name}`);
  return found;
};

describe.skipIf(!existsSync(join(page, "panel.js")))("the page's bundle (needs a build)", () => {
  it("has the languages beside it, as their translators wrote them", () => {
    for (const language of languages)
      expect(readTexts(join(page, "languages"), language)).toEqual(builtTexts(language));
  });

  it("has a first part that draws a conversation, of at most 120 kB, 40 kB zipped", () => {
    expect(bytesOf(loadedWith("panel.js"))).toBeLessThanOrEqual(120_000);
    expect(zippedOf(loadedWith("panel.js"))).toBeLessThanOrEqual(40_000);
  });

  it("leaves for later what a conversation is drawn without: 36 kB, 14 kB zipped", () => {
    const first = loadedWith("panel.js");
    const later = Array.from(loadedWith(chunk("rest"))).filter((file) => !first.has(file));
    expect(later).toContain(chunk("rest"));
    expect(bytesOf(later)).toBeLessThanOrEqual(36_000);
    expect(zippedOf(later)).toBeLessThanOrEqual(14_000);
  });

  it("has what few conversations need in a part of its own: 16 kB", () => {
    const before = new Set([...loadedWith("panel.js"), ...loadedWith(chunk("rest"))]);
    expect(before).not.toContain(chunk("rare"));
    const rare = Array.from(loadedWith(chunk("rare"))).filter((file) => !before.has(file));
    expect(bytesOf(rare)).toBeLessThanOrEqual(16_000);
  });

  it("has what turns did to the files in a part of its own: 14 kB", () => {
    const before = new Set(["panel.js", chunk("rest"), chunk("rare")].flatMap((file) => [...loadedWith(file)]));
    expect(before).not.toContain(chunk("changes"));
    const own = Array.from(loadedWith(chunk("changes"))).filter((file) => !before.has(file));
    expect(bytesOf(own)).toBeLessThanOrEqual(14_000);
  });

  it("has the highlighter in a part of its own", () => {
    const read = new Set(
      ["panel.js", chunk("rest"), chunk("rare"), chunk("changes")].flatMap((file) => [...loadedWith(file)]),
    );
    expect(read).not.toContain(chunk("highlighter"));
  });

  it("holds nothing that makes HTML of Markdown", () => {
    for (const file of readdirSync(page).filter((name) => name.endsWith(".js"))) {
      const text = readFileSync(join(page, file), "utf8");
      expect(text).not.toContain("<blockquote>");
      expect(text).not.toContain("insertAdjacentHTML");
    }
  });

  it("names no colour and no address of its own in its styles", () => {
    const styles = readFileSync(join(page, "panel.css"), "utf8");
    expect(styles.match(/#[\da-f]{3,8}\b|\brgba?\(|\bhsl|url\(|@import/giu)).toBeNull();
  });
});
