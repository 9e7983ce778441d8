import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { manifestUnits } from "../../../apps/vscode/scripts/manifest-texts.mts";
import { walkthroughUnits } from "../../../apps/vscode/scripts/walkthrough-texts.mts";
import {
  cocTexts,
  type EnglishText,
  findingTexts,
  messages,
  pageTexts,
  saidTexts,
  theiaTexts,
  vimTexts,
  vscodeTexts,
} from "./english.ts";

/** All that there is to translate. */
export function everyText(): readonly EnglishText[] {
  return [
    manifestTexts(),
    walkthroughUnits().map((text) => ({ text, place: "walkthrough" })),
    vscodeTexts(),
    cocTexts(),
    vimTexts(),
    messages(),
    saidTexts(),
    pageTexts(),
    theiaTexts(),
    findingTexts(),
  ].flat();
}

/** What the manifest of the VS Code extension says. */
export function manifestTexts(): readonly EnglishText[] {
  const path = fileURLToPath(new URL("../../../apps/vscode/package.nls.json", import.meta.url));
  return manifestUnits(JSON.parse(readFileSync(path, "utf8"))).map(([text, key]) => ({
    text,
    place: `manifest/${key}`,
  }));
}
