import type { Diagnostic, FileDiagnostics, HostDiagnostics, Position } from "@patchbay/core";
import { asNumber, asShape, asText, isShape } from "../vim/shape.ts";
import type { CocServices } from "../vim/vim.ts";

/** coc's diagnostics, which it holds for all files its language servers spoke of. */
export function createCocDiagnostics(coc: Pick<CocServices, "diagnostics">): HostDiagnostics {
  return {
    read: async (path) => {
      const items = await coc.diagnostics();
      const files = new Map<string, Diagnostic[]>();
      for (const item of items) {
        const shape = asShape(item);
        const file = asText(shape["file"]);
        if (file === "" || (path !== undefined && file !== path)) continue;
        const list = files.get(file) ?? [];
        list.push(toDiagnostic(shape));
        files.set(file, list);
      }
      return [...files].map(([file, diagnostics]): FileDiagnostics => ({ path: file, diagnostics }));
    },
  };
}

function toDiagnostic(item: Readonly<Record<string, unknown>>): Diagnostic {
  const range = asShape(asShape(item["location"])["range"]);
  const fallback = { line: Math.max(0, asNumber(item["lnum"]) - 1), character: Math.max(0, asNumber(item["col"]) - 1) };
  const source = asText(item["source"]);
  const code = item["code"];
  const codeText = typeof code === "number" ? String(code) : asText(code);
  return {
    message: asText(item["message"]),
    severity: severityOf(asText(item["severity"])),
    range: { start: toPosition(range["start"], fallback), end: toPosition(range["end"], fallback) },
    ...(source === "" ? {} : { source }),
    ...(codeText === "" ? {} : { code: codeText }),
  };
}

function toPosition(value: unknown, fallback: Position): Position {
  if (!isShape(value)) return fallback;
  return { line: asNumber(value["line"]), character: asNumber(value["character"]) };
}

function severityOf(text: string): Diagnostic["severity"] {
  switch (text) {
    case "Error":
    case "Warning":
    case "Hint":
      return text;
    default:
      return "Information";
  }
}
