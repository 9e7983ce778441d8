import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { agents } from "@patchbay/core";
import { languages } from "@patchbay/languages";
import { describe, expect, it } from "vitest";
import { manifestInLanguages } from "../scripts/manifest-languages.mts";
import { manifestIn, manifestUnits } from "../scripts/manifest-texts.mts";
import type { Texts } from "../scripts/write-contributions.mts";

const read = (name: string): string => readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), "utf8");
const english: Texts = JSON.parse(read("package.nls.json"));

describe("the manifest in another language", () => {
  const marked = manifestIn("de", english, (text) => `»${text}«`);

  it("has every text, in pieces that translators know", () => {
    expect(Object.keys(marked)).toEqual(Object.keys(english));
    expect(marked["command.diagnose"]).toBe("»Diagnose Connection«");
    expect(manifestUnits(english).map(([text]) => text)).toContain("Diagnose Connection");
    expect(manifestUnits(english).filter(([text]) => text.includes("](command:"))).toEqual([]);
  });

  it("keeps the commands of links, and names what no language translates", () => {
    expect(marked["welcome.failed"]).toContain("\n[»Diagnose Connection«](command:patchbay.diagnose)\n");
    expect(marked["displayName"]).toBe("Patchbay");
  });

  it("says of each agent what it says of all", () => {
    expect(marked["command.runGemini"]).toBe("»Run Gemini CLI«");
    for (const { agentName } of agents)
      expect(marked["welcome.connections"]).toContain(`[»Run ${agentName}«](command:`);
    const names = agents.map(({ agentName }) => agentName);
    expect(marked["description"]).toContain(`${names.slice(0, -1).join(", ")} und ${names.at(-1)}`);
  });
});

describe("the packed manifest", () => {
  const { manifest, files } = manifestInLanguages(read("package.json"), english);
  const textsIn = (name: string): Texts => JSON.parse(files.get(name) ?? "{}");

  it("says in each place what it says unpacked", () => {
    const own = textsIn("package.nls.json");
    const inEnglish = (text: string, texts: Texts): string =>
      text.replaceAll(/"%([^%"]+)%"/gu, (place, key: string) => texts[key] ?? place);
    expect(inEnglish(manifest, own)).toBe(inEnglish(read("package.json"), english));
    expect(inEnglish(manifest, own)).not.toMatch(/"%/u);
  });

  it("has a file for each language, in whose place where it has nothing VS Code takes the English text", () => {
    expect(Array.from(files.keys())).toEqual([
      "package.nls.json",
      ...languages.map((language) => `package.nls.${language}.json`),
    ]);
    const known = Object.keys(textsIn("package.nls.json"));
    for (const language of languages) {
      const own = Object.keys(textsIn(`package.nls.${language}.json`));
      expect(own.filter((key) => !known.includes(key))).toEqual([]);
    }
  });
});
