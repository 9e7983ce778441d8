import { basename, dirname, join } from "node:path";
import { ConfigurationTarget, workspace } from "vscode";
import { l10n } from "@patchbay/languages/spoken";

const section = "patchbay.panel";

function read(name: string): unknown {
  return workspace.getConfiguration(section).get(name);
}

/** The user's settings of the panel, each read when it is asked for. */
export const panelSettings = {
  get sendWith(): "enter" | "ctrl-enter" {
    return read("sendWith") === "ctrl-enter" ? "ctrl-enter" : "enter";
  },

  /** Where the panel opens. */
  get place(): "sideBar" | "secondarySideBar" | "tab" {
    const place = read("place");
    return place === "secondarySideBar" || place === "tab" ? place : "sideBar";
  },

  /** Whether a notification says that an agent waits or has finished, while its conversation is not shown. */
  get notify(): boolean {
    return read("notify") !== false;
  },

  /** Whether unsaved changes are saved before an agent reads or writes their file. */
  get autosave(): boolean {
    return read("autosave") !== false;
  },

  /** Whether mentions leave out what ignore files name. */
  get respectIgnoreFiles(): boolean {
    return read("respectIgnoreFiles") !== false;
  },

  /** How agents are started; a workspace cannot set it. */
  get agents(): unknown {
    return read("agents");
  },

  /** Adds one to the user's own. */
  async addAgent(id: string, agent: object): Promise<void> {
    const settings = workspace.getConfiguration(section);
    const own: unknown = settings.inspect("agents")?.globalValue;
    const known = typeof own === "object" && own !== null ? own : {};
    await settings.update("agents", { ...known, [id]: agent }, ConfigurationTarget.Global);
  },

  /** Fonts of the editor's own chat; undefined: those of the editor's views. */
  get fonts(): { readonly fontFamily?: string; readonly fontSize?: number } {
    const chat = workspace.getConfiguration("chat");
    const family: unknown = chat.get("fontFamily");
    const size: unknown = chat.get("fontSize");
    return {
      ...(typeof family === "string" && family !== "" && family !== "default" ? { fontFamily: family } : {}),
      ...(typeof size === "number" && size >= 6 && size <= 100 ? { fontSize: size } : {}),
    };
  },
} as const;

/** Why nothing is started in this window; undefined where it is. */
export function reasonNotToStart(): string | undefined {
  if (!workspace.isTrusted) return l10n.t("This workspace is not trusted, so no agent is started in it.");
  if ((workspace.workspaceFolders?.length ?? 0) === 0) return l10n.t("Open a folder first: agents work in one.");
  return undefined;
}

/**
 * The storage of the first window on a workspace. VS Code gives every further window one of its own, named after it with a
 * number, also while the process of a window that is gone still waits for it to come back. Conversations are the workspace's:
 * who has one is told by its claim.
 */
export function sharedStorage(storageDirectory: string): string {
  const ofWindow = dirname(storageDirectory);
  // It names workspaces by hashes.
  const [, name] = /^(-?[\da-f]+)-[1-9]$/u.exec(basename(ofWindow)) ?? [];
  return name === undefined ? storageDirectory : join(dirname(ofWindow), name, basename(storageDirectory));
}
