import { isOfAgents, isRun, sentences, type Texts, textsWithAgents, type Words } from "./write-contributions.mts";

// The manifest's texts in another language, which the build writes: VS Code reads them from a file for each.

/** What gives a sentence of the manifest in another language; `key` is where it stands. */
export type Translate = (english: string, key: string) => string;

/** A line that is nothing but a link to a command. */
const link = /^\[(?<label>.+)\]\((?<target>command:(?<command>.+))\)$/u;

/** What there is to translate, each with its key: lines, labels of links, and what is said of every agent. */
export function manifestUnits(texts: Texts): readonly (readonly [text: string, key: string])[] {
  const lines = Object.entries(texts)
    .filter(([key]) => !isOfAgents(key) && !isName(key))
    .flatMap(([key, text]) => text.split("\n").map((line): [string, string] => [line, key]));
  const own = lines.flatMap(([line, key]): [string, string][] => {
    const { label = line, command = "" } = link.exec(line)?.groups ?? {};
    return isRun(command) ? [] : [[label, key]];
  });
  const ofAgents = Object.entries(sentences).map(([key, text]): [string, string] => [text, `agents.${key}`]);
  return [...own, ...ofAgents];
}

/** All of them in another language. */
export function manifestIn(locale: string, texts: Texts, translate: Translate): Texts {
  const lineIn = (line: string, key: string): string => {
    const { label, target } = link.exec(line)?.groups ?? {};
    return label === undefined || target === undefined ? translate(line, key) : `[${translate(label, key)}](${target})`;
  };
  const textIn = (text: string, key: string): string =>
    text
      .split("\n")
      .map((line) => lineIn(line, key))
      .join("\n");
  const own = Object.entries(texts).map(([key, text]) => [key, isName(key) ? text : textIn(text, key)]);
  const said = Object.entries(sentences).map(([key, text]) => [key, translate(text, `agents.${key}`)]);
  const words: Words = { ...sentences, ...Object.fromEntries(said), locale };
  return textsWithAgents(Object.fromEntries(own), undefined, words);
}

/** It is called the same everywhere. */
const isName = (key: string): boolean => key === "displayName";
