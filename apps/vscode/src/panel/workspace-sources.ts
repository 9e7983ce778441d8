import type { FoundSymbol, MentionedProblem } from "@patchbay/panel/workspace";
import {
  commands,
  DiagnosticSeverity,
  languages,
  RelativePattern,
  type SymbolInformation,
  Uri,
  workspace,
} from "vscode";

/** The errors and warnings of the workspace. */
export function problemsOfWorkspace(): readonly MentionedProblem[] {
  return languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    if (uri.scheme !== "file") return [];
    return diagnostics.flatMap(({ severity, range, message, source }): readonly MentionedProblem[] => {
      if (severity > DiagnosticSeverity.Warning) return [];
      const kind = severity === DiagnosticSeverity.Error ? "error" : "warning";
      return [{ path: uri.fsPath, line: range.start.line + 1, severity: kind, message, source }];
    });
  });
}

/** The symbols of the workspace that language servers find. */
export async function symbolsOfWorkspace(query: string): Promise<readonly FoundSymbol[]> {
  const found = await commands.executeCommand<readonly SymbolInformation[] | undefined>(
    "vscode.executeWorkspaceSymbolProvider",
    query,
  );
  return (found ?? []).flatMap(({ name, location: { uri, range } }) =>
    uri.scheme === "file"
      ? [{ name, path: uri.fsPath, lines: { start: range.start.line + 1, end: range.end.line + 1 } }]
      : [],
  );
}

/** The files of a folder, without those that the user's settings leave out. */
export async function filesOfFolder(folder: string, most: number): Promise<readonly string[]> {
  const found = await workspace.findFiles(new RelativePattern(Uri.file(folder), "**/*"), excluded(), most);
  return found.map(({ fsPath }) => fsPath);
}

/** What `files.exclude` and `search.exclude` leave out, as one glob. */
function excluded(): string | undefined {
  const patterns = ["files", "search"].flatMap((section) => {
    const set: unknown = workspace.getConfiguration(section).get("exclude");
    if (typeof set !== "object" || set === null) return [];
    return Object.entries(set).flatMap(([pattern, isOn]) => (isOn === true ? [pattern] : []));
  });
  // Braces cannot stand within braces.
  const plain = Array.from(new Set(patterns)).filter((pattern) => !/[{},]/u.test(pattern));
  return plain.length === 0 ? undefined : `{${plain.join(",")}}`;
}
