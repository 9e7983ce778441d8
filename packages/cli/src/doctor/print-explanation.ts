import type { ExplanationPart } from "@patchbay/core";
import { explainedCodes, explainFinding, explanationMarkdown } from "@patchbay/core/diagnosis";
import { escapeLine, safeJson } from "../terminal/escape-text.ts";
import { wrapText } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

export interface ExplanationRequest {
  readonly code: string;
  readonly json: boolean;
  readonly paint: Paint;
  /** Of the terminal; undefined: lines are not broken. */
  readonly columns: number | undefined;
  readonly print: (line: string) => void;
}

/** Wider lines are hard to read. */
const widest = 100;

/** `patchbay doctor --explain`: resolves with the exit code, 2 where there is no such finding, as for a command that is not understood. */
export async function printExplanation({ code, json, paint, columns, print }: ExplanationRequest): Promise<number> {
  const explanation = await explainFinding(code);
  if (explanation === undefined) {
    const known = await explainedCodes();
    print(json ? safeJson({ known }, 2) : `No finding is called "${escapeLine(code)}". Those that there are:`);
    if (!json) print(wrapText(`  ${known.join(" ")}`, Math.min(columns ?? widest, widest)));
    return 2;
  }
  if (json) {
    print(safeJson({ code: explanation.code, title: explanation.title, text: explanationMarkdown(explanation) }, 2));
    return 0;
  }
  const width = Math.min(columns ?? widest, widest);
  print(wrapText(`${paint.strong(explanation.title)} ${paint.faint(`[${explanation.code}]`)}`, width));
  for (const part of explanation.parts) {
    print("");
    print(lineOf(part, paint, width));
  }
  return 0;
}

const command = /`[^`]+`/gu;
const noBreak = "\u00a0";

function lineOf({ kind, text }: ExplanationPart, paint: Paint, columns: number): string {
  if (kind === "heading") return paint.strong(text);
  if (kind === "command") return text.replaceAll(/^/gmu, "  ");
  // A command stays on one line, and keeps its marks, which tell it from the sentence also where there are no colours.
  const whole = text.replaceAll(command, (found) => found.replaceAll(" ", noBreak));
  return wrapText(whole, columns)
    .replaceAll(noBreak, " ")
    .replaceAll(command, (found) => paint.place(found));
}
