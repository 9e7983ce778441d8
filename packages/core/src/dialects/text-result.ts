import type { Clock } from "../platform/platform.ts";
import { jsonPieces } from "../support/json-pieces.ts";

/** A tool's answer with texts, as MCP has it. */
export interface TextResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

export function textResult(...texts: readonly string[]): TextResult {
  return { content: texts.map((text) => ({ type: "text", text })) };
}

/** Data as a JSON text; that of some megabytes is written piece by piece, with other work in between. */
export async function jsonText(value: unknown, clock: Clock): Promise<string> {
  let text = "";
  for (const piece of jsonPieces(value).pieces()) {
    if (text !== "") await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0));
    text += piece;
  }
  return text;
}

/** A tool's failure as a sentence the agent and its user can act on. */
export function errorResult(sentence: string): TextResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
