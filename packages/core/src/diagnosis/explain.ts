/** What there is to know about a finding, from its page in docs/findings. */
export interface Explanation {
  readonly code: string;
  /** What it is, in a few words. */
  readonly title: string;
  readonly parts: readonly ExplanationPart[];
  /** The whole page as Markdown, without its title. */
  readonly markdown: string;
}

/** `command`: what is typed or written somewhere, as it is; its lines are kept. */
export interface ExplanationPart {
  readonly kind: "heading" | "text" | "command";
  readonly text: string;
}

/** The codes of all findings, in order. Loads the pages. */
export async function explainedCodes(): Promise<readonly string[]> {
  return Object.keys((await loadPages()).findingPages).toSorted();
}

/** Explains a finding; undefined where no finding has that code. In English, as the documents are. Loads the pages. */
export async function explainFinding(code: string): Promise<Explanation | undefined> {
  const { findingPages } = await loadPages();
  const page = Object.hasOwn(findingPages, code) ? findingPages[code] : undefined;
  return page === undefined ? undefined : readExplanation(code, page);
}

const loadPages = (): Promise<typeof import("./finding-pages.ts")> => import("./finding-pages.ts");

/** A page in the form that all of them have: headings, paragraphs, and fences without an empty line. */
function readExplanation(code: string, page: string): Explanation {
  const [first = "", ...rest] = page.split("\n");
  const markdown = rest.join("\n").trim();
  const parts: ExplanationPart[] = [];
  for (const block of markdown.split("\n\n")) {
    const fence = /^```\w*\n([^]*?)\n```$/u.exec(block)?.[1];
    if (fence !== undefined) parts.push({ kind: "command", text: fence });
    else if (block.startsWith("## ")) parts.push({ kind: "heading", text: block.slice(3) });
    else parts.push({ kind: "text", text: block.replaceAll("\n", " ").replaceAll(/\*\*([^*]+)\*\*/gu, "$1") });
  }
  return { code, title: first.replace(/^# /u, ""), parts, markdown };
}
