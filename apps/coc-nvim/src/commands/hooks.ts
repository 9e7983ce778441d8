import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import process from "node:process";
import { type Companion, createNodePlatform, type Platform } from "@patchbay/core";
import {
  agentsWithHooks,
  type AgentWithHook,
  applyPlan,
  hookCommand,
  placeProgram,
  planInstall,
  planRemove,
  type SettingsPlan,
} from "@patchbay/core/hook-settings";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { plainLine } from "../vim/shape.ts";
import type { Coc } from "../vim/coc-vim.ts";
import type { Vim } from "../vim/vim.ts";

interface HookServices {
  readonly coc: Pick<Coc, "window">;
  readonly vim: Pick<Vim, "call">;
  readonly companion: Pick<Companion, "activities" | "commands" | "proposals" | "reveal" | "sessions">;
  /** What agents run as their hook: beside this extension's own files. */
  readonly hookProgram: string;
}

type Say = (text: string, highlight?: string) => void;

type Change = Extract<SettingsPlan, { readonly kind: "change" }>;

const presences = {
  installed: "installed",
  partly: "installed in part: install it again",
  absent: "not installed",
  unreadable: "its settings cannot be read",
} as const;

/** `patchbay.installHook [agent]`: has every change of an agent reviewed here, in each of its modes. */
export async function installHook(services: HookServices, say: Say, name: string): Promise<void> {
  const platform = createNodePlatform();
  const agent = await find(services, platform, name, "Install the hook of which agent?");
  if (agent === undefined) return;
  const command = await hookCommand(platform, agent.id, { program: process.execPath, isElectron: false });
  const plan = await planInstall({ ...agent.request, command });
  if (plan.kind === "nothing") say(`The hook of ${agent.agentName} is already installed.`);
  const isDone = await carryOut(services, say, plan, `Install the hook of ${agent.agentName}`, async (change) => {
    await placeProgram(platform, await readFile(services.hookProgram, "utf8"));
    await applyPlan(platform, change);
  });
  if (isDone) say(`The hook of ${agent.agentName} is installed; start the agent again. ${consentOf(agent)}`);
}

/** `patchbay.removeHook [agent]`. */
export async function removeHook(services: HookServices, say: Say, name: string): Promise<void> {
  const platform = createNodePlatform();
  const agent = await find(services, platform, name, "Remove the hook of which agent?");
  if (agent === undefined) return;
  const plan = await planRemove(agent.request);
  if (plan.kind === "nothing") say(`The hook of ${agent.agentName} is not installed.`);
  const question = `Remove the hook of ${agent.agentName}`;
  const isDone = await carryOut(services, say, plan, question, async (change) => await applyPlan(platform, change));
  if (isDone) say(`The hook of ${agent.agentName} is removed. An agent that runs keeps it until it ends.`);
}

/** What the agent still asks of its user: nothing, for what stands in the user's own settings. */
function consentOf({ id, agentName }: AgentWithHook): string {
  return id === "claude"
    ? `${agentName} does not ask for anything else.`
    : `${agentName} does not ask for anything else. Hooks in a folder's own settings need a trusted folder.`;
}

async function find(
  { coc }: HookServices,
  platform: Platform,
  name: string,
  title: string,
): Promise<AgentWithHook | undefined> {
  const all = await agentsWithHooks(platform);
  if (name !== "") {
    const named = all.find(({ id }) => id === name);
    if (named !== undefined) return named;
    throw new Error(`No agent with hooks is called "${name}": ${all.map(({ id }) => id).join(", ")}.`);
  }
  const lines = all.map(({ agentName, presence }) => `${agentName}  [${presences[presence]}]`);
  const chosen = await coc.window.showQuickPick(lines, { title });
  return all[lines.findIndex((line) => line === chosen)];
}

/** Shows the change in Vim's diff mode and asks; false where nothing was written. */
async function carryOut(
  { coc, vim }: HookServices,
  say: Say,
  plan: SettingsPlan,
  question: string,
  apply: (change: Change) => Promise<void>,
): Promise<boolean> {
  if (plan.kind === "refused") say(plan.reason, "WarningMsg");
  if (plan.kind !== "change") return false;
  await vim.call("patchbay#hooks#show", [plainLine(plan.file), linesOf(plan.before), linesOf(plan.after)]);
  try {
    const yes = plainLine(`${question}: write this to ${plan.file}`);
    const chosen = await coc.window.showQuickPick([yes, "Change nothing"], { title: `${question}?` });
    if (chosen !== yes) {
      say("Nothing was written.");
      return false;
    }
    await apply(plan);
    return true;
  } finally {
    await vim.call("patchbay#hooks#hide");
  }
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? "").replace(/\r?\n$/u, "").split(/\r?\n/u);
}

/** `patchbay.agents`: every session of every agent, what it does and what it waits for; leads to its review or its terminal. */
export async function chooseAgent(
  { coc, vim, companion }: HookServices,
  say: Say,
  answer: () => Promise<void>,
): Promise<void> {
  const all = presencesOf(companion);
  if (all.length === 0) {
    say("No agent is connected.");
    return;
  }
  const lines = all.map((presence, index) => plainLine(`${index + 1}. ${presenceLine(presence)}`));
  const chosen = await coc.window.showQuickPick(lines, { title: "Agents: go to its review, or its terminal" });
  const presence = all[lines.findIndex((line) => line === chosen)];
  if (presence === undefined) return;
  const [proposal] = presence.proposals;
  if (proposal !== undefined && (await companion.reveal(proposal.id))) return;
  // Its question waits, whatever became of its notice.
  if (presence.commands.length > 0) return await answer();
  const pids = await withParents(presence.processes);
  if ((await vim.call("patchbay#hooks#terminal", [pids])) !== 1) {
    say(`${presence.agentName} does not run in a terminal of this editor.`, "WarningMsg");
  }
}

/** An agent runs a few processes below the shell of its terminal. */
export async function withParents(processes: readonly number[]): Promise<readonly number[]> {
  const { process: facts } = createNodePlatform();
  const found = new Set(processes);
  let pid = processes.at(-1);
  while (pid !== undefined && pid > 1 && found.size < 32) {
    found.add(pid);
    pid = await facts.parentOf(pid);
  }
  return [...found];
}

/** One line of the list. */
function presenceLine({ agentName, title, state, since, waitsFor, commands }: Presence): string {
  const time = new Date(since).toLocaleTimeString();
  const words: Readonly<Record<Presence["state"], string>> = {
    waiting: `waits for you: ${[...waitsFor.map((path) => basename(path)), ...commands.map(({ command }) => shownCommand(command))].join(", ")}`,
    working: "working",
    idle: `idle since ${time}`,
    ended: `ended at ${time}`,
    connected: "connected",
    connecting: "connecting",
    away: "away, may reconnect",
  };
  return `${agentName}${title === undefined ? "" : `: ${title}`}  [${words[state]}]`;
}
