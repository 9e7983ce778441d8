import { isAbsolute } from "node:path";
import { l10n } from "vscode";
import type { HostMessage } from "@patchbay/core";
import { shortened } from "../surfaces/texts.ts";
import { shortPathOf } from "./file-name.ts";

/**
 * A message of core in the user's language, with paths as the user knows them. Core says it in English with the values
 * apart, so the sentence can be looked up.
 */
export function localise(message: HostMessage): string {
  const values = Object.entries(message.values).map(([name, value]) => [
    name,
    shortened(isAbsolute(value) ? shortPathOf(value) : value),
  ]);
  return l10n.t(template(message), Object.fromEntries(values));
}

export function localiseAction(action: string): string {
  return l10n.t(action);
}

/**
 * The sentence with its values turned back into `{name}`, as translations have it. What translates it is looked for first: a
 * value may be a word that the sentence itself has, such as the name of an agent.
 */
function template(message: HostMessage): string {
  const { text } = message;
  const translated = Object.keys(l10n.bundle ?? {}).find((one) => one.includes("{") && filled(one, message) === text);
  return translated ?? guessed(message);
}

function filled(sentence: string, { values }: HostMessage): string {
  return sentence.replace(/\{(\w+)\}/gu, (place, name: string) => values[name] ?? place);
}

/** Without a translation any places will do that make the same sentence. Short values are left alone: they may occur anywhere. */
function guessed({ text, values }: HostMessage): string {
  return Object.entries(values)
    .filter(([, value]) => value.length > 2)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((sentence, [name, value]) => sentence.replaceAll(value, `{${name}}`), text);
}
