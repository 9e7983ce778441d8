import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const directory = join(import.meta.dirname, "../lib/browser");
const entry = "patchbay-frontend-module.js";

const textOf = (file: string): string => readFileSync(join(directory, file), "utf8");

const namesIn = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ([, name = ""]) => name);

const requiredBy = (file: string): readonly string[] => namesIn(textOf(file), /\brequire\("([^"]+)"\)/gu);

/** A file with everything that is loaded along with it. */
function loadedWith(file: string, loaded: Set<string> = new Set()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const name of requiredBy(file)) if (name.startsWith("./")) loadedWith(name.slice(2), loaded);
  return loaded;
}

const sizeOf = (files: Iterable<string>): number =>
  Array.from(files).reduce((size, file) => size + Buffer.byteLength(textOf(file)), 0);

describe.skipIf(!existsSync(join(directory, entry)))("the part for the browser", () => {
  it("has nothing in it that needs Node or serves agents", () => {
    const files = readdirSync(directory).filter((name) => name.endsWith(".js"));
    const foreign = files.flatMap(requiredBy).filter((name) => !name.startsWith("@theia/") && !name.startsWith("./"));
    expect(foreign).toEqual([]);
    const all = files.map(textOf).join("\n");
    expect(all).not.toContain("modelcontextprotocol");
    // The panel's page comes from the backend, when it is opened.
    expect(all).not.toContain("log-content");
    expect(sizeOf(files)).toBeLessThan(196_200);
  });

  it("loads at the start of a window what a window needs at its start", () => {
    const first = loadedWith(entry);
    expect(sizeOf(first)).toBeLessThan(120_000);
    const text = Array.from(first, textOf).join("\n");
    const later = namesIn(text, /\bimport\("\.\/([^"]+)-[A-Z0-9]{8}\.js"\)/gu);
    expect(Array.from(new Set(later)).toSorted()).toEqual([
      "agent-actions",
      "careful-dialogs",
      "diagnosis-widget",
      "hooks",
      "in-the-backend",
      "inbox-actions",
      "inbox-widget",
      "panel-widget",
      "review-actions",
      "turn-actions",
      "turn-marks",
    ]);
    expect(text).not.toMatch(/patchbay\/(?:diagnosis\/listening|hook\/question|panel\/frame|turns\/conflicts)/u);
  });
});
