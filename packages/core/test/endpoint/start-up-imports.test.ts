import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = resolve(dirname(fileURLToPath(import.meta.url)), "../../src");
/** Imports and re-exports that are there at run time, not `import type` and not `import()`. */
const importPattern = /^(?:import|export)\s+(?!type\b)(?:[^;"']*?\sfrom\s+)?["']([^"']+)["']/gm;

/** Every module that is loaded together with one, with who imports it. */
function loadedWith(entry: string): Map<string, string> {
  const importers = new Map<string, string>([[entry, "start"]]);
  for (const [file] of importers) {
    if (!file.endsWith(".ts")) continue;
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(importPattern)) {
      const found = specifier.startsWith(".") ? resolve(dirname(file), specifier) : specifier;
      if (!importers.has(found)) importers.set(found, file);
    }
  }
  return importers;
}

describe("start-up", () => {
  it("imports nothing for the listener but Node's own modules and the guard", () => {
    const loaded = loadedWith(resolve(source, "endpoint/loopback-endpoint.ts"));
    const foreign = Array.from(loaded).filter(([name]) => !name.startsWith("/") && !name.startsWith("node:"));
    expect(foreign).toEqual([]);
    const names = Array.from(loaded.keys(), (name) => name.slice(name.lastIndexOf("/") + 1));
    expect(names.toSorted()).toEqual([
      "answers.ts",
      "errors.ts",
      "load-once.ts",
      "loopback-endpoint.ts",
      "node:crypto",
      "node:http",
      "node:net",
      "request-guard.ts",
    ]);
  });

  it("would notice ws, which comes with the first WebSocket", () => {
    expect(loadedWith(resolve(source, "endpoint/websocket-door.ts")).has("ws")).toBe(true);
  });
});
