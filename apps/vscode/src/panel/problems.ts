import { DiagnosticSeverity, languages, workspace } from "vscode";

/** Most problems that go with a prompt. */
const mostProblems = 100;

/** The errors and warnings of the workspace, one line each; undefined where there are none that may be named. */
export function problemsIn(mayName: (path: string) => boolean): string | undefined {
  const lines: string[] = [];
  for (const [uri, diagnostics] of languages.getDiagnostics()) {
    if (uri.scheme !== "file" || !mayName(uri.fsPath)) continue;
    const path = workspace.asRelativePath(uri, false);
    for (const { severity, range, message, source } of diagnostics) {
      if (severity > DiagnosticSeverity.Warning) continue;
      const kind = severity === DiagnosticSeverity.Error ? "error" : "warning";
      const from = source === undefined ? "" : ` (${source})`;
      lines.push(`${path}:${range.start.line + 1}: ${kind}: ${message.replaceAll(/\s+/gu, " ")}${from}`);
    }
  }
  if (lines.length === 0) return undefined;
  const more = lines.length - mostProblems;
  return [...lines.slice(0, mostProblems), ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}
