import type { CommandQuestion, KeptText, ProposalInfo } from "@patchbay/core";
import { type InboxEntry, inboxOf, type InboxState } from "@patchbay/core/inbox";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { nls } from "@theia/core/lib/common/nls";
import type { WindowStatus } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { presenceWords } from "../surfaces/status-words.ts";

/** What can be done with a row. */
export type InboxAction = "open" | "accept" | "reject" | "hold" | "terminal" | "save" | "copy" | "discard";

/** How much a row wants to be seen. */
export type InboxTone = "problem" | "attention" | "quiet";

/** What a row stands for. */
export type InboxSubject =
  | { readonly kind: "presence"; readonly presence: Presence | undefined }
  | { readonly kind: "proposal"; readonly proposal: ProposalInfo; readonly presence: Presence | undefined }
  | { readonly kind: "command"; readonly command: CommandQuestion }
  | { readonly kind: "kept"; readonly text: KeptText };

/** A line of the view, in words. Every text in it is safe to be shown as it is. */
export interface InboxRow {
  /** The same for the same thing over all changes of it. */
  readonly id: string;
  readonly subject: InboxSubject;
  /** Name of an icon. */
  readonly icon: string;
  readonly tone: InboxTone;
  readonly label: string;
  /** What it waits for, which stands before everything else that is said of it. */
  readonly state: string;
  readonly facts: readonly string[];
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  readonly tooltip: string;
  readonly actions: readonly InboxAction[];
  readonly children: readonly InboxRow[];
}

export interface InboxSurroundings {
  /** The folders of the window: paths are shown as seen from there. */
  readonly roots: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** How many things wait for the user. */
export function waitingCount({ proposals, commands }: Pick<WindowStatus, "proposals" | "commands">): number {
  return proposals.filter(({ state }) => state !== "kept").length + commands.all.length;
}

/** Everything that waits and everybody who is there: agent, then session, then what it asks; what waits comes first. */
export function inboxRows(status: WindowStatus, around: InboxSurroundings): readonly InboxRow[] {
  const agents = new Map<string, InboxRow[]>();
  const put = (agentName: string, rows: readonly InboxRow[]): void => {
    agents.set(agentName, [...(agents.get(agentName) ?? []), ...rows]);
  };
  const presences = new Map(presencesOf(status).map((presence) => [presence.id, presence]));
  for (const { agentName, sessions } of inboxOf(status.proposals, status.sessions, status.activities)) {
    for (const { id, entries } of sessions) {
      const presence = presences.get(id);
      presences.delete(id);
      const rows = entries.map((entry) => entryRow(entry, status, presence, around));
      // Whoever asked and is nowhere now has no line of its own.
      put(agentName, presence === undefined ? rows : [sessionRow(presence, rows, around)]);
    }
  }
  for (const presence of presences.values()) {
    // What has ended and waits for nothing is no news.
    if (presence.state !== "ended") put(presence.agentName, [sessionRow(presence, [], around)]);
  }
  return Array.from(agents, ([agentName, rows]) => agentRow(agentName, rows)).toSorted(byTone);
}

/** All rows in the order in which they stand, with those below them. */
export function allRows(rows: readonly InboxRow[]): readonly InboxRow[] {
  return rows.flatMap((row) => [row, ...allRows(row.children)]);
}

function agentRow(agentName: string, rows: readonly InboxRow[]): InboxRow {
  const [only] = rows;
  const isPlain = rows.length === 1 && only?.subject.kind === "presence" && only.subject.presence?.title === undefined;
  // A single session without a name says nothing that its agent does not say.
  const children = isPlain ? only.children : rows.toSorted(byTone);
  const waiting = allRows(rows).filter(
    ({ subject }) => subject.kind === "proposal" || subject.kind === "command",
  ).length;
  const state =
    waiting > 0 ? nls.localize("patchbay/inbox/count", "{0} to review", waiting) : isPlain ? only.state : "";
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
    actions: isPlain ? only.actions : [],
    children,
  };
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
    facts: facts.flatMap((fact) => (fact === "" ? [] : [visibleText(fact)])),
    lines: undefined,
    tooltip: [label, state].join("\n"),
    actions: presence.processes.length > 0 ? ["terminal"] : [],
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
  const facts = [folderIn(folder, around.roots), ageWords(proposal.createdAt, around.now)];
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
  const line = shownCommand(command.command);
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
  return {
    id: `kept:${text.id}`,
    subject: { kind: "kept", text },
    icon: "archive",
    tone: "quiet",
    label: visibleText(fileUriOf(text.path).path.base),
    state: looks.kept.words,
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

/** A folder as the user knows it: from the root of the workspace where it is in one. */
function folderIn(folder: string, roots: readonly string[]): string {
  const root = roots.find((one) => folder === one || folder.startsWith(`${one}/`));
  return visibleText(root === undefined ? folder : folder.slice(root.length + 1));
}

const minuteMs = 60_000;

/** How long ago something was, in one short word. */
export function ageWords(since: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - since) / minuteMs));
  if (minutes < 1) return nls.localize("patchbay/age/now", "now");
  if (minutes < 60) return nls.localize("patchbay/age/minutes", "{0} min", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? nls.localize("patchbay/age/hours", "{0} h", hours)
    : nls.localize("patchbay/age/days", "{0} d", Math.floor(hours / 24));
}
