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
  repairHooks,
  type SettingsPlan,
} from "@patchbay/core/hook-settings";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { l10n } from "@patchbay/languages/spoken";
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
  installed: () => l10n.t("installed"),
  partly: () => l10n.t("installed in part: install it again"),
  absent: () => l10n.t("not installed"),
  unreadable: () => l10n.t("its settings cannot be read"),
} as const;

/** `patchbay.installHook [agent]`: has every change of an agent reviewed here, in each of its modes. */
export async function installHook(services: HookServices, say: Say, name: string): Promise<void> {
  const platform = createNodePlatform();
  const agent = await find(services, platform, name, l10n.t("Install the hook of which agent?"));
  if (agent === undefined) return;
  const command = await hookCommand(platform, agent.id, { program: process.execPath, isElectron: false });
  const plan = await planInstall({ ...agent.request, command });
  if (plan.kind === "nothing") say(l10n.t("The hook of {0} is already installed.", agent.agentName));
  const question = l10n.t("Install the hook of {0}", agent.agentName);
  const isDone = await carryOut(services, say, plan, question, async (change) => {
    await placeProgram(platform, await readFile(services.hookProgram, "utf8"));
    await applyPlan(platform, change);
  });
  if (!isDone) return;
  say(`${l10n.t("The hook of {0} is installed; start the agent again.", agent.agentName)}${consentOf(agent)}`);
}

/** `patchbay.removeHook [agent]`. */
export async function removeHook(services: HookServices, say: Say, name: string): Promise<void> {
  const platform = createNodePlatform();
  const agent = await find(services, platform, name, l10n.t("Remove the hook of which agent?"));
  if (agent === undefined) return;
  const plan = await planRemove(agent.request);
  if (plan.kind === "nothing") say(l10n.t("The hook of {0} is not installed.", agent.agentName));
  const question = l10n.t("Remove the hook of {0}", agent.agentName);
  const isDone = await carryOut(services, say, plan, question, async (change) => await applyPlan(platform, change));
  if (isDone) say(l10n.t("The hook of {0} is removed. An agent that runs keeps it until it ends.", agent.agentName));
}

/** Puts right what agents run as our hook, with the start of the editor. Never rejects. */
export async function repairAtStart(
  platform: Platform,
  hookProgram: string,
  warn: (line: string) => void,
): Promise<void> {
  const runtime = { program: process.execPath, isElectron: false };
  await repairHooks({ platform, runtime, readProgram: async () => await readFile(hookProgram, "utf8"), warn });
}

/** What the agent still asks of its user, for what stands in the user's own settings. */
function consentOf({ agentName, request }: AgentWithHook): string {
  return request.settings.consent === "at-next-start"
    ? ` ${l10n.t("{0} asks at its next start whether you trust this hook, and does not run it until you do.", agentName)}`
    : "";
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
    const ids = all.map(({ id }) => id).join(", ");
    throw new Error(l10n.t("No agent with hooks is called {0}: {1}.", JSON.stringify(name), ids));
  }
  const lines = all.map(({ agentName, presence }) => `${agentName}  [${presences[presence]()}]`);
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
    const yes = plainLine(l10n.t("{0}: write this to {1}", question, plan.file));
    const chosen = await coc.window.showQuickPick([yes, l10n.t("Change nothing")], { title: `${question}?` });
    if (chosen !== yes) {
      say(l10n.t("Nothing was written."));
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
    say(l10n.t("No agent is connected."));
    return;
  }
  const lines = all.map((presence, index) => plainLine(`${index + 1}. ${presenceLine(presence)}`));
  const chosen = await coc.window.showQuickPick(lines, { title: l10n.t("Agents: go to its review, or its terminal") });
  const presence = all[lines.findIndex((line) => line === chosen)];
  if (presence === undefined) return;
  const [proposal] = presence.proposals;
  if (proposal !== undefined && (await companion.reveal(proposal.id))) return;
  // Its question waits, whatever became of its notice.
  if (presence.commands.length > 0) return await answer();
  const pids = await withParents(presence.processes);
  if ((await vim.call("patchbay#hooks#terminal", [pids])) !== 1) {
    say(l10n.t("{0} does not run in a terminal of this editor.", presence.agentName), "WarningMsg");
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
  const waiting = [...waitsFor.map((path) => basename(path)), ...commands.map(({ command }) => shownCommand(command))];
  const words: Readonly<Record<Presence["state"], string>> = {
    waiting: l10n.t("waits for you: {0}", waiting.join(", ")),
    working: l10n.t("working"),
    idle: l10n.t("idle since {0}", time),
    ended: l10n.t("ended at {0}", time),
    connected: l10n.t("connected"),
    connecting: l10n.t("connecting"),
    away: l10n.t("away, may reconnect"),
  };
  return `${agentName}${title === undefined ? "" : `: ${title}`}  [${words[state]}]`;
}
