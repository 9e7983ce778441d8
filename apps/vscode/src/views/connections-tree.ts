import { l10n, ThemeIcon, TreeItem, TreeItemCollapsibleState, Uri } from "vscode";
import type { Companion, EditorContext, SessionInfo } from "@patchbay/core";
import type { Tree } from "./lazy-tree.ts";
import { shortPathOf } from "../host/file-name.ts";

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
        return factItem(node.label, node.value, node.icon);
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
  const item = new TreeItem(session.agentName, TreeItemCollapsibleState.Expanded);
  item.id = session.id;
  item.description = [session.version, stateText(session)].filter((part) => part !== undefined).join(" · ");
  item.iconPath = new ThemeIcon(session.state === "connected" ? "plug" : "debug-disconnect");
  item.accessibilityInformation = { label: `${session.agentName}, ${stateText(session)}` };
  return item;
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

function factItem(label: string, value: string, icon: string): TreeItem {
  const item = new TreeItem(label, TreeItemCollapsibleState.None);
  item.description = value;
  item.iconPath = new ThemeIcon(icon);
  return item;
}

function sharedItem(paused: boolean): TreeItem {
  const item = new TreeItem(
    l10n.t("What agents are told"),
    paused ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Expanded,
  );
  item.id = "shared";
  item.iconPath = new ThemeIcon(paused ? "debug-pause" : "eye");
  if (paused) item.description = l10n.t("nothing: sharing is paused");
  return item;
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
  const item = new TreeItem(uri, TreeItemCollapsibleState.None);
  item.label = shortPathOf(path);
  item.description = detail;
  item.iconPath = ThemeIcon.File;
  item.command = { command: "vscode.open", title: l10n.t("Open"), arguments: [uri] };
  return item;
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString();
}
