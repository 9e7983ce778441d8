import type { HookScope, HookSettings } from "../agents/hook.ts";
import type { SettingsPlace } from "../agents/settings.ts";
import type { Platform } from "../platform/platform.ts";
import { isOwnCommand, missingProgram } from "./command.ts";
import { type HookPresence, hookPresence, type PlanRequest, readHook } from "./plan.ts";
import { type AgentId, agents } from "../agents/catalogue.ts";

/** What becomes of our hook when the agent is started, as far as files say. */
export type HookState =
  | { readonly kind: "absent" }
  /**
   * `others`: commands of others that the agent runs before it writes, too. `endsWell`: also where it cannot be started, which not every
   * version has seen to; `isTrusted`: as far as the agent asks for that.
   */
  | (InFile & {
      readonly kind: "installed";
      readonly others: readonly string[];
      readonly endsWell: boolean;
      readonly isTrusted: boolean;
    })
  | (InFile & { readonly kind: "partly" | "unreadable" })
  /** What it runs is not there any more, or cannot be run. */
  | (InFile & { readonly kind: "broken"; readonly missing: string });

interface InFile {
  readonly scope: HookScope;
  readonly file: string;
}

const scopes: readonly HookScope[] = ["user", "project"];
const order: readonly HookState["kind"][] = ["installed", "broken", "partly", "unreadable", "absent"];

/** Looks for our hook in the user's settings and in the folder's; the one that runs counts. Never rejects. */
export async function inspectHook(place: SettingsPlace, settings: HookSettings): Promise<HookState> {
  const wanted = place.folder === undefined ? scopes.slice(0, 1) : scopes;
  const states = await Promise.all(wanted.map((scope) => inspectIn(place, settings, scope)));
  for (const kind of order) {
    const found = states.find((state) => state.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: "absent" };
}

/** Looks for our hook in one of both. Never rejects. */
export async function inspectIn(place: SettingsPlace, settings: HookSettings, scope: HookScope): Promise<HookState> {
  const { presence, commands, others, endsWell } = await readHook({ place, scope, settings });
  if (presence === "absent") return { kind: "absent" };
  const where: InFile = { scope, file: settings.file(place, scope) };
  for (const command of commands) {
    const missing = await missingProgram(place.platform, command);
    if (missing !== undefined) return { ...where, kind: "broken", missing };
  }
  if (presence !== "installed") return { ...where, kind: presence };
  const isTrusted = (await settings.isTrusted?.(place, where.file, isOwnCommand)) ?? true;
  return { ...where, kind: presence, others, endsWell, isTrusted };
}

/** An agent that can run a hook, and what the user's own settings of it say of ours. */
export interface AgentWithHook {
  readonly id: AgentId;
  readonly agentName: string;
  readonly request: Omit<PlanRequest, "command">;
  readonly file: string;
  readonly presence: HookPresence;
}

/** Never rejects. */
export async function agentsWithHooks(platform: Platform): Promise<readonly AgentWithHook[]> {
  const place = { platform, folder: undefined };
  const found = agents.map(async ({ id, agentName, loadHook }): Promise<readonly AgentWithHook[]> => {
    const hook = await loadHook?.();
    if (hook === undefined) return [];
    const { settings } = hook;
    const request = { place, scope: "user", settings } as const;
    return [{ id, agentName, request, file: settings.file(place, "user"), presence: await hookPresence(request) }];
  });
  return (await Promise.all(found)).flat();
}
