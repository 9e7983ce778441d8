import { commands, type Disposable, l10n, Uri, window } from "vscode";
import type { Companion } from "@patchbay/core";
import { fileNameOf, shortPathOf, terminalText } from "../surfaces/texts.ts";
import { inform, note } from "../surfaces/messages.ts";
import type { AgentTerminals } from "../terminals/agent-terminals.ts";
import { findPrompt } from "../terminals/prompt.ts";

interface Target {
  readonly path: string;
  /** 0-based, the last one included. */
  readonly lines?: { readonly start: number; readonly end: number };
}

/** "Send Selection to Agent" and "Send File to Agent": names them in the agent's prompt. */
export function registerSendToAgent(companion: Companion, terminals: AgentTerminals): Disposable[] {
  const send = (target: Target | undefined): Promise<void> => sendTo(companion, terminals, target);
  return [
    commands.registerCommand("patchbay.sendSelection", () => send(selectionTarget())),
    commands.registerCommand("patchbay.sendFile", (uri?: unknown) => send(fileTarget(uri))),
  ];
}

function selectionTarget(): Target | undefined {
  const editor = window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== "file") return undefined;
  const { start, end, isEmpty } = editor.selection;
  const path = editor.document.uri.fsPath;
  if (isEmpty) return { path, lines: { start: start.line, end: start.line } };
  // A selection that ends before the first character of a line does not reach into it.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { path, lines: { start: start.line, end: last } };
}

function fileTarget(uri: unknown): Target | undefined {
  const chosen = uri instanceof Uri ? uri : window.activeTextEditor?.document.uri;
  return chosen?.scheme === "file" ? { path: chosen.fsPath } : undefined;
}

async function sendTo(companion: Companion, terminals: AgentTerminals, target: Target | undefined): Promise<void> {
  if (target === undefined) {
    void inform(l10n.t("Only files on disk can be sent to an agent. Save the file first."));
    return;
  }
  const { path, lines } = target;
  const taken = companion.mention(path, lines);
  if (taken > 0) {
    note(l10n.t("Sent {0} to the agent's prompt.", fileNameOf(path)), 3_000);
    return;
  }
  const terminal = (await findPrompt(companion)) ?? terminals.current;
  if (terminal !== undefined) {
    // Gemini CLI and Qwen Code have no message for this, but understand `@path` in the prompt. Nothing is submitted.
    const name = terminalText(shortPathOf(path));
    if (name === undefined) {
      void inform(
        l10n.t("The name of {0} contains characters that a terminal would treat as keystrokes.", fileNameOf(path)),
      );
      return;
    }
    terminal.sendText(`@${quoted(name)} `, false);
    terminal.show();
    return;
  }
  void inform(
    companion.sessions.length === 0
      ? l10n.t("No agent is connected. Start one in a terminal of this window.")
      : l10n.t("No connected agent supports @-mentions. Agents see your open files and selection without them."),
  );
}

/** Agents read a path up to the first blank that is not escaped. */
function quoted(path: string): string {
  return path.replaceAll(" ", "\\ ");
}
