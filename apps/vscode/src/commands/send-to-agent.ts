import { commands, type Diagnostic, type Disposable, languages, type Range, Uri, window } from "vscode";
import { agents, type Companion } from "@patchbay/core";
import { namedPlace, type NamedPlace } from "@patchbay/core/presences";
import { l10n } from "@patchbay/languages/spoken";
import { fileNameOf, shortPathOf } from "../surfaces/texts.ts";
import { inform, note } from "../surfaces/messages.ts";
import type { AgentTerminals } from "../terminals/agent-terminals.ts";
import { type AgentPrompt, findPrompt } from "../terminals/find-terminal.ts";

/** What is sent; `path` is absolute. */
type Target = NamedPlace;

/** "Send Selection to Agent", "Send File to Agent" and "Send Problem to Agent": names them in the agent's prompt, which is not sent. */
export function registerSendToAgent(companion: Companion, terminals: AgentTerminals): Disposable[] {
  const send = (target: Target | undefined): Promise<void> => sendTo(companion, terminals, target);
  return [
    commands.registerCommand("patchbay.sendSelection", () => send(selectionTarget())),
    commands.registerCommand("patchbay.sendFile", (uri?: unknown) => send(fileTarget(uri))),
    commands.registerCommand("patchbay.sendProblem", async (uri?: unknown, diagnostic?: Diagnostic) => {
      const found = uri instanceof Uri && diagnostic !== undefined ? problemTarget(uri, diagnostic) : problemAtCursor();
      if (found === undefined) void inform(l10n.t("There is no problem at the cursor."));
      else await send(found);
    }),
  ];
}

function selectionTarget(): Target | undefined {
  const editor = window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== "file") return undefined;
  const path = editor.document.uri.fsPath;
  return { path, lines: linesOf(editor.selection) };
}

function linesOf({ start, end }: Pick<Range, "start" | "end">): NonNullable<Target["lines"]> {
  // A selection that ends before the first character of a line does not reach into it.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start: start.line, end: last };
}

function fileTarget(uri: unknown): Target | undefined {
  const chosen = uri instanceof Uri ? uri : window.activeTextEditor?.document.uri;
  return chosen?.scheme === "file" ? { path: chosen.fsPath } : undefined;
}

/** The worst problem in the line of the cursor. */
function problemAtCursor(): Target | undefined {
  const editor = window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== "file") return undefined;
  const { line } = editor.selection.active;
  const { uri } = editor.document;
  const here = languages
    .getDiagnostics(uri)
    .filter(({ range }) => range.start.line <= line && line <= range.end.line)
    .toSorted((one, other) => one.severity - other.severity);
  return here[0] === undefined ? undefined : problemTarget(uri, here[0]);
}

function problemTarget(uri: Uri, { message, source, code, range }: Diagnostic): Target {
  const given = typeof code === "object" ? code.value : code;
  return {
    path: uri.fsPath,
    lines: linesOf(range),
    problem: {
      message,
      ...(source === undefined ? {} : { source }),
      ...(given === undefined ? {} : { code: String(given) }),
    },
  };
}

async function sendTo(companion: Companion, terminals: AgentTerminals, target: Target | undefined): Promise<void> {
  if (target === undefined) {
    void inform(l10n.t("Only files on disk can be sent to an agent. Save the file first."));
    return;
  }
  const prompt = await findPrompt(companion);
  const { path, lines } = target;
  // A mention says nothing of a problem, and reaches every agent that takes mentions, also where the user works with another one.
  const isMention = target.problem === undefined && !isOtherInFront(prompt);
  if (isMention && companion.mention(path, lines) > 0) {
    note(l10n.t("Sent {0} to the agent's prompt.", fileNameOf(path)), 3_000);
    return;
  }
  const terminal = prompt?.terminal ?? terminals.current;
  if (terminal !== undefined) {
    const text = namedPlace({ ...target, path: shortPathOf(path) });
    if (text === undefined) {
      void inform(
        l10n.t("The name of {0} contains characters that a terminal would treat as keystrokes.", fileNameOf(path)),
      );
      return;
    }
    terminal.sendText(`${text} `, false);
    terminal.show();
    return;
  }
  if (!isMention && companion.mention(path, lines) > 0) {
    note(l10n.t("Sent {0} to the agent's prompt.", fileNameOf(path)), 3_000);
    return;
  }
  void inform(
    companion.sessions.length === 0
      ? l10n.t("No agent is connected. Start one in a terminal of this window.")
      : l10n.t("No connected agent supports @-mentions. Agents see your open files and selection without them."),
  );
}

/** Whether the terminal in front is that of an agent that takes no mentions. */
function isOtherInFront(prompt: AgentPrompt | undefined): boolean {
  if (prompt === undefined || prompt.terminal !== window.activeTerminal) return false;
  const { agentName } = prompt.presence;
  return !agents.some((agent) => agent.agentName === agentName && agent.takesMentions);
}
