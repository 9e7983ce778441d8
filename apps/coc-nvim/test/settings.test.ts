import { describe, expect, it } from "vitest";
import manifest from "../package.json";
import { defaultKeys, effectiveKeys } from "../src/diff/review-settings.ts";
import { readSettings } from "../src/settings.ts";

describe("settings", () => {
  it("have the same defaults in the code and in the manifest", () => {
    const properties: Readonly<Record<string, { readonly default: unknown }>> =
      manifest.contributes.configuration.properties;
    const declared = readSettings((name) => properties[`patchbay.${name}`]?.default);
    expect(declared).toEqual(readSettings(() => undefined));
  });

  it("count a value of the wrong kind as not set", () => {
    const settings = readSettings((name) => ({ "review.layout": "sideways", "keys.accept": 7, enabled: "no" })[name]);
    expect(settings.review.layout).toBe("tab");
    expect(settings.review.keys.accept).toBe(defaultKeys.accept);
    expect(settings.enabled).toBe(true);
  });

  it("add agents and replace known ones", () => {
    const { agents } = readSettings((name) =>
      name === "agents" ? { other: "other --flag", gemini: "my-gemini" } : undefined,
    );
    expect(agents["other"]).toBe("other --flag");
    expect(agents["gemini"]).toBe("my-gemini");
    expect(agents["claude"]).toContain("claude");
  });
});

describe("keys", () => {
  it("are none where they are off", () => {
    expect(new Set(Object.values(effectiveKeys(false, { accept: "ga" })))).toEqual(new Set([""]));
  });

  it("are left out one by one, and never break the mapping command", () => {
    expect(effectiveKeys(true, { accept: "", reject: "g|r", next: "g n" })).toEqual({
      ...defaultKeys,
      accept: "",
      reject: "",
      next: "",
    });
  });
});
