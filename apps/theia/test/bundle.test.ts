import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const file = join(import.meta.dirname, "../lib/browser/patchbay-frontend-module.js");

describe.skipIf(!existsSync(file))("the part for the browser", () => {
  it("has nothing in it that needs Node or serves agents", () => {
    const text = readFileSync(file, "utf8");
    const required = Array.from(text.matchAll(/\brequire\("([^"]+)"\)/gu), ([, name = ""]) => name);
    expect(required.filter((name) => !name.startsWith("@theia/"))).toEqual([]);
    expect(text).not.toContain("modelcontextprotocol");
    // The panel's page comes from the backend, when it is opened.
    expect(text).not.toContain("log-content");
    expect(text.length).toBeLessThan(150_000);
  });

  it("loads what is said of a diagnosis with the first one", () => {
    const text = readFileSync(file, "utf8");
    const later = Array.from(text.matchAll(/\bimport\("([^"]+)"\)/gu), ([, name = ""]) => name);
    expect(later).toEqual(["./diagnosis.js"]);
    expect(text).not.toContain("patchbay/diagnosis/window");
    expect(statSync(join(file, "..", "diagnosis.js")).size).toBeLessThan(60_000);
  });
});
