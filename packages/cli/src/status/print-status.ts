import { agentOf, type Platform, type RunningEditor } from "@patchbay/core";
import { findRunningEditors, readPresences, type ToldPresence } from "@patchbay/core/diagnosis";
import { program } from "../own-command.ts";
import { escapeLine, safeJson } from "../terminal/escape-text.ts";
import { formatTable } from "../terminal/layout.ts";

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
  if (json) print(safeJson(statusForPrograms(status), 2));
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

function stateOf({ answers, isSilent, waitedMs }: RunningEditor): string {
  if (answers) return "answers";
  return isSilent ? `no answer in ${Math.round(waitedMs / 1_000)} s` : "exited (its record is left over)";
}

/** Who has ended longer ago is not shown any more, ms. */
const endedShownMs = 60 * 60 * 1000;

const order: readonly ToldPresence["state"][] = [
  "waiting",
  "working",
  "idle",
  "connecting",
  "connected",
  "away",
  "ended",
];

/** Those who wait for the user first. */
export function shownSessions(all: readonly ToldPresence[], now: number): readonly ToldPresence[] {
  const shown = all.filter(({ state, since }) => state !== "ended" || now - since < endedShownMs);
  return shown.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.since - b.since);
}

export const sessionHeader: readonly string[] = ["agent", "editor", "state", "for", "task"];

/** Cells of a table, safe to print. */
export function sessionRow(
  { agentName, port, state, since, title, waitsFor }: ToldPresence,
  { editors, now }: { readonly editors: readonly RunningEditor[]; readonly now: number },
): readonly string[] {
  const editor = editors.find((one) => one.port === port);
  return [
    agentName,
    `${escapeLine(editor?.name ?? "")} (port ${port})`,
    stateWords({ state, waitsFor }),
    durationOf(now - since),
    title === undefined ? "" : escapeLine(title),
  ];
}

/** For a line of its own, e.g. in a log: nothing in it changes while the state does not. */
export function sessionLine(presence: ToldPresence, editors: readonly RunningEditor[]): string {
  const [agent = "", editor = "", state = "", , title = ""] = sessionRow(presence, { editors, now: 0 });
  return `${agent} in ${editor}: ${state}${title === "" ? "" : ` (${title})`}`;
}

function stateWords({ state, waitsFor }: Pick<ToldPresence, "state" | "waitsFor">): string {
  if (state !== "waiting") return state;
  return waitsFor.length === 0 ? "waits for you" : `waits for you: ${waitsFor.map(escapeLine).join(", ")}`;
}

function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
