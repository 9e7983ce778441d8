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

// Few people ever ask: the pages, and what reads them, are loaded then.
const load = (): Promise<typeof import("./explanations.ts")> => import("./explanations.ts");

/** The codes of all findings that can be explained, in order. An editor has the pages of its own findings alone. */
export async function explainedCodes(): Promise<readonly string[]> {
  return (await load()).codes;
}

/** Explains a finding; undefined where there is no page for that code. In English, as the documents are. */
export async function explainFinding(code: string): Promise<Explanation | undefined> {
  return (await load()).explanationOf(code);
}
