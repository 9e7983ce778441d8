import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { editorFindings } from "../../../tooling/scripts/finding-pages.mjs";
import { explanationTexts } from "../../core/src/diagnosis/explanations.ts";
import { panelStrings } from "../../panel/src/strings.ts";

// The texts that people see, in English, as they stand in the sources: translations and the files of an edition begin here.

/** A text, and where it stands: in two places one English text may mean two things. */
export interface EnglishText {
  readonly text: string;
  readonly place: string;
}

const repository: string = fileURLToPath(new URL("../../..", import.meta.url));

/** What translators write, and the sentences that no source holds as a whole. */
export const texts: string = fileURLToPath(new URL("../texts", import.meta.url));

/** What the VS Code extension says: what is given to `l10n.t`. */
export function vscodeTexts(): readonly EnglishText[] {
  const calls = sourcesIn("apps/vscode/src").flatMap((source) =>
    literalsOf(source, /l10n\.t\(\s*("(?:[^"\\]|\\.)*")/gu),
  );
  return sorted(calls.map((text) => ({ text, place: "vscode" })));
}

/** What the coc.nvim edition says itself, beside its scripts in Vim. */
export function cocTexts(): readonly EnglishText[] {
  const calls = sourcesIn("apps/coc-nvim/src").flatMap((source) =>
    literalsOf(source, /l10n\.t\(\s*("(?:[^"\\]|\\.)*")/gu),
  );
  return sorted(calls.map((text) => ({ text, place: "coc" })));
}

/** What its scripts in Vim and Neovim say: what is given to `patchbay#text`. */
export function vimTexts(): readonly EnglishText[] {
  const health = sourcesIn("apps/coc-nvim/lua", /\.lua$/u).flatMap((script) =>
    literalsOf(script, /\btext\(("(?:[^"\\]|\\.)*")/gu),
  );
  const scripts = sourcesIn("apps/coc-nvim/autoload", /\.vim$/u);
  const calls = scripts.flatMap((script) =>
    Array.from(script.matchAll(/patchbay#text\('((?:[^']|'')*)'/gu), ([, text = ""]) => text.replaceAll("''", "'")),
  );
  return sorted([...calls, ...health].map((text) => ({ text, place: "vim" })));
}

/** What every edition has to say: the messages of core, and what the panel tells beside its conversations. */
export function messages(): readonly EnglishText[] {
  const core = [...sourcesIn("packages/core/src"), ...sourcesIn("packages/turns/src")].filter((source) =>
    /messages\s*\.show\(|\.tellUser\(/u.test(source),
  );
  const advice = adviceOf(sourceOf("packages/core/src/storage/private-directory.ts"));
  const host = sourcesIn("packages/panel/src/host").flatMap(sentencesOf);
  const server = sourcesIn("packages/panel/src/server").flatMap((source) =>
    literalsOf(source, /\.tell\(\s*"\w+",\s*("(?:[^"\\]|\\.)*")/gu),
  );
  const said = [...core.flatMap(messagesOf), ...advice, ...host, ...server, ...actions];
  return sorted(said.map((text) => ({ text, place: "message" })));
}

/** The buttons of core's messages. */
const actions = [
  "Show",
  "Do Not Show",
  "Save to File",
  "Apply My Edits",
  "Allow",
  "Reject",
  "Show Whole Command",
  "Accept the Others",
  "Reject All",
];

/** What Patchbay says in conversations, which are on disk in English. */
export function saidTexts(): readonly EnglishText[] {
  const sentences: readonly string[] = JSON.parse(readFileSync(join(texts, "sentences.json"), "utf8"));
  return sentences.map((text) => ({ text, place: "said" }));
}

/** What an editor says of its findings, from their pages in docs, in the order in which it has them: that of their codes. */
export function findingTexts(codes: readonly string[] = editorFindings): readonly EnglishText[] {
  return explanationTexts(codes).map((text) => ({ text, place: "finding" }));
}

/** The texts of the panel's page. */
export function pageTexts(): readonly EnglishText[] {
  return Object.entries(panelStrings).map(([place, text]) => ({ text, place }));
}

/** Of a page that stands in a browser by itself: its reviews, its connection to the server, and what it names. */
export const inBrowsers: RegExp = /^(?:review|connection|mention)\./u;

/** What the Theia extension says in its windows, by its keys. */
export function theiaTexts(): readonly EnglishText[] {
  const sources = sourcesIn("apps/theia/src");
  const localised =
    /nls\.localize\(\s*"patchbay\/(?<place>[^"]+)",\s*(?<literal>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/gu;
  const commands = /\bcommand\(\s*"(?<place>[\w.]+)",\s*(?<literal>"(?:[^"\\]|\\.)*")/gu;
  const found = (pattern: RegExp, prefix: string): readonly (readonly [place: string, text: string])[] =>
    sources.flatMap((source) =>
      Array.from(source.matchAll(pattern), ({ groups: { place = "", literal = "" } = {} }): [string, string] => [
        `${prefix}${place}`,
        valueOf(literal),
      ]),
    );
  // The command of each agent is made of one text.
  const all = [...found(localised, ""), ...found(commands, "command/"), ["command/run", "Run {agent}"] as const];
  const once = new Map(all);
  // A key is for one text.
  for (const [place, text] of all) if (once.get(place) !== text) throw new Error(`${place} has two texts.`);
  return Array.from(once, ([place, text]) => ({ text, place: `theia/${place}` }));
}

const sourceOf = (path: string): string => readFileSync(join(repository, path), "utf8");

/** The sources in a folder of the repository. */
function sourcesIn(folder: string, ending: RegExp = /\.m?ts$/u): readonly string[] {
  const path = join(repository, folder);
  const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => ending.test(name));
  return names.toSorted().map((name) => readFileSync(join(path, name), "utf8"));
}

function literalsOf(source: string, pattern: RegExp): readonly string[] {
  return Array.from(source.matchAll(pattern), ([, literal = ""]) => valueOf(literal));
}

/** A literal in quotes of either kind. */
function valueOf(literal: string): string {
  if (literal.startsWith('"')) return String(JSON.parse(literal));
  return literal.slice(1, -1).replaceAll(/\\(.)/gu, "$1");
}

/** What is told in whole sentences without values. */
function sentencesOf(source: string): readonly string[] {
  if (!source.includes(".tell(")) return [];
  return Array.from(source.matchAll(/"(\p{Lu}(?:[^"\\]| )+ [^"\\]+\.)"/gu), ([, sentence = ""]) => sentence);
}

/** What the user can do about an error of the system: a value of other sentences. */
function adviceOf(source: string): readonly string[] {
  return literalsOf(source, /return ("\p{Lu}[^"\\]+\.");/gu);
}

/** Sentences with values in them, as templates: a value is called what the last name in its place says. */
function messagesOf(source: string): readonly string[] {
  return Array.from(source.matchAll(/`([^`\\]*)`/gu), ([, text = ""]) => text)
    .filter((text) => /^(?:\p{Lu}|\$\{).* .*(?:[.?]|\$\{advice\})$/u.test(text))
    .map((text) =>
      text.replaceAll(/\$\{(?:\w+\.)*agentName\}/gu, "{agent}").replaceAll(/\$\{(?:\w+\.)*(\w+)\}/gu, "{$1}"),
    );
}

/** Each text once, in an order that no change of the sources disturbs. */
function sorted(texts: readonly EnglishText[]): readonly EnglishText[] {
  const once = new Map(texts.map((one) => [one.text, one]));
  return Array.from(once.values()).toSorted((one, other) => (one.text < other.text ? -1 : 1));
}
