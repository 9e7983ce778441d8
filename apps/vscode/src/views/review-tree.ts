import type { Companion, InboxAgent, InboxEntry, InboxFolder, InboxSession, ProposalInfo } from "@patchbay/core";
import { entriesIn, entriesOf, inboxOf } from "@patchbay/core/inbox";
import { byFolder, entriesBelow, foldersIn } from "@patchbay/core/inbox-folders";
import { type TreeItem, Uri, workspace } from "vscode";
import type { ReviewRow } from "../commands/inbox.ts";
import { l10n } from "@patchbay/languages/spoken";
import { createRow, shortened, shortPathOf } from "../surfaces/texts.ts";
import { timeText } from "./presence-words.ts";

/** All that waits for a review: by agent and session, or by folder, what waits most urgently first. */
export class ReviewTree {
  readonly #companion: Companion;
  readonly #isByFolder: () => boolean;

  constructor(companion: Companion, isByFolder: () => boolean) {
    this.#companion = companion;
    this.#isByFolder = isByFolder;
  }

  getTreeItem({ key, part, proposalId }: ReviewRow): TreeItem {
    const folder = foldersIn(this.#parts).find((one) => one.folder === part?.folder);
    const [agent] = this.#inbox.filter(({ agentName }) => agentName === part?.agentName);
    const session = this.#sessions.find(({ id }) => id === part?.session);
    const entry = entriesOf(this.#inbox).find(({ id }) => id === proposalId);
    if (entry !== undefined) return entryItem(entry, this.#isByFolder());
    if (folder !== undefined) return groupItem(key, shortened(folder.name), entriesBelow(folder), "folder", "folder");
    if (session !== undefined) return sessionItem(session, key);
    // VS Code asks for rows that it still shows, and hears a moment later that they have gone.
    if (agent === undefined) return createRow({ label: "", icon: "dash", id: key });
    return groupItem(key, agent.agentName, entriesIn([agent], {}), "hubot", "agent");
  }

  getChildren(row?: ReviewRow): ReviewRow[] {
    if (row === undefined) return this.#isByFolder() ? rowsOf(this.#parts) : this.#inbox.map(agentRow);
    if (row.part === undefined) return [];
    const { agentName, session, folder } = row.part;
    if (folder !== undefined)
      return foldersIn(this.#parts).flatMap((one) => (one.folder === folder ? rowsOf(one) : []));
    const sessions = this.#sessions.filter((one) => one.agentName === agentName);
    if (session === undefined) return sessions.map(sessionRow);
    return sessions.filter(({ id }) => id === session).flatMap(({ entries }) => entries.map(entryRow));
  }

  getParent({ key, part, proposalId }: ReviewRow): ReviewRow | undefined {
    if (this.#isByFolder()) {
      const above = foldersIn(this.#parts).find((one) => rowsOf(one).some((row) => row.key === key));
      return above === undefined ? undefined : folderRow(above);
    }
    if (part === undefined) {
      const own = this.#sessions.find(({ entries }) => entries.some(({ id }) => id === proposalId));
      return own === undefined ? undefined : sessionRow(own);
    }
    return part.session === undefined ? undefined : agentRow({ agentName: part.agentName ?? "" });
  }

  /** The row of a proposal; undefined where there is none. */
  find(proposalId: string): ReviewRow | undefined {
    const entry = entriesOf(this.#inbox).find(({ id }) => id === proposalId);
    return entry === undefined ? undefined : entryRow(entry);
  }

  get #inbox(): readonly InboxAgent[] {
    const { proposals, sessions, activities } = this.#companion;
    return inboxOf(proposals, sessions, activities);
  }

  get #sessions(): readonly InboxSession[] {
    return this.#inbox.flatMap(({ sessions }) => sessions);
  }

  get #parts(): Pick<InboxFolder, "folders" | "entries"> {
    return byFolder(entriesOf(this.#inbox), workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? []);
  }
}

const rowsOf = ({ folders, entries }: Pick<InboxFolder, "folders" | "entries">): ReviewRow[] => {
  return [...folders.map(folderRow), ...entries.map(entryRow)];
};

const folderRow = ({ folder }: InboxFolder): ReviewRow => ({ key: `folder ${folder}`, part: { folder } });

const agentRow = ({ agentName }: Pick<InboxAgent, "agentName">): ReviewRow => {
  return { key: `agent ${agentName}`, part: { agentName } };
};

const sessionRow = ({ id, agentName }: InboxSession): ReviewRow => {
  return { key: `session ${id}`, part: { agentName, session: id } };
};

const entryRow = ({ id }: InboxEntry): ReviewRow => ({ key: id, proposalId: id });

/** The row of an agent or a folder. */
function groupItem(id: string, label: string, entries: readonly InboxEntry[], icon: string, kind: string): TreeItem {
  const count = countText(entries);
  const spoken = `${label}, ${count}`;
  return createRow({ id, label, description: count, spoken, icon, expanded: true, contextValue: kind });
}

function sessionItem(session: InboxSession, id: string): TreeItem {
  const { since, pid, title, entries } = session;
  const begun =
    pid === undefined ? l10n.t("since {0}", timeText(since)) : l10n.t("since {0}, process {1}", timeText(since), pid);
  const isConversation = entries.every(({ proposal }) => proposal.conversationId !== undefined);
  const label = title ?? (isConversation ? l10n.t("Conversation") : l10n.t("Session"));
  // Without a title the begin and the process are what tells sessions of one agent apart.
  const facts = [countText(entries), begun];
  if (title === undefined) facts.reverse();
  return createRow({
    id,
    label: shortened(label),
    description: facts.join(" · "),
    tooltip: [label, ...facts],
    spoken: [label, ...facts].join(", "),
    icon: isConversation ? "comment-discussion" : "terminal",
    expanded: true,
    contextValue: "session",
  });
}

function countText(entries: readonly InboxEntry[]): string {
  const held = entries.filter(({ state }) => state === "held").length;
  if (held === 0) return String(entries.length);
  if (held === entries.length) return l10n.t("{0} held", held);
  return l10n.t("{0}, {1} of them held", entries.length, held);
}

function entryItem({ id, state, name, folder, proposal }: InboxEntry, isByFolder: boolean): TreeItem {
  const { agentName } = proposal;
  const facts = [
    ...statesOf(state, proposal),
    // The other one stands in the rows above.
    shortened(isByFolder ? agentName : folderText(folder)),
    ...(proposal.lines === undefined ? [] : [`+${proposal.lines.added} −${proposal.lines.removed}`]),
    ageText(Date.now() - proposal.createdAt),
  ].filter((part) => part !== "");
  return proposalItem(proposal, id, shortened(name), facts);
}

/** The row of a proposal, in whichever view. */
export function proposalItem(proposal: ProposalInfo, id: string, label: string, facts: readonly string[]): TreeItem {
  const { id: proposalId, path } = proposal;
  const description = facts.join(" · ");
  return createRow({
    id,
    label,
    description,
    tooltip: [shortPathOf(path), description],
    spoken: [shortPathOf(path), ...facts].join(", "),
    icon: Uri.file(path),
    contextValue: contextOf(proposal),
    command: { command: "patchbay.revealProposal", title: l10n.t("Show Proposal"), arguments: [{ proposalId }] },
  });
}

/** Which actions stand beside an entry. */
function contextOf({ state, isHeld }: ProposalInfo): string {
  if (state === "asking" || state === "kept") return state;
  return isHeld ? "held" : "proposal";
}

/** Said first: views are narrow, and this is what an entry is about. */
export function statesOf(state: InboxEntry["state"], proposal: ProposalInfo): readonly string[] {
  return [stateText(state, proposal), ...remarks(proposal)];
}

function stateText(state: InboxEntry["state"], proposal: ProposalInfo): string {
  switch (state) {
    case "conflict":
      return l10n.t("conflicts with the file: resolve first");
    case "held":
      return l10n.t("held by you");
    case "edited":
      return l10n.t("edited by you");
    case "away":
      return l10n.t("the agent is not connected");
    case "terminal":
      return l10n.t("answer in the agent's terminal");
    case "kept":
      return l10n.t("your kept text");
    case "unwritten":
      return l10n.t("accepted, not written");
    case "waiting":
      if (proposal.state === "asking") return l10n.t("outside: show it?");
      if (proposal.state !== "hidden") return l10n.t("waits for you");
      return proposal.conversationId === undefined
        ? l10n.t("waiting in the terminal")
        : l10n.t("waiting in the conversation");
  }
}

/** What else is to be known. */
function remarks({ kind, edited, isHeld, state, standing }: ProposalInfo): string[] {
  const texts: string[] = [];
  if (kind === "create") texts.push(l10n.t("new file"));
  if (kind === "delete") texts.push(l10n.t("empties the file"));
  if (state === "kept") return texts;
  const isSaid = !isHeld && state !== "away" && state !== "terminal";
  if (edited && (!isSaid || standing === "conflict")) texts.push(l10n.t("edited by you"));
  if (standing === "conflict" && !isSaid) texts.push(l10n.t("conflicts with the file: resolve first"));
  if (standing === "merged") texts.push(l10n.t("merged with changes to the file"));
  return texts;
}

/** As people know it; nothing for the workspace's own folder. */
function folderText(folder: string): string {
  const isRoot = shortPathOf(`${folder}/x`) === "x";
  return isRoot ? "" : shortPathOf(folder);
}

const minute = 60_000;

function ageText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / minute);
  if (minutes < 1) return l10n.t("now");
  if (minutes < 60) return l10n.t("{0} min", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? l10n.t("{0} h", hours) : l10n.t("{0} days", Math.floor(hours / 24));
}
