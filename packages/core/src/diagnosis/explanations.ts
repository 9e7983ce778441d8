import type { Explanation, ExplanationPart } from "./explain.ts";
import { findingPages } from "./finding-pages.ts";

export const codes: readonly string[] = Object.keys(findingPages).toSorted();

/** A page in the form that all of them have: headings, paragraphs, and fences without an empty line. */
export function explanationOf(code: string): Explanation | undefined {
  const page = Object.hasOwn(findingPages, code) ? findingPages[code] : undefined;
  if (page === undefined) return undefined;
  const [first = "", ...rest] = page.split("\n");
  const markdown = rest.join("\n").trim();
  const parts = markdown.split("\n\n").map((block): ExplanationPart => {
    const fence = /^```\w*\n([^]*?)\n```$/u.exec(block)?.[1];
    if (fence !== undefined) return { kind: "command", text: fence };
    if (block.startsWith("## ")) return { kind: "heading", text: block.slice(3) };
    return { kind: "text", text: block.replaceAll("\n", " ").replaceAll(/\*\*([^*]+)\*\*/gu, "$1") };
  });
  return { code, title: first.replace(/^# /u, ""), parts, markdown };
}
