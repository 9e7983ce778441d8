import type { HookScope, HookSettings } from "../agents/hook.ts";
import type { SettingsPlace } from "../agents/settings.ts";
import type { Platform } from "../platform/platform.ts";
import { findNode } from "./apply.ts";
import { type HookPresence, hookPresence, type PlanRequest, readHook } from "./plan.ts";
import { type AgentId, agents } from "../agents/catalogue.ts";

/** What becomes of our hook when the agent is started, as far as files say. */
export type HookState =
  | { readonly kind: "absent" }
  /** `others`: commands of others that the agent runs before it writes, too. */
  | (InFile & { readonly kind: "installed"; readonly others: readonly string[] })
  | (InFile & { readonly kind: "partly" | "unreadable" })
  /** What it runs is not there any more. */
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
  const { presence, command, others } = await readHook({ place, scope, settings });
  if (presence === "absent") return { kind: "absent" };
  const where: InFile = { scope, file: settings.file(place, scope) };
  const missing = command === undefined ? undefined : await missingProgram(place.platform, command);
  if (missing !== undefined) return { ...where, kind: "broken", missing };
  return presence === "installed" ? { ...where, kind: presence, others } : { ...where, kind: presence };
}

/** The first absolute path of a command line that leads nowhere: its Node, or its script. */
async function missingProgram(platform: Platform, command: string): Promise<string | undefined> {
  const { files } = platform;
  const preferred = /^"\$\(command -v (?<node>.+?) \|\| echo node\)" /u.exec(command);
  const [node = ""] = wordsOf(preferred?.groups?.["node"] ?? "");
  if (node !== "" && (await findNode(platform)) === undefined && (await files.lstat(node)) === undefined) return node;
  for (const word of wordsOf(command.slice(preferred?.[0].length ?? 0))) {
    if (!/^(?:[/\\]|[A-Za-z]:[/\\])/u.test(word)) continue;
    const real = await files.realPath(word).catch(() => undefined);
    if (real === undefined) return word;
  }
  return undefined;
}

function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"])+/gu) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(')/gu, (_all, single?: string, double?: string, mark?: string) => {
      return single ?? double ?? mark ?? "";
    }),
  );
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
