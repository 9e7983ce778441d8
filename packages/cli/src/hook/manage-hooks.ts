import { type AgentId, agentOf, agents, messageOf, type Platform } from "@patchbay/core";
import { findWeakenedReviews, readAgentSettings } from "@patchbay/core/diagnosis";
import {
  applyPlan,
  type EditionRuntime,
  hookCommand,
  type HookConsent,
  type HookState,
  inspectIn,
  placeProgram,
  planInstall,
  planRemove,
} from "@patchbay/core/hook-settings";
import type { HookCommand } from "../command-line.ts";
import { renderDiff } from "../review/unified-diff.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";

export interface HooksRequest {
  readonly command: HookCommand;
  readonly platform: Platform;
  /** The text of the program that agents run: `patchbay-hook.cjs`. */
  readonly readProgram: () => Promise<string>;
  readonly runtime: EditionRuntime;
  readonly paint: Paint;
  readonly print: (text: string) => void;
  /** Undefined where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean | undefined>;
}

const presences = {
  installed: "installed",
  partly: "installed in part: install it again",
  absent: "not installed",
  unreadable: "its settings cannot be read",
} as const;

function wordsFor(state: HookState): string {
  if (state.kind === "broken") return `it cannot run ${escapeLine(state.missing)}: install it again`;
  if (state.kind === "installed" && !state.endsWell) return "installed by an earlier version: install it again";
  return presences[state.kind];
}

/** `patchbay hook install|status|remove`. Resolves with the exit code. */
export async function manageHooks(request: HooksRequest): Promise<number> {
  const { command, platform, print } = request;
  const chosen = command.agent === undefined ? await usedAgents(platform) : [command.agent];
  if (chosen.length === 0) {
    print(`No agent is used here. Name one: ${agents.map(({ id }) => id).join(", ")}.`);
    return 1;
  }
  let code = 0;
  for (const id of chosen) {
    const hook = await agentOf(id).loadHook?.();
    if (hook === undefined) print(`${agentOf(id).agentName} has no hooks that Patchbay knows.`);
    else if (!(await manageOne(id, hook.settings, request))) code = 1;
  }
  return code;
}

async function usedAgents(platform: Platform): Promise<readonly AgentId[]> {
  return (await readAgentSettings(platform)).filter(({ isUsed }) => isUsed).map(({ agent }) => agent);
}

type Settings = Parameters<typeof planInstall>[0]["settings"];

/** False: it was not done. */
async function manageOne(
  id: AgentId,
  settings: Settings,
  { command, platform, readProgram, runtime, paint, print, ask }: HooksRequest,
): Promise<boolean> {
  const { agentName } = agentOf(id);
  const scope = command.project ? "project" : "user";
  const request = {
    place: { platform, folder: command.folder },
    scope,
    settings,
  } as const;
  if (command.action === "status") {
    const state = wordsFor(await inspectIn(request.place, settings, scope));
    print(`${agentName}: ${state} (${escapeLine(settings.file(request.place, scope))})`);
    for (const off of await findWeakenedReviews(platform, command.folder)) {
      if (off.agent !== id) continue;
      print(
        `  It runs no hooks in this folder (${escapeLine(off.setting)} in ${escapeLine(off.file)}), so nothing is reviewed by it.`,
      );
    }
    return true;
  }
  const plan =
    command.action === "install"
      ? await planInstall({ ...request, command: await hookCommand(platform, id, runtime) })
      : await planRemove(request);
  if (plan.kind === "refused") {
    print(escapeLine(plan.reason));
    return false;
  }
  if (plan.kind === "nothing") {
    // It may be that of an earlier version.
    if (command.action === "install") await placeProgram(platform, await readProgram());
    print(`${agentName}: ${command.action === "install" ? "installed already" : "not installed"}.`);
    return true;
  }
  print(escapeLine(plan.file));
  for (const line of renderDiff(plan.before ?? "", plan.after ?? "", { paint, maximumLines: 400 }).lines) print(line);
  const isWanted = command.yes ? true : await ask(`Write this to ${escapeLine(plan.file)}?`);
  if (isWanted !== true) {
    print(
      isWanted === undefined ? "Nothing was written: nobody can be asked here. Add --yes." : "Nothing was written.",
    );
    return false;
  }
  try {
    if (command.action === "install") await placeProgram(platform, await readProgram());
    await applyPlan(platform, plan);
  } catch (error) {
    print(escapeLine(messageOf(error)));
    return false;
  }
  print(
    `${agentName}: ${command.action === "install" ? "installed" : "removed"}. Agents that run already go on as before.`,
  );
  const asks = consentWords(agentName, settings.consent);
  if (command.action === "install" && asks !== undefined) print(asks);
  return true;
}

/** What its user has to do beside. */
function consentWords(agentName: string, consent: HookConsent): string | undefined {
  switch (consent) {
    case "none":
      return undefined;
    case "trusted-folder":
      return `${agentName} runs hooks of a folder's settings only in folders that you trust.`;
    case "at-next-start":
      return `At its next start ${agentName} asks whether you trust this hook. Until you do, it runs none of it, and says so only there.`;
  }
}
