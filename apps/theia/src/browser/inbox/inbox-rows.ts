import type { CommandQuestion, KeptText } from "@patchbay/core";
import { entriesOf, type InboxEntry, inboxOf, type InboxState } from "@patchbay/core/inbox";
import { byFolder, type InboxFolder } from "@patchbay/core/inbox-folders";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { nls } from "@theia/core/lib/common/nls";
import type { ListedTurn, WindowStatus } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { presenceWords } from "../surfaces/status-words.ts";
import {
  ageWords,
  allRows,
  decidableIds,
  folderIn,
  type InboxAction,
  type InboxRow,
  type InboxSurroundings,
  type InboxTone,
} from "./inbox-row.ts";
import { turnRow } from "./turn-rows.ts";

/**
 * Everything that waits and everybody who is there: agent, then session, then what it asks and what it changed; what waits comes first.
 * Or by folder: then what is asked stands in those, and agents and sessions below.
 */
export function inboxRows(
  status: WindowStatus,
  around: InboxSurroundings,
  turns: readonly ListedTurn[] = [],
): readonly InboxRow[] {
  const agents = new Map<string, InboxRow[]>();
  const put = (agentName: string, rows: readonly InboxRow[]): void => {
    agents.set(agentName, [...(agents.get(agentName) ?? []), ...rows]);
  };
  const presences = new Map(presencesOf(status).map((presence) => [presence.id, presence]));
  const left = new Set(turns);
  const turnsOf = ({ id, title }: Presence): readonly InboxRow[] =>
    turns
      .filter((turn) => ownerOf(turn, status) === id)
      .map((turn) => {
        left.delete(turn);
        return turnRow(turn, around, title);
      });
  const inbox = inboxOf(status.proposals, status.sessions, status.activities);
  const isByFolder = around.isByFolder === true;
  const folders = isByFolder
    ? rowsIn(byFolder(entriesOf(inbox), around.roots), (entry) => {
        const owner = inbox.flatMap(({ sessions }) => sessions).find(({ entries }) => entries.includes(entry));
        return entryRow(entry, status, presences.get(owner?.id ?? ""), around);
      })
    : [];
  for (const { agentName, sessions } of isByFolder ? [] : inbox) {
    for (const { id, entries } of sessions) {
      const presence = presences.get(id);
      presences.delete(id);
      const rows = entries.map((entry) => entryRow(entry, status, presence, around));
      // Whoever asked and is nowhere now has no line of its own.
      put(agentName, presence === undefined ? rows : [sessionRow(presence, [...rows, ...turnsOf(presence)], around)]);
    }
  }
  for (const presence of presences.values()) {
    // What has ended and waits for nothing is no news.
    if (presence.state !== "ended") put(presence.agentName, [sessionRow(presence, turnsOf(presence), around)]);
  }
  // Whoever changed it is nowhere now.
  for (const turn of left) put(turn.agents.join(", "), [turnRow(turn, around)]);
  return [...folders, ...Array.from(agents, ([agentName, rows]) => agentRow(agentName, rows)).toSorted(byTone)];
}

/** What is in a folder: those in it first. */
function rowsIn(
  { folders, entries }: Pick<InboxFolder, "folders" | "entries">,
  rowOf: (entry: InboxEntry) => InboxRow,
): readonly InboxRow[] {
  return [...folders.map((folder) => folderRow(folder, rowsIn(folder, rowOf))), ...entries.map(rowOf)];
}

function folderRow({ folder, name }: InboxFolder, children: readonly InboxRow[]): InboxRow {
  return {
    id: `folder:${folder}`,
    subject: { kind: "folder" },
    icon: "folder",
    tone: toneOf(children),
    label: visibleText(name),
    state: countWords(children),
    facts: [],
    lines: undefined,
    tooltip: visibleText(folder),
    actions: together(children),
    children,
  };
}

/** The presence of the session that a turn is of. */
function ownerOf({ agent, session }: ListedTurn, { activities }: WindowStatus): string {
  return activities.find((one) => one.agent === agent && one.session === session)?.owner ?? session;
}

function agentRow(agentName: string, rows: readonly InboxRow[]): InboxRow {
  const [only] = rows;
  const isPlain = rows.length === 1 && only?.subject.kind === "presence" && only.subject.presence?.title === undefined;
  // A single session without a name says nothing that its agent does not say.
  const children = isPlain ? only.children : rows.toSorted(byTone);
  const waiting = countWords(rows);
  const state = waiting === "" && isPlain ? only.state : waiting;
  return {
    id: `agent:${agentName}`,
    subject: { kind: "presence", presence: isPlain ? presenceOf(only) : undefined },
    icon: "robot",
    tone: toneOf(rows),
    label: visibleText(agentName),
    state,
    facts: [],
    lines: undefined,
    tooltip: visibleText(agentName),
    actions: isPlain ? only.actions : together(rows),
    children,
  };
}

/** How many of these wait. */
function countWords(rows: readonly InboxRow[]): string {
  const waiting = allRows(rows).filter(({ subject }) => subject.kind === "proposal" || subject.kind === "command");
  return waiting.length === 0 ? "" : nls.localize("patchbay/inbox/count", "{0} to review", waiting.length);
}

/** Of an agent, a session or a folder. A single proposal has its own row for that. */
function together(rows: readonly InboxRow[]): readonly InboxAction[] {
  return decidableIds(rows).length > 1 ? ["showAll", "acceptAll", "rejectAll"] : [];
}

function presenceOf({ subject }: InboxRow): Presence | undefined {
  return subject.kind === "presence" ? subject.presence : undefined;
}

