import type { EditorContext, SessionInfo } from "@patchbay/core";
import { escapeLine } from "../terminal/escape-text.ts";
import { pathInFolder } from "../host/open-files.ts";

/** An agent's name with its version, safe to print. */
export function sessionName(session: SessionInfo): string {
  const version = session.version === undefined ? "" : ` ${session.version}`;
  return escapeLine(`${session.agentName}${version}`);
}

const states = { connecting: "connecting", connected: "connected", away: "away, may reconnect" } as const;

/** One line about a session. `now` in Unix milliseconds. */
export function describeSession(session: SessionInfo, now: number): string {
  const context =
    session.lastContext === undefined ? "no context sent yet" : `context sent ${age(now - session.lastContext)} ago`;
  const { openProposals: open } = session;
  const proposals = open === 0 ? "" : `, ${open === 1 ? "1 proposal" : `${open} proposals`} open`;
  return `${sessionName(session)}: ${states[session.state]} for ${age(now - session.since)}, ${context}${proposals}`;
}

/** What agents see, in one line. */
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

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
