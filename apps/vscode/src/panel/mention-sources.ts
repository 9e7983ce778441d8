import type { FoundSymbol, MentionedProblem, TerminalOutput } from "@patchbay/panel/workspace";
import {
  commands,
  DiagnosticSeverity,
  type Disposable,
  languages,
  RelativePattern,
  type SymbolInformation,
  type TerminalShellExecution,
  type TerminalShellExecutionStartEvent,
  Uri,
  window,
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

/** How much of the end of an output is kept, UTF-16 units. */
const longest = 32_768;

interface Printed {
  readonly execution: TerminalShellExecution;
  text: string;
}

/**
 * What the newest command in a terminal has printed, as the shell integration tells it, in memory only. Terminals without it
 * have nothing to tell: the clipboard is never used to read one.
 */
export class TerminalOutputs implements Disposable {
  readonly #following: Disposable;
  #newest: Printed | undefined;
  /** Begun last; VS Code tells nothing of what a command prints that ends at once. */
  #running: Printed | undefined;

  constructor() {
    this.#following = window.onDidStartTerminalShellExecution((event) => void this.#follow(event));
  }

  /** Undefined: no command has printed anything that VS Code has told since the panel was opened. */
  get newest(): TerminalOutput | undefined {
    const newest = this.#newest;
    if (newest === undefined) return undefined;
    const text = plainText(newest.text).trim();
    const command = newest.execution.commandLine.value.trim();
    return text === "" || command === "" ? undefined : { command, text };
  }

  dispose(): void {
    this.#following.dispose();
    this.#newest = undefined;
    this.#running = undefined;
  }

  async #follow({ execution }: TerminalShellExecutionStartEvent): Promise<void> {
    const own: Printed = { execution, text: "" };
    this.#running = own;
    try {
      for await (const chunk of execution.read()) {
        if (this.#running !== own) return;
        own.text = (own.text + chunk).slice(-longest);
        if (plainText(own.text).trim() !== "") this.#newest = own;
      }
    } catch {
      // The terminal has gone: what it has printed stays.
    }
  }
}

/** Without what moves the cursor, colours and titles; what a line was overwritten with counts. */
function plainText(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- These are the controls of a terminal.
      .replaceAll(/\u001B(?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/gu, "")
      .replaceAll("\r\n", "\n")
      .replaceAll(/[^\n]*\r(?=[^\n])/gu, "")
      // oxlint-disable-next-line no-control-regex -- These, too.
      .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/gu, "")
  );
}
