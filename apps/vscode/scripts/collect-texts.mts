import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Collects every text that a person sees into l10n/bundle.l10n.json, which translations start from: what is given to `l10n.t`,
// and the messages of core, which arrive with their values apart. `node scripts/collect-texts.mts`

const here = fileURLToPath(new URL("..", import.meta.url));
const core = join(here, "..", "..", "packages", "core", "src");
const coreActions = ["Show", "Do Not Show", "Save to File", "Apply My Edits"] as const;

export async function collectTexts(): Promise<readonly string[]> {
  const names = (await readdir(join(here, "src"), { recursive: true })).filter((name) => name.endsWith(".ts"));
  const own = await Promise.all(names.map(async (name) => textsOf(await readFile(join(here, "src", name), "utf8"))));
  const others = await coreSources();
  return Array.from(new Set([...own.flat(), ...others.flatMap(messagesOf), ...coreActions])).sort();
}

function textsOf(source: string): readonly string[] {
  const literals = source.matchAll(/l10n\.t\(\s*("(?:[^"\\]|\\.)*")/gu);
  return Array.from(literals, (match) => String(JSON.parse(match[1] ?? '""')));
}

/** Core's files that tell the user something. */
async function coreSources(): Promise<readonly string[]> {
  const names = (await readdir(core, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const sources = await Promise.all(names.map(async (name) => await readFile(join(core, name), "utf8")));
  return sources.filter((source) => /messages\s*\.show\(|\.tellUser\(/u.test(source));
}

/** Sentences with values in them, as templates: a value is called what the last name in its place says. */
function messagesOf(source: string): readonly string[] {
  return Array.from(source.matchAll(/`([^`\\]*)`/gu), (match) => match[1] ?? "")
    .filter((text) => /^(?:\p{Lu}|\$\{).* .*[.?]$/u.test(text))
    .map((text) => text.replace(/\$\{(?:\w+\.)*agentName\}/gu, "{agent}").replace(/\$\{(?:\w+\.)*(\w+)\}/gu, "{$1}"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = await collectTexts();
  const bundle = Object.fromEntries(texts.map((text) => [text, text]));
  await writeFile(join(here, "l10n", "bundle.l10n.json"), `${JSON.stringify(bundle, undefined, 2)}\n`);
}
