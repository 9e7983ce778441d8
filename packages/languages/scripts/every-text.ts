import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { manifestUnits } from "../../../apps/vscode/scripts/manifest-texts.mts";
import { type EnglishText, messages, pageTexts, saidTexts, theiaTexts, vscodeTexts } from "./english.ts";

/** All that there is to translate. */
export function everyText(): readonly EnglishText[] {
  return [manifestTexts(), vscodeTexts(), messages(), saidTexts(), pageTexts(), theiaTexts()].flat();
}

/** What the manifest of the VS Code extension says. */
export function manifestTexts(): readonly EnglishText[] {
  const path = fileURLToPath(new URL("../../../apps/vscode/package.nls.json", import.meta.url));
  return manifestUnits(JSON.parse(readFileSync(path, "utf8"))).map(([text, key]) => ({
    text,
    place: `manifest/${key}`,
  }));
}
