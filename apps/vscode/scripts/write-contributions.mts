import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agents as catalogue, type Dialect } from "@patchbay/core";
import { asConfigured, runCommandOf, settingNamesOf } from "../src/contributions.mts";

// Writes what package.json and its texts say of each agent: commands, settings, and the links that start one. VS Code reads the
// manifest before it runs anything, so what core's catalogue holds must stand there, too. `pnpm run contributions`
// Translations of them are made by the build (manifest-texts.mts).

export type Agent = Pick<Dialect, "id" | "agentName" | "program" | "asking" | "contextOnly" | "loadHook">;

/** The parts of package.json that name agents. */
export interface Manifest {
  readonly keywords: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, object>> };
  };
}

/** Texts by their keys, as in package.nls.json. */
export type Texts = Readonly<Record<string, string>>;

/** What the texts say of an agent, in English: translations are of these, whatever agents there are. */
export const sentences = {
  description: "Review the changes of {agents} in the diff editor, and let them see what you have open",
  run: "Run {agent}",
  command: "The command line that starts {agent}.",
  asking: "Whether {agent} asks before it writes, if started by Patchbay. If it does not ask, no proposals are shown.",
  asks: "Ask: start it with {flags}.",
  asConfigured: "Use the agent's own settings.",
} as const;

/** The same in a language, and how it lists names. */
export interface Words extends Readonly<Record<keyof typeof sentences, string>> {
  readonly locale: string;
}

const english: Words = { ...sentences, locale: "en" };

function isReviewed({ contextOnly, loadHook }: Agent): boolean {
  return contextOnly !== true || loadHook !== undefined;
}

/** The manifest with the agents' parts written anew; all else stays. */
export function withAgents<M extends Manifest>(manifest: M, agents: readonly Agent[] = catalogue): M {
  const { keywords, capabilities, contributes } = manifest;
  const isSetting = (name: string): boolean => name.startsWith("patchbay.agents.");
  const settings = agents.flatMap((agent) => settingsOf(agent));
  const names = agents.map(keywordOf);
  const { restrictedConfigurations } = capabilities.untrustedWorkspaces;
  const properties = replaced(
    Object.entries(contributes.configuration.properties),
    ([name]) => isSetting(name),
    settings,
  );
  return {
    ...manifest,
    keywords: [...keywords.filter((word) => !word.includes(" ") && !names.includes(word)), ...names].toSorted(),
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: {
        ...capabilities.untrustedWorkspaces,
        restrictedConfigurations: [
          ...restrictedConfigurations.filter((name) => !isSetting(name)),
          ...settings.map(([name]) => name),
        ].toSorted(),
      },
    },
    contributes: {
      ...contributes,
      commands: replaced(contributes.commands, ({ command }) => isRun(command), agents.map(commandOf)),
      configuration: {
        ...contributes.configuration,
        properties: Object.fromEntries(
          properties.map(([name, property], index) => [name, { ...property, order: index + 1 }]),
        ),
      },
    },
  };
}

/** The texts with what they say of the agents written anew. */
export function textsWithAgents(texts: Texts, agents: readonly Agent[] = catalogue, language: Words = english): Texts {
  const run = ({ agentName }: Agent): string => language.run.replace("{agent}", agentName);
  const links = agents.map((agent) => `[${run(agent)}](command:${runCommandOf(agent)})`);
  const withLinks = (text: string): string =>
    replaced(text.split("\n"), (line) => isRun(/\(command:(.+)\)$/u.exec(line)?.[1] ?? ""), links).join("\n");
  const rest = Object.entries(texts).map(([key, text]): [string, string] => {
    if (key === "description")
      return [key, language.description.replace("{agents}", listed(agents.filter(isReviewed), language))];
    return [key, isLinked(key) ? withLinks(text) : text];
  });
  const commands = agents.map((agent): [string, string] => [textOf(runCommandOf(agent)), run(agent)]);
  const settings = agents.flatMap((agent) => settingTexts(agent, language));
  return Object.fromEntries(
    replaced(
      replaced(rest, ([key]) => /^command\.run[A-Z]/u.test(key), commands),
      ([key]) => key.startsWith("config.agents."),
      settings,
    ),
  );
}

