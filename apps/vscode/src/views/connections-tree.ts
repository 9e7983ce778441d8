import { l10n, type TreeItem, Uri } from "vscode";
import type { Companion, EditorContext, SessionInfo } from "@patchbay/core";
import { shortPathOf } from "../host/file-name.ts";
import { createRow } from "../surfaces/tree-item.ts";
import { shortened } from "../surfaces/texts.ts";
import type { Tree } from "./lazy-tree.ts";

type Node =
  | { readonly kind: "session"; readonly session: SessionInfo }
  | { readonly kind: "fact"; readonly label: string; readonly value: string; readonly icon: string }
  | { readonly kind: "shared" }
  | { readonly kind: "file"; readonly path: string; readonly detail: string };

/** Who is connected, and what they are told. */
export class ConnectionsTree implements Tree<Node> {
  readonly #companion: Companion;
  readonly #isPaused: () => boolean;

  constructor(companion: Companion, isPaused: () => boolean) {
    this.#companion = companion;
    this.#isPaused = isPaused;
  }

  getTreeItem(node: Node): TreeItem {
    switch (node.kind) {
      case "session":
        return sessionItem(node.session);
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
      const sessions = this.#companion.sessions.map((session): Node => ({ kind: "session", session }));
      // Empty: the welcome text says what to do.
      return sessions.length === 0 ? [] : [...sessions, { kind: "shared" }];
    }
    if (node.kind === "session") return sessionFacts(node.session);
    if (node.kind === "shared" && !this.#isPaused()) return sharedFiles(this.#companion.sharedContext());
    return [];
  }
}

function sessionItem(session: SessionInfo): TreeItem {
  const { id, agentName, version } = session;
  const facts = [version, stateText(session)].filter((part) => part !== undefined);
  return createRow({
    id,
    label: agentName,
    description: facts.join(" · "),
    spoken: [agentName, ...facts].join(", "),
    icon: session.state === "connected" ? "plug" : "debug-disconnect",
    expanded: true,
  });
}

function stateText(session: SessionInfo): string {
  switch (session.state) {
    case "connecting":
      return l10n.t("connecting");
    case "connected":
      return l10n.t("connected");
    case "away":
      return l10n.t("away, may come back");
  }
}

function sessionFacts(session: SessionInfo): Node[] {
  const facts: Node[] = [{ kind: "fact", label: l10n.t("Since"), value: timeText(session.since), icon: "clock" }];
  if (session.pid !== undefined) {
    facts.push({ kind: "fact", label: l10n.t("Process"), value: String(session.pid), icon: "terminal" });
  }
  facts.push({
    kind: "fact",
    label: l10n.t("Last told"),
    value: session.lastContext === undefined ? l10n.t("nothing yet") : timeText(session.lastContext),
    icon: "broadcast",
  });
  if (session.openProposals > 0) {
    const value = String(session.openProposals);
    facts.push({ kind: "fact", label: l10n.t("Open proposals"), value, icon: "diff" });
  }
  return facts;
}

function sharedItem(paused: boolean): TreeItem {
  return createRow({
    id: "shared",
    label: l10n.t("What agents are told"),
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

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString();
}
