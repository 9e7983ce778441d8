/** What there is to know about a finding, from its page in docs/findings. */
export interface Explanation {
  readonly code: string;
  /** What it is, in a few words. */
  readonly title: string;
  readonly parts: readonly ExplanationPart[];
}

/** `command`: what is typed or written somewhere, as it is; its lines are kept. Elsewhere commands are in backquotes. */
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

/**
 * Explains a finding; undefined where there is no page for that code. It is English, unless `ownTexts` has the texts of
 * {@link explanationTexts} in another language, in their order.
 */
export async function explainFinding(code: string, ownTexts: readonly string[] = []): Promise<Explanation | undefined> {
  const { explanationOf, explanationTexts } = await load();
  if (ownTexts.length === 0) return explanationOf(code, (text) => text);
  const own = new Map(explanationTexts().map((text, index) => [text, ownTexts[index]]));
  return explanationOf(code, (text) => own.get(text) ?? text);
}

/** Below its title, as Markdown. */
export function explanationMarkdown({ parts }: Explanation): string {
  return parts
    .map(({ kind, text }) =>
      kind === "heading" ? `## ${text}` : kind === "command" ? `\`\`\`\n${text}\n\`\`\`` : text,
    )
    .join("\n\n");
}
