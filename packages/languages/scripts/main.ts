import { writeFileSync } from "node:fs";
import { languages } from "../src/index.ts";
import { everyText } from "./every-text.ts";
import { compared, pathOf, translationsOf } from "./translations.ts";

// Lists what each language lacks. `--write` enters it into the files, with nothing beside it, takes out what nothing says any more,
// and puts all into order. `pnpm texts`

const isWriting = process.argv.includes("--write");
const english = everyText();
let isComplete = true;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

for (const language of languages) {
  const translations = translationsOf(language);
  const { missing, unused } = compared(translations, english);
  if (missing.length + unused.length > 0) isComplete = false;
  for (const text of missing) say(`${language} lacks: ${text}`);
  for (const text of unused) say(`${language} has for nothing: ${text}`);
  if (!isWriting) continue;
  const kept = Object.entries(translations).filter(([key]) => !unused.includes(key));
  const all = Object.entries({ ...Object.fromEntries(missing.map((text) => [text, ""])), ...Object.fromEntries(kept) });
  const ordered = Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(pathOf(language), `${JSON.stringify(ordered, undefined, 2)}\n`);
}

if (isComplete) say("Every language has every text.");
else if (!isWriting) process.exitCode = 1;
