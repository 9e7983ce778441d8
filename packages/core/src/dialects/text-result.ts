/** A tool's answer with texts, as MCP has it. */
export interface TextResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

export function textResult(...texts: readonly string[]): TextResult {
  return { content: texts.map((text) => ({ type: "text", text })) };
}

/** A tool's failure as a sentence the agent and its user can act on. */
export function errorResult(sentence: string): TextResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
