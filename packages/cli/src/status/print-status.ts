import { agentOf, type Platform, type RunningEditor } from "@patchbay/core";
import { findRunningEditors } from "@patchbay/core/diagnosis";
import { plainJson } from "../plain-json.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { formatTable } from "../terminal/layout.ts";
import { program } from "../own-command.ts";

export interface StatusRequest {
  readonly platform: Platform;
  readonly json: boolean;
  readonly print: (line: string) => void;
}

/** `patchbay status`: the editors that agents of this user can find. Resolves with the exit code. */
export async function printStatus(request: StatusRequest): Promise<number> {
  const { platform, json, print } = request;
  const editors = await findRunningEditors(platform);
  if (json) {
    const plain = editors.map(({ name, editorId, port, pid, folders, agents, answers }) => {
      return { name, editorId, port, pid, folders, agents, answers };
    });
    print(plainJson(plain));
    return 0;
  }
  if (editors.length === 0) {
    print(`No editor on this machine has announced itself to agents. Open one, or type: ${program} serve`);
    return 0;
  }
  const lines = formatTable(["editor", "port", "process", "agents", "folders", "state"], editors.map(row));
  for (const line of lines) print(line);
  return 0;
}

function row(editor: RunningEditor): readonly string[] {
  return [
    escapeLine(editor.name),
    String(editor.port),
    editor.pid === undefined ? "" : String(editor.pid),
    editor.agents.map((id) => agentOf(id).agentName).join(", "),
    editor.folders.map(escapeLine).join(", "),
    stateOf(editor),
  ];
}

function stateOf({ answers, isSilent }: RunningEditor): string {
  if (answers) return "answers";
  return isSilent ? "does not answer" : "exited (its record is left over)";
}