function sessionRow(presence: Presence, entries: readonly InboxRow[], around: InboxSurroundings): InboxRow {
  const children = [...entries, ...presence.commands.map((one) => commandRow(one, around))].toSorted(byTone);
  const label = visibleText(presence.title ?? nls.localize("patchbay/inbox/untitled", "Session without a prompt"));
  const state = visibleText(presenceWords(presence));
  const { version, pid } = presence.session ?? {};
  const facts = [
    version ?? "",
    pid === undefined || presence.title !== undefined ? "" : nls.localize("patchbay/inbox/process", "process {0}", pid),
  ];
  return {
    id: `session:${presence.id}`,
    subject: { kind: "presence", presence },
    icon: "comment-discussion",
    tone: toneOf(children),
    label,
    state,
    facts: facts.filter((fact) => fact !== "").map((fact) => visibleText(fact)),
    lines: undefined,
    tooltip: [label, state].join("\n"),
    actions: [...together(children), ...(presence.processes.length > 0 ? (["terminal"] as const) : [])],
    children,
  };
}

function entryRow(
  { id, state, name, folder, proposal }: InboxEntry,
  status: WindowStatus,
  presence: Presence | undefined,
  around: InboxSurroundings,
): InboxRow {
  const text = status.keptTexts.find((one) => one.id === id);
  if (text !== undefined) return keptRow(text, around);
  const look = looks[state];
  const words = proposal.state === "asking" ? outside : look.words;
  // The other one stands in the rows above.
  const place = around.isByFolder === true ? visibleText(proposal.agentName) : folderIn(folder, around.roots);
  const facts = [place, ageWords(proposal.createdAt, around.now)];
  if (proposal.kind === "create") facts.push(nls.localize("patchbay/proposal/create", "new file"));
  if (proposal.kind === "delete") facts.push(nls.localize("patchbay/proposal/delete", "empties the file"));
  return {
    id: `proposal:${id}`,
    subject: { kind: "proposal", proposal, presence },
    icon: look.icon,
    tone: look.tone,
    label: visibleText(name),
    state: words,
    facts: facts.filter((fact) => fact !== ""),
    lines: proposal.lines,
    tooltip: [visibleText(proposal.path), words].join("\n"),
    actions: proposal.state === "asking" ? ["open"] : look.actions,
    children: [],
  };
}

interface Look {
  readonly icon: string;
  readonly tone: InboxTone;
  readonly words: string;
  readonly actions: readonly InboxAction[];
}

const outside = nls.localize("patchbay/inbox/asking", "outside the workspace");

const looks: Readonly<Record<InboxState, Look>> = {
  // Without a look at it, nobody can say what an accept would do.
  conflict: {
    icon: "warning",
    tone: "problem",
    words: nls.localize("patchbay/inbox/conflict", "conflict"),
    actions: ["open", "reject", "hold"],
  },
  waiting: {
    icon: "bell",
    tone: "attention",
    words: nls.localize("patchbay/inbox/waiting", "waits for you"),
    actions: ["accept", "reject", "hold"],
  },
  edited: {
    icon: "edit",
    tone: "attention",
    words: nls.localize("patchbay/inbox/edited", "edited"),
    actions: ["accept", "reject", "hold"],
  },
  unwritten: {
    icon: "warning",
    tone: "attention",
    words: nls.localize("patchbay/inbox/unwritten", "accepted, not written"),
    actions: [],
  },
  held: {
    icon: "debug-pause",
    tone: "quiet",
    words: nls.localize("patchbay/inbox/held", "held"),
    actions: ["open", "accept", "reject"],
  },
  terminal: {
    icon: "terminal",
    tone: "attention",
    words: nls.localize("patchbay/inbox/terminal", "answer in its terminal"),
    actions: ["terminal"],
  },
  away: {
    icon: "debug-disconnect",
    tone: "quiet",
    words: nls.localize("patchbay/inbox/away", "agent not connected"),
    actions: ["accept", "reject"],
  },
  kept: {
    icon: "archive",
    tone: "quiet",
    words: nls.localize("patchbay/title/kept", "your text is kept"),
    actions: [],
  },
};

function commandRow(command: CommandQuestion, around: InboxSurroundings): InboxRow {
  // All of it is seen where it is answered.
  const line = visibleText(shownCommand(command.command));
  return {
    id: `command:${command.id}`,
    subject: { kind: "command", command },
    icon: "terminal",
    tone: "attention",
    label: line,
    state: nls.localize("patchbay/inbox/asks", "asks to run it"),
    facts: [ageWords(command.since, around.now)],
    lines: undefined,
    tooltip: line,
    actions: ["open"],
    children: [],
  };
}

function keptRow(text: KeptText, around: InboxSurroundings): InboxRow {
  const { icon, tone, words } = looks[text.reason === "not-written" ? "unwritten" : "kept"];
  return {
    id: `kept:${text.id}`,
    subject: { kind: "kept", text },
    icon,
    tone,
    label: visibleText(fileUriOf(text.path).path.base),
    state: words,
    facts: [folderIn(fileUriOf(text.path).path.dir.fsPath(), around.roots), ageWords(text.since, around.now)].filter(
      (fact) => fact !== "",
    ),
    lines: undefined,
    tooltip: visibleText(text.path),
    actions: ["save", "copy", "discard"],
    children: [],
  };
}

const tones: readonly InboxTone[] = ["problem", "attention", "quiet"];

function byTone(one: InboxRow, other: InboxRow): number {
  return tones.indexOf(one.tone) - tones.indexOf(other.tone);
}

function toneOf(rows: readonly InboxRow[]): InboxTone {
  return tones.find((tone) => rows.some((row) => row.tone === tone)) ?? "quiet";
}
