import type { Explanation, ExplanationPart } from "./explain.ts";
import { findingPages } from "./finding-pages.ts";

export const codes: readonly string[] = Object.keys(findingPages).toSorted();

/** A page in the form that all of them have: headings, paragraphs, and fences without an empty line. */
export function explanationOf(code: string, translate: (text: string) => string): Explanation | undefined {
  const page = Object.hasOwn(findingPages, code) ? findingPages[code] : undefined;
  if (page === undefined) return undefined;
  const [title = "", ...blocks] = page.trim().split("\n\n");
  const parts = blocks.map((block): ExplanationPart => {
    const fence = /^```\w*\n([^]*?)\n```$/u.exec(block)?.[1];
    if (fence !== undefined) return { kind: "command", text: fence };
    if (block.startsWith("## ")) return { kind: "heading", text: translate(block.slice(3)) };
    return { kind: "text", text: translate(block.replaceAll("\n", " ")) };
  });
  return { code, title: translate(title.replace(/^# /u, "")), parts };
}

/** What there is to translate in the pages of these codes, each text once: all but what is typed. */
export function explanationTexts(of: readonly string[] = codes): readonly string[] {
  const texts = new Set<string>();
  const collect = (text: string): string => {
    texts.add(text);
    return text;
  };
  for (const code of of) explanationOf(code, collect);
  return [...texts];
}
