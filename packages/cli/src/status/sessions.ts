import type { RunningEditor } from "@patchbay/core";
import type { ToldPresence } from "@patchbay/core/diagnosis";
import { escapeLine } from "../terminal/escape-text.ts";

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
