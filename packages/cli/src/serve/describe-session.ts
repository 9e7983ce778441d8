import type { EditorContext, SessionInfo } from "@patchbay/core";
import { escapeLine } from "../terminal/escape-text.ts";
import { pathInFolder } from "./path-in-folder.ts";

/** An agent's name with its version, safe to print. */
export function sessionName(session: SessionInfo): string {
  const version = session.version === undefined ? "" : ` ${session.version}`;
  return escapeLine(`${session.agentName}${version}`);
}

const states = { connecting: "connecting", connected: "connected", away: "away, may come back" } as const;

/** One line about a session. `now` in Unix milliseconds. */
export function describeSession(session: SessionInfo, now: number): string {
  const context = session.lastContext === undefined ? "told nothing yet" : `told ${ago(now - session.lastContext)}`;
  const proposals = session.openProposals === 0 ? "" : `, ${session.openProposals} open`;
  return `${sessionName(session)}: ${states[session.state]}, came ${ago(now - session.since)}, ${context}${proposals}`;
}

/** What agents are told, in one line. */
export function describeContext(context: EditorContext, folder: string): string {
  if (context.files.length === 0) return "Agents see no open file.";
  const names = context.files.map(({ path }) => {
    const name = pathInFolder(path, folder);
    if (context.active?.path !== path) return name;
    const { selection, cursor } = context.active;
    return selection === undefined
      ? `${name}:${cursor.line + 1} (active)`
      : `${name} (active, ${selection.text.length} characters selected)`;
  });
  return `Agents see: ${names.join(", ")}`;
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}
