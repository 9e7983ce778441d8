import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Collects every text that a person sees into l10n/bundle.l10n.json, which translations start from: what is given to `l10n.t`,
// and the messages of core, which arrive with their values apart. `node scripts/collect-texts.mts`

const here = fileURLToPath(new URL("..", import.meta.url));
const core = join(here, "..", "..", "packages", "core", "src");
const turns = join(here, "..", "..", "packages", "turns", "src");
const panelHost = join(here, "..", "..", "packages", "panel", "src", "host");
const coreActions = [
  "Show",
  "Do Not Show",
  "Save to File",
  "Apply My Edits",
  "Allow",
  "Reject",
  "Show Whole Command",
] as const;

export async function collectTexts(): Promise<readonly string[]> {
  const names = (await readdir(join(here, "src"), { recursive: true })).filter((name) => name.endsWith(".ts"));
  const own = await Promise.all(names.map(async (name) => textsOf(await readFile(join(here, "src", name), "utf8"))));
  const others = await coreSources();
  const panel = (await sourcesIn(panelHost)).flatMap(sentencesOf);
  const advice = adviceOf(await readFile(join(core, "storage", "private-directory.ts"), "utf8"));
  const all = [...own.flat(), ...others.flatMap(messagesOf), ...advice, ...panel, ...coreActions];
  return Array.from(new Set(all)).sort();
}

/** What the panel's host tells the user, in whole sentences without values. */
function sentencesOf(source: string): readonly string[] {
  if (!source.includes(".tell(")) return [];
  return Array.from(source.matchAll(/"(\p{Lu}(?:[^"\\]| )+ [^"\\]+\.)"/gu), (match) => match[1] ?? "");
}

/** What the user can do about an error of the system: a value of other sentences. */
function adviceOf(source: string): readonly string[] {
  return Array.from(source.matchAll(/return "(\p{Lu}[^"\\]+\.)";/gu), (match) => match[1] ?? "");
}

function textsOf(source: string): readonly string[] {
  const literals = source.matchAll(/l10n\.t\(\s*("(?:[^"\\]|\\.)*")/gu);
  return Array.from(literals, (match) => String(JSON.parse(match[1] ?? '""')));
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  return await Promise.all(names.map(async (name) => await readFile(join(folder, name), "utf8")));
}

/** Core's files that tell the user something. */
async function coreSources(): Promise<readonly string[]> {
  return [...(await sourcesIn(core)), ...(await sourcesIn(turns))].filter((source) =>
    /messages\s*\.show\(|\.tellUser\(/u.test(source),
  );
}

/** Sentences with values in them, as templates: a value is called what the last name in its place says. */
function messagesOf(source: string): readonly string[] {
  return Array.from(source.matchAll(/`([^`\\]*)`/gu), (match) => match[1] ?? "")
    .filter((text) => /^(?:\p{Lu}|\$\{).* .*(?:[.?]|\$\{advice\})$/u.test(text))
    .map((text) => text.replace(/\$\{(?:\w+\.)*agentName\}/gu, "{agent}").replace(/\$\{(?:\w+\.)*(\w+)\}/gu, "{$1}"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = await collectTexts();
  const bundle = Object.fromEntries(texts.map((text) => [text, text]));
  await writeFile(join(here, "l10n", "bundle.l10n.json"), `${JSON.stringify(bundle, undefined, 2)}\n`);
}
