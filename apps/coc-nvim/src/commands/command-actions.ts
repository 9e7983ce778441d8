import { listPanesArguments, readPanes, setEnvironmentArguments, paneLine, sendLineArguments } from "./tmux.ts";
import type { ExtensionSettings } from "../settings.ts";
import { quote, splitCommand } from "./command-words.ts";
import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { agents, type Companion, createNodePlatform, type HostIdentity, type Logger } from "@patchbay/core";
import { readAgentSettings } from "@patchbay/core/diagnosis";
import { presencesOf } from "@patchbay/core/presences";
import { findMissing, findRecords, healthReport, healthText } from "../health/health-report.ts";
import type { EditorFacts } from "../host/editor-facts.ts";
import type { VimHost } from "../host/vim-host.ts";
import type { Coc } from "../vim/coc-vim.ts";
import { asList, asText, plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { chooseAgent, installHook, removeHook } from "./hooks.ts";
import { pasteOnceFree } from "./prompt.ts";
import { answerQuestion } from "./reviews.ts";

export interface CommandServices {
  readonly coc: Pick<Coc, "commands" | "window" | "workspace">;
  readonly vim: Vim;
  readonly companion: Companion;
  readonly parts: Pick<VimHost, "editors" | "workspace" | "questions">;
  readonly settings: () => ExtensionSettings;
  readonly facts: EditorFacts;
  readonly identity: HostIdentity;
  readonly storageDirectory: string | undefined;
  /** What agents run as their hook: beside this extension's own files. */
  readonly hookProgram: string;
  readonly logger: Logger;
}

const run = promisify(execFile);

/** What a command does; `say` tells one line to the user. */
export type CommandAction = (...args: readonly unknown[]) => Promise<void>;

type Say = (text: string, highlight?: string) => void;

/** The commands that need more than a call into the editor; loaded when the first of them is given. */
export function createCommandActions(services: CommandServices): Readonly<Record<string, CommandAction>> {
  const { coc, vim, companion } = services;
  const say: Say = (text, highlight = "MoreMsg") => vim.notify("patchbay#say", [text, highlight]);
  return {
    openAgent: (name) => openAgent(services, asText(name)),
    health: () => showHealth(services),
    showShared: () => showLines(vim, "Patchbay: what is shared", sharedLines(services)),
    toggleSharing: async () => {
      const sharing = !services.settings().companion.sharing;
      // In the user's own settings, so that it outlasts this editor.
      coc.workspace.getConfiguration("patchbay").update("share.enabled", sharing, true);
      companion.updateSettings({ sharing });
      say(
        sharing
          ? "Sharing has resumed. Agents see your open files and selection."
          : "Sharing is paused. Agents do not see your open files or selection. Reviews still work.",
      );
    },
    mention: async (first, last) => {
      const given = first === undefined ? asList(await vim.call("patchbay#track#range")) : [first, last];
      mention(services, say, linesToMention(...given));
    },
    answer: () => answer(services, say),
    reject: (...words) => rejectBecause(services, say, words.map(asText).join(" ").trim()),
    agents: () => chooseAgent(services, say),
    installHook: (name) => installHook(services, say, asText(name)),
    removeHook: (name) => removeHook(services, say, asText(name)),
    linkTmux: () => linkTmux(services, say),
    compareWithDisk: async () => {
      await vim.call("patchbay#compare");
    },
  };
}

async function openAgent(services: CommandServices, wanted: string): Promise<void> {
  const { coc, vim, companion, settings } = services;
  const { workspace } = services.parts;
  const { agents: commands, terminalWindow } = settings();
  const names = Object.keys(commands);
  const name = wanted !== "" ? wanted : await coc.window.showQuickPick(names, { title: "Start which agent?" });
  if (name === undefined) return;
  const command = splitCommand((Object.hasOwn(commands, name) ? commands[name] : undefined) ?? "");
  if (command.length === 0)
    throw new Error(`Unknown agent "${name}". Choose one of ${names.join(", ")}, or add it to "patchbay.agents".`);
  // Agents look for a shell among their ancestors, so a shell stays between the editor and them.
  const shell = process.env["SHELL"] ?? "/bin/sh";
  const line = `${command.map(quote).join(" ")}; exit $?`;
  const directory = workspace.folders()[0] ?? process.cwd();
  await vim.call("patchbay#terminal", [name, [shell, "-c", line], terminalWindow, directory, companion.environment]);
}

async function showHealth(services: CommandServices): Promise<void> {
  const { companion, settings, facts, identity } = services;
  const { workspace, questions } = services.parts;
  const { state } = companion;
  const platform = createNodePlatform();
  const { homeDirectory, environment } = platform.process;
  const surroundings = { homeDirectory, environment, temporaryDirectory: identity.temporaryDirectory ?? "/tmp" };
  const lines = healthReport({
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
  await showLines(services.vim, "Patchbay: health", healthText(lines));
}

function sharedLines(services: CommandServices): readonly string[] {
  if (!services.settings().companion.sharing) return ["Sharing is paused; nothing is shared."];
  const context = services.companion.sharedContext();
  const { active } = context;
  const lines = context.files.map((file) => `open       ${file.path}`);
  if (active === undefined) return [...lines, "No file is active."];
  lines.push(
    `active     ${active.path}`,
    `cursor     line ${active.cursor.line + 1}, character ${active.cursor.character + 1}`,
  );
  if (active.selection !== undefined)
    lines.push("selection", ...active.selection.text.split("\n").map((line) => `    ${line}`));
  return lines;
}

async function showLines(vim: Vim, title: string, lines: readonly string[]): Promise<void> {
  await vim.call("patchbay#page", [title, lines.map(plainLine)]);
}

function mention(services: CommandServices, say: Say, given: Lines | undefined): void {
  const active = services.parts.editors.active();
  if (active === undefined) {
    say("No file is open to mention.", "WarningMsg");
    return;
  }
  const lines = given ?? (active.selection && { start: active.selection.start.line, end: active.selection.end.line });
  const count = services.companion.mention(active.path, lines);
  if (count > 0) return;
  const takers = agents.flatMap(({ agentName, takesMentions }) => (takesMentions ? [agentName] : []));
  say(`No connected agent supports @-mentions (${takers.join(", ")} does).`, "WarningMsg");
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** `:CocCommand patchbay.mention 3 7`, or `:3,7CocCommand patchbay.mention`, counts from 1, as Vim does. */
function linesToMention(first?: unknown, last?: unknown): Lines | undefined {
  const start = Number(first);
  if (!Number.isSafeInteger(start) || start < 1) return undefined;
  const end = Number(last);
  return { start: start - 1, end: Number.isSafeInteger(end) && end >= start ? end - 1 : start - 1 };
}

async function answer(services: CommandServices, say: Say): Promise<void> {
  const { window } = services.coc;
  const choose = async (lines: readonly string[], title: string): Promise<string | undefined> =>
    await window.showQuickPick(lines.slice(), { title });
  if (!(await answerQuestion(services.parts.questions, choose))) say("No questions are waiting.");
}

/** `:PatchbayReject why`: through the hook where there is one, else into the agent's prompt, else the text is yanked. */
async function rejectBecause(services: CommandServices, say: Say, reason: string): Promise<void> {
  const { vim, companion, facts, logger } = services;
  const id = asText(await vim.call("patchbay#go#here", ["reject"]));
  const proposal = companion.proposals.find((one) => one.id === id);
  if (proposal === undefined) return;
  const { agentName, sessionId } = proposal;
  const isTold = companion.activities.some(({ owner }) => owner === sessionId);
  const presence = presencesOf(companion).find(({ proposals }) => proposals.includes(proposal));
  const isRejected = await companion.reject(id, reason);
  if (isRejected && isTold) {
    say(`Rejected. ${agentName} reads your text and goes on.`);
    return;
  }
  const tmux = async (args: readonly string[]): Promise<string> => (await run("tmux", args.slice())).stdout;
  const prompts = { companion, vim, logger, tmux: facts.tmuxServer === undefined ? undefined : tmux };
  if (isRejected && presence !== undefined && reason.trim() !== "") {
    const place = await pasteOnceFree(prompts, presence, reason);
    if (place !== undefined) {
      const where = place === "tmux" ? "its tmux pane" : "its terminal";
      say(`Rejected. Your text is in the prompt of ${agentName}, in ${where}: press Enter there to send it.`);
      return;
    }
  }
  await vim.call("patchbay#go#keep", [reason]);
  if (isRejected) say(`Rejected. ${agentName} cannot be told why from here: your text is yanked, paste it there.`);
  else say("This proposal has already been decided. Your text is yanked.", "WarningMsg");
}

async function linkTmux(services: CommandServices, say: Say): Promise<void> {
  const { companion, coc } = services;
  if (services.facts.tmuxServer === undefined) {
    say("This editor is not running in tmux.", "WarningMsg");
    return;
  }
  for (const args of setEnvironmentArguments(companion.environment)) await run("tmux", args.slice());
  const line = paneLine(companion.environment);
  const panes = readPanes((await run("tmux", listPanesArguments.slice())).stdout, process.env["TMUX_PANE"]);
  if (panes.length === 0) {
    // On a page: it is to be copied, and longer than most command lines.
    const lines = ["New panes are linked. In a pane that is already open, run:", "", `    ${line}`];
    await showLines(services.vim, "Patchbay: tmux", lines);
    return;
  }
  const chosen = await coc.window.showQuickPick(
    panes.map((pane) => pane.title),
    { title: "Link which pane?" },
  );
  const pane = panes.find((one) => one.title === chosen);
  if (pane === undefined) return;
  for (const args of sendLineArguments(pane.id, line)) await run("tmux", args.slice());
  say("The pane is linked, and so are new panes.");
}