/** The list with ours in the place of those that an earlier run has written. */
function replaced<T>(all: readonly T[], isOurs: (one: T) => boolean, ours: readonly T[]): readonly T[] {
  const at = all.findIndex(isOurs);
  return at < 0 ? all : [...all.slice(0, at), ...ours, ...all.slice(at).filter((one) => !isOurs(one))];
}

/** Whether a key of the texts is written here. */
export const isOfAgents = (key: string): boolean =>
  key === "description" || /^command\.run[A-Z]/u.test(key) || key.startsWith("config.agents.");

/** Whether a command starts an agent. */
export const isRun = (command: string): boolean => /^patchbay\.run[A-Z]/u.test(command);
const isLinked = (key: string): boolean => key === "welcome.connections" || key === "walkthrough.run.description";
const keywordOf = ({ agentName }: Agent): string => agentName.toLowerCase();

/** The key of a command's or setting's text, e.g. `command.runGemini` and `config.agents.gemini.command`. */
function textOf(name: string): string {
  return name.startsWith("patchbay.") ? `command.${name.slice("patchbay.".length)}` : `config.${name}`;
}

/** English without a comma before its last name, as the other languages. */
function listed(agents: readonly Agent[], { locale }: Words): string {
  const names = agents.map(({ agentName }) => agentName);
  return new Intl.ListFormat(locale === "en" ? "en-GB" : locale, { type: "conjunction" }).format(names);
}

function commandOf(agent: Agent): { readonly command: string } & Readonly<Record<string, string>> {
  const command = runCommandOf(agent);
  const enablement = "isWorkspaceTrusted && !patchbay.silent";
  return { command, category: "Patchbay", title: `%${textOf(command)}%`, enablement };
}

function settingsOf(agent: Agent): (readonly [string, object])[] {
  const names = settingNamesOf(agent);
  const command = {
    type: "string",
    default: agent.program.command,
    scope: "machine-overridable",
    order: 0,
    description: `%${textOf(names.command)}%`,
  };
  const own: (readonly [string, object])[] = [[`patchbay.${names.command}`, command]];
  if (names.asking === undefined || agent.asking === undefined) return own;
  const text = textOf(names.asking);
  const values = [agent.asking.value, asConfigured];
  const asking = {
    type: "string",
    enum: values,
    enumDescriptions: values.map((value) => `%${text}.${value}%`),
    default: agent.asking.value,
    order: 0,
    description: `%${text}%`,
  };
  return [...own, [`patchbay.${names.asking}`, asking]];
}

function settingTexts(agent: Agent, language: Words): [string, string][] {
  const { agentName, asking } = agent;
  const names = settingNamesOf(agent);
  const command: [string, string] = [textOf(names.command), language.command.replace("{agent}", agentName)];
  if (names.asking === undefined || asking === undefined) return [command];
  const text = textOf(names.asking);
  return [
    command,
    [text, language.asking.replace("{agent}", agentName)],
    [`${text}.${asking.value}`, language.asks.replace("{flags}", `${asking.flag} ${asking.value}`)],
    [`${text}.${asConfigured}`, language.asConfigured],
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const here = fileURLToPath(new URL("..", import.meta.url));
  const rewrite = async <T,>(file: string, change: (value: T) => T): Promise<void> => {
    const path = join(here, file);
    await writeFile(path, `${JSON.stringify(change(JSON.parse(await readFile(path, "utf8"))), undefined, 2)}\n`);
  };
  await rewrite<Manifest>("package.json", (manifest) => withAgents(manifest));
  await rewrite<Texts>("package.nls.json", (texts) => textsWithAgents(texts));
}
