import type { CommandQuestion, Companion, EditorContext, ProposalInfo, SessionInfo } from "@patchbay/core";
import { stateOf } from "@patchbay/core/inbox";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { type TreeItem, Uri } from "vscode";
import type { ProposalEntry } from "../commands/proposals.ts";
import { l10n } from "@patchbay/languages/spoken";
import { presenceWords, timeText } from "./presence-words.ts";
import { proposalItem, statesOf } from "./review-tree.ts";
import { createRow, fileNameOf, shortened, shortPathOf } from "../surfaces/texts.ts";
import { sessionName } from "../surfaces/session-names.ts";

type Node =
  | PresenceEntry
  | (ProposalEntry & { readonly kind: "proposal"; readonly proposal: ProposalInfo })
  | { readonly kind: "command"; readonly question: CommandQuestion }
  | { readonly kind: "fact"; readonly label: string; readonly value: string; readonly icon: string }
  | { readonly kind: "shared" }
  | { readonly kind: "file"; readonly path: string; readonly detail: string };

interface PresenceEntry {
  readonly kind: "presence";
  readonly presence: Presence;
  readonly presenceId: string;
}

/** Every session of every agent, what it does and what it waits for, and what agents are told. */
export class ConnectionsTree {
  readonly #companion: Companion;
  readonly #isPaused: () => boolean;

  constructor(companion: Companion, isPaused: () => boolean) {
    this.#companion = companion;
    this.#isPaused = isPaused;
  }

  getTreeItem(node: Node): TreeItem {
    switch (node.kind) {
      case "presence":
        return presenceItem(node.presence, sessionName(this.#companion, node.presence));
      case "proposal":
        return connectedItem(node.proposal);
      case "command":
        return commandItem(node.question);
      case "fact":
        return createRow({ label: node.label, description: node.value, icon: node.icon });
      case "shared":
        return sharedItem(this.#isPaused());
      case "file":
        return fileItem(node.path, node.detail);
    }
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      const presences = presencesOf(this.#companion).map(
        (presence): Node => ({ kind: "presence", presence, presenceId: presence.id }),
      );
      // Empty: the welcome text says what to do.
      return presences.length === 0 ? [] : [...presences, { kind: "shared" }];
    }
    if (node.kind === "presence") return presenceParts(node.presence);
    if (node.kind === "shared" && !this.#isPaused()) return sharedFiles(this.#companion.sharedContext());
    return [];
  }
}

function connectedItem(proposal: ProposalInfo): TreeItem {
  const { id, sessionId, path, agentName } = proposal;
  const facts = [agentName, ...statesOf(stateOf(proposal), proposal)];
  // Held ones have no actions of their own here.
  return proposalItem({ ...proposal, isHeld: false }, `${sessionId} ${id}`, fileNameOf(path), facts);
}

const icons: Readonly<Record<Presence["state"], string>> = {
  waiting: "bell-dot",
  working: "sync",
  idle: "check",
  ended: "circle-slash",
  connected: "plug",
  connecting: "debug-disconnect",
  away: "debug-disconnect",
};

function presenceItem(presence: Presence, label: string): TreeItem {
  const { id, title, session, state, proposals, commands } = presence;
  // What it does stands first: the view is narrow.
  const about = title === undefined ? undefined : shortened(title);
  const facts = [about === undefined ? session?.version : undefined, presenceWords(presence), about].filter(
    (part) => part !== undefined,
  );
  return createRow({
    id,
    label,
    description: facts.join(" · "),
    tooltip: [label, facts.join(" · "), ...(session === undefined ? [] : sessionFacts(session))],
    spoken: [label, ...facts].join(", "),
    icon: icons[state],
    expanded: proposals.length + commands.length > 0,
    contextValue: state === "ended" ? "ended" : "agent",
  });
}

function commandItem(question: CommandQuestion): TreeItem {
  const { id, command, folder = "" } = question;
  const line = shortened(shownCommand(command));
  return createRow({
    id,
    label: line,
    description: folder,
    tooltip: [line, folder],
    spoken: [line, folder].filter((part) => part !== "").join(", "),
    icon: "terminal",
    command: { command: "patchbay.showCommand", title: l10n.t("Answer"), arguments: [{ commandId: id }] },
  });
}

function presenceParts({ proposals, commands }: Presence): Node[] {
  const asked = commands.map((question): Node => ({ kind: "command", question }));
  const changes = proposals.map((proposal): Node => ({ kind: "proposal", proposalId: proposal.id, proposal }));
  return [...asked, ...changes];
}

function sessionFacts({ since, pid, lastContext }: SessionInfo): readonly string[] {
  return [
    l10n.t("Since: {0}", timeText(since)),
    ...(pid === undefined ? [] : [l10n.t("Process: {0}", pid)]),
    l10n.t("Last sent: {0}", lastContext === undefined ? l10n.t("nothing yet") : timeText(lastContext)),
  ];
}

function sharedItem(paused: boolean): TreeItem {
  return createRow({
    id: "shared",
    label: l10n.t("What agents see"),
    icon: paused ? "debug-pause" : "eye",
    ...(paused ? { description: l10n.t("nothing: sharing is paused") } : { expanded: true }),
  });
}

function sharedFiles({ files, active }: EditorContext): Node[] {
  if (files.length === 0) {
    return [{ kind: "fact", label: l10n.t("No file"), value: "", icon: "dash" }];
  }
  return files.map(
    ({ path }): Node => ({ kind: "file", path, detail: active?.path === path ? activeText(active) : "" }),
  );
}

function activeText(active: NonNullable<EditorContext["active"]>): string {
  const { selection, cursor } = active;
  if (selection === undefined) return l10n.t("active, line {0}", cursor.line + 1);
  const { start, end } = selection.range;
  if (start.line === end.line) return l10n.t("active, selection in line {0}", start.line + 1);
  return l10n.t("active, lines {0} to {1} selected", start.line + 1, end.line + 1);
}

function fileItem(path: string, detail: string): TreeItem {
  const uri = Uri.file(path);
  return createRow({
    label: shortened(shortPathOf(path)),
    description: detail,
    tooltip: [path],
    spoken: [shortPathOf(path), detail].filter((part) => part !== "").join(", "),
    icon: uri,
    command: { command: "vscode.open", title: l10n.t("Open"), arguments: [uri] },
  });
}
