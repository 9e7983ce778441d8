import { agentOf, type Platform, type RunningEditor } from "@patchbay/core";
import { findRunningEditors, readPresences, type ToldPresence } from "@patchbay/core/diagnosis";
import { plainJson } from "../plain-json.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { formatTable } from "../terminal/layout.ts";
import { program } from "../own-command.ts";
import { sessionHeader, sessionRow, shownSessions } from "./sessions.ts";

export interface StatusRequest {
  readonly platform: Platform;
  readonly json: boolean;
  readonly print: (line: string) => void;
}

/** What there is: the editors that agents of this user can find, and what these agents do. */
export interface Status {
  readonly editors: readonly RunningEditor[];
  readonly sessions: readonly ToldPresence[];
}

/** Looks once. Never rejects. */
export async function readStatus(platform: Platform): Promise<Status> {
  const editors = await findRunningEditors(platform);
  const told = await readPresences(platform, editors);
  return { editors, sessions: shownSessions(told, platform.clock.now()) };
}

/** `patchbay status`: resolves with the exit code. */
export async function printStatus({ platform, json, print }: StatusRequest): Promise<number> {
  const status = await readStatus(platform);
  if (json) print(plainJson(statusForPrograms(status)));
  else for (const line of statusLines(status, platform.clock.now())) print(line);
  return 0;
}

/** Nothing secret is in it: no token, and of a prompt only its begin. */
export function statusForPrograms({ editors, sessions }: Status): unknown {
  return editors.map(({ name, editorId, port, pid, folders, agents, answers }) => {
    const own = sessions.filter((session) => session.port === port);
    return { name, editorId, port, pid, folders, agents, answers, sessions: own.map(({ port: _port, ...one }) => one) };
  });
}

/** As people read it. */
export function statusLines({ editors, sessions }: Status, now: number): readonly string[] {
  if (editors.length === 0) {
    return [`No editor on this machine has announced itself to agents. Open one, or type: ${program} serve`];
  }
  const table = formatTable(["editor", "port", "process", "agents", "folders", "state"], editors.map(row));
  if (sessions.length === 0) return [...table, "", "No agent is connected."];
  const rows = sessions.map((session) => sessionRow(session, { editors, now }));
  return [...table, "", ...formatTable(sessionHeader, rows)];
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
