import process from "node:process";
import { agents, createNodePlatform, displayWidth, type HostIdentity, type TurnLedger } from "@patchbay/core";
import { explainedCodes, explainFinding, planStart, readAgentSettings } from "@patchbay/core/diagnosis";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
import { findMissing, findRecords, type HealthLine, healthReport, healthText } from "../health/health-report.ts";
import type { VimHost } from "../host/vim-host.ts";
import type { ExtensionSettings } from "../settings.ts";
import type { LazyTurns } from "../turns/lazy-turns.ts";
import type { Coc } from "../vim/coc-vim.ts";
import { asList, asText, padded, plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { quote, splitCommand } from "./command-words.ts";
import { chooseAgent, installHook, removeHook } from "./hooks.ts";
import { answerQuestion, chooser, decideHunk, undoHunk } from "./reviews.ts";
import { linesToMention, mention, rejectBecause, type Say, sendProblem, type SendServices } from "./send-to-agent.ts";
import {
  listPanesArguments,
  paneLine,
  readPanes,
  runTmux,
  sendLineArguments,
  setEnvironmentArguments,
} from "./terminals.ts";
import { bringBackTurn, decideTurnLines, showTurnLines } from "./turns.ts";

export interface CommandServices extends SendServices {
  readonly coc: Pick<Coc, "commands" | "window" | "workspace">;
  readonly turns: Pick<LazyTurns, "get" | "onDidChange" | "witness">;
  readonly parts: Pick<VimHost, "editors" | "host" | "workspace" | "questions">;
  readonly settings: () => ExtensionSettings;
  readonly identity: HostIdentity;
  readonly storageDirectory: string | undefined;
  /** What agents run as their hook: beside this extension's own files. */
  readonly hookProgram: string;
}

/** What a command does, and what it has for a script that gave it. */
export type CommandAction = (...args: readonly unknown[]) => Promise<unknown>;

/** The commands that need more than a call into the editor; loaded when the first of them is given. */
export function createCommandActions(services: CommandServices): Readonly<Record<string, CommandAction>> {
  const { coc, vim, companion } = services;
  const say: Say = (text, highlight = "MoreMsg") => vim.notify("patchbay#say", [text, highlight]);
  const sayOf = async (sentence: Promise<string | undefined>): Promise<void> => {
    const text = await sentence;
    if (text !== undefined) say(text);
  };
  return {
    openAgent: (name) => openAgent(services, asText(name)),
    health: async (how) => {
      const lines = await findHealth(services);
      if (how !== "lines") await showLines(vim, l10n.t("Patchbay: health"), healthText(lines));
      return lines;
    },
    tour: async () => {
      const { tour } = await import("./tour.ts");
      await tour(services, {
        say,
        openAgent: (name) => openAgent(services, name),
        showHealth: async () =>
          await showLines(vim, l10n.t("Patchbay: health"), healthText(await findHealth(services))),
      });
    },
    explain: (name) => explain(services, asText(name)),
    showShared: () => showLines(vim, l10n.t("Patchbay: what is shared"), sharedLines(services)),
    toggleSharing: async (wanted) => {
      const sharing = wanted === undefined ? !services.settings().companion.sharing : wanted !== "pause";
      // In the user's own settings, so that it outlasts this editor.
      coc.workspace.getConfiguration("patchbay").update("share.enabled", sharing, true);
      companion.updateSettings({ sharing });
      say(
        sharing
          ? l10n.t("Sharing has resumed. Agents see your open files and selection.")
          : l10n.t("Sharing is paused. Agents do not see your open files or selection. Reviews still work."),
      );
    },
    mention: async (first, last) => {
      const given = first === undefined ? asList(await vim.call("patchbay#track#range")) : [first, last];
      await mention(services, say, linesToMention(...given));
    },
    sendProblem: () => sendProblem(services, say),
    answer: () => answer(services, say),
    reject: (...words) => rejectBecause(services, say, words.map(asText).join(" ").trim()),
    agents: () => chooseAgent(services, say, () => answer(services, say)),
    reviews: (name, ...ids) => reviews(services, say, asText(name), ids.map(asText)),
    all: (verdict, ...places) => all(services, say, asText(verdict), places.map(asText)),
    acceptHunk: (...place) => sayOf(decideHunk(services, "accept", place)),
    rejectHunk: (...place) => sayOf(decideHunk(services, "reject", place)),
    undoHunk: (id) => sayOf(undoHunk(services, asText(id))),
    keepChange: (...place) => sayOf(decideTurnLines(services, "keep", place)),
    undoChange: (...place) => sayOf(decideTurnLines(services, "undo", place)),
    showChange: (...place) => sayOf(showTurnLines(services, place)),
    bringBack: () => sayOf(bringBackTurn(services)),
    hold: (id) => hold(services, say, asText(id)),
    installHook: (name) => installHook(services, say, asText(name)),
    removeHook: (name) => removeHook(services, say, asText(name)),
    linkTmux: () => linkTmux(services, say),
    openPanel: () => openPanel(services, say),
    sendSelection: async () => {
      if (services.panel.current?.sendSelection() === true)
        say(l10n.t("In the composer of the panel. It is not sent."));
      else say(l10n.t("Nothing was sent: select something, and have a conversation open in the panel."), "WarningMsg");
    },
    compareWithDisk: async () => {
      await vim.call("patchbay#compare");
    },
  };
}

/** The page of all that waits, or what a key in it asks for. */
async function reviews(services: CommandServices, say: Say, name: string, ids: readonly string[]): Promise<void> {
  const { actInInbox, inboxOfCommands, showInbox } = await import("./inbox.ts");
  const inbox = inboxOfCommands(services);
  const said = name === "" ? await showInbox(inbox) : await actInInbox(inbox, name, ids);
  if (said !== undefined) say(said);
}

/** A verdict on all that waits in a folder, or anywhere; without a verdict the folders in which something waits. */
async function all(services: CommandServices, say: Say, verdict: string, places: readonly string[]): Promise<unknown> {
  const { actInFolder, inboxOfCommands, waitingFolders } = await import("./inbox.ts");
  const inbox = inboxOfCommands(services);
  if (verdict !== "accept" && verdict !== "reject") return waitingFolders(inbox);
  const said = await actInFolder(inbox, verdict, places);
  if (said !== undefined) say(said);
}

/** Opens the conversation panel in the browser; the first time it is started for that. */
async function openPanel(services: CommandServices, say: Say): Promise<void> {
  const { coc, panel, vim, settings } = services;
  if (panel.current === undefined) {
    const { VimPanel } = await import("../panel/vim-panel.ts");
    const end = (): void => {
      void panel.current?.close();
      panel.current = undefined;
      panel.onDidChange?.();
    };
    const { witness, get, onDidChange } = services.turns;
    const conversations = async (): Promise<TurnLedger | undefined> =>
      settings().agentChanges ? (await get()).ledgers.conversations : undefined;
    // In the user's own settings, beside what is there.
    const saveAgent = (id: string, agent: object): void => {
      const { panelAgents } = settings();
      const known = typeof panelAgents === "object" && panelAgents !== null ? panelAgents : {};
      coc.workspace.getConfiguration("patchbay").update("panel.agents", { ...known, [id]: agent }, true);
    };
    const turns = { witness, onDidChange, conversations };
    const started = await VimPanel.start({ ...services, saveAgent, turns }, end);
    panel.current = started;
    started.onDidChange(() => panel.onDidChange?.());
  }
  const showLink = async (link: string): Promise<void> => {
    const lines = [l10n.t("Open this link in a browser. It works once, within a minute:"), "", `    ${link}`];
    await showLines(vim, l10n.t("Patchbay: panel"), lines);
  };
  const link = await panel.current.open((unopened) => void showLink(unopened));
  if (link === undefined) say(l10n.t("The panel is in your browser. Its reviews open here."));
  else await showLink(link);
}

/** Sets a review aside: the agent goes on waiting. */
async function hold({ vim, companion }: CommandServices, say: Say, given: string): Promise<void> {
  const id = given === "" ? asText(await vim.call("patchbay#go#current")) : given;
  if (id === "") return;
  if (await companion.hold(id)) say(l10n.t("Held. :Patchbay shows it, and opens it again with what you typed."));
  else say(l10n.t("Not held: this proposal is being decided, or cannot be read now."), "WarningMsg");
}

async function openAgent(services: CommandServices, wanted: string): Promise<void> {
  const { coc, vim, companion, settings } = services;
  const { workspace } = services.parts;
  const { agents: commands, terminalWindow } = settings();
  const names = Object.keys(commands);
  const name = wanted !== "" ? wanted : await coc.window.showQuickPick(names, { title: l10n.t("Start which agent?") });
  if (name === undefined) return;
  const command = splitCommand((Object.hasOwn(commands, name) ? commands[name] : undefined) ?? "");
  if (command.length === 0)
    throw new Error(
      l10n.t(
        "Unknown agent {0}. Choose one of {1}, or add it to patchbay.agents.",
        JSON.stringify(name),
        names.join(", "),
      ),
    );
  // Agents look for a shell among their ancestors, so a shell stays between the editor and them.
  const shell = process.env["SHELL"] ?? "/bin/sh";
  const directory = workspace.folders()[0] ?? process.cwd();
  const id = agents.find((agent) => agent.id === name)?.id;
  const request = { folder: directory, args: command.slice(1) };
  // Where nobody has told it to look for an editor, it would offer to install something.
  const connecting =
    id === undefined ? [] : (await planStart(createNodePlatform(), { ...request, agent: id })).connecting;
  const line = `${[...command, ...connecting].map(quote).join(" ")}; exit $?`;
  await vim.call("patchbay#terminal#open", [
    name,
    [shell, "-c", line],
    terminalWindow,
    directory,
    companion.environment,
  ]);
}

async function findHealth(services: CommandServices): Promise<readonly HealthLine[]> {
  const { companion, settings, facts, identity } = services;
  const { workspace, questions } = services.parts;
  const { state } = companion;
  const platform = createNodePlatform();
  const { homeDirectory, environment } = platform.process;
  const surroundings = { homeDirectory, environment, temporaryDirectory: identity.temporaryDirectory ?? "/tmp" };
  return healthReport({
    editor: `${identity.displayName} ${facts.version}`,
    version: identity.version,
    nodeVersion: process.versions.node,
    state,
    folders: workspace.folders(),
    storageDirectory: services.storageDirectory,
    records: state.kind === "listening" ? await findRecords(state.port, surroundings) : [],
    sessions: companion.sessions,
    sharing: settings().companion.sharing,
    agentSettings: await readAgentSettings(platform, workspace.folders()[0]),
    missing: findMissing(settings().agents),
    inTmux: facts.tmuxServer !== undefined,
    openQuestions: questions.all.length,
  });
}

/** What a finding of the health page means; without a name, which one is asked. */
async function explain({ coc, vim }: CommandServices, given: string): Promise<void> {
  const codes = await explainedCodes();
  const code =
    given === "" ? await coc.window.showQuickPick([...codes], { title: l10n.t("Explain which finding?") }) : given;
  if (code === undefined) return;
  const explanation = await explainFinding(code, textsInUse().findings);
  if (explanation === undefined)
    throw new Error(l10n.t("Unknown finding {0}. Those that there are: {1}.", JSON.stringify(code), codes.join(", ")));
  const lines = explanation.parts.flatMap(({ kind, text }) => {
    if (kind === "command") return [...text.split("\n").map((line) => `    ${line}`), ""];
    return kind === "heading" ? [text.toUpperCase()] : [text, ""];
  });
  await showLines(vim, l10n.t("Patchbay: explanation"), [`${explanation.title} [${code}]`, "", ...lines.slice(0, -1)]);
}

function sharedLines(services: CommandServices): readonly string[] {
  if (!services.settings().companion.sharing) return [l10n.t("Sharing is paused; nothing is shared.")];
  const context = services.companion.sharedContext();
  const { active } = context;
  const names = {
    open: l10n.t("open"),
    active: l10n.t("active"),
    cursor: l10n.t("cursor"),
    selection: l10n.t("selection"),
  };
  const width = Math.max(...Object.values(names).map(displayWidth));
  const row = (name: string, text: string): string => `${padded(name, width)}  ${text}`;
  const lines = context.files.map((file) => row(names.open, file.path));
  if (active === undefined) return [...lines, l10n.t("No file is active.")];
  const place = l10n.t("line {0}, character {1}", active.cursor.line + 1, active.cursor.character + 1);
  lines.push(row(names.active, active.path), row(names.cursor, place));
  if (active.selection !== undefined)
    lines.push(names.selection, ...active.selection.text.split("\n").map((line) => `    ${line}`));
  return lines;
}

async function showLines(vim: Vim, title: string, lines: readonly string[]): Promise<void> {
  await vim.call("patchbay#page", [title, lines.map(plainLine)]);
}

async function answer(services: CommandServices, say: Say): Promise<void> {
  if (!(await answerQuestion(services.parts.questions, chooser(services.coc.window))))
    say(l10n.t("No questions are waiting."));
}

async function linkTmux(services: CommandServices, say: Say): Promise<void> {
  const { companion, coc } = services;
  if (services.facts.tmuxServer === undefined) {
    say(l10n.t("This editor is not running in tmux."), "WarningMsg");
    return;
  }
  for (const args of setEnvironmentArguments(companion.environment)) await runTmux(args);
  const line = paneLine(companion.environment);
  const panes = readPanes(await runTmux(listPanesArguments), process.env["TMUX_PANE"]);
  if (panes.length === 0) {
    // On a page: it is to be copied, and longer than most command lines.
    const lines = [l10n.t("New panes are linked. In a pane that is already open, run:"), "", `    ${line}`];
    await showLines(services.vim, l10n.t("Patchbay: tmux"), lines);
    return;
  }
  const chosen = await coc.window.showQuickPick(
    panes.map((pane) => pane.title),
    { title: l10n.t("Link which pane?") },
  );
  const pane = panes.find((one) => one.title === chosen);
  if (pane === undefined) return;
  for (const args of sendLineArguments(pane.id, line)) await runTmux(args);
  say(l10n.t("The pane is linked, and so are new panes."));
}
