import { type AgentId, messageOf, type Platform } from "@patchbay/core";
import {
  agentsWithHooks,
  applyPlan,
  hookCommand,
  placeProgram,
  planInstall,
  planRemove,
  repairHooks,
  type SettingsPlan,
} from "@patchbay/core/hook-settings";
import type { HookAction, HookPlan, HookState } from "../common/protocol.ts";

type Change = Extract<SettingsPlan, { readonly kind: "change" }>;

export interface AgentHooksOptions {
  readonly platform: Platform;
  /** What runs this backend. */
  readonly runtime: Parameters<typeof hookCommand>[2];
  /** The text of what agents run as their hook. */
  readonly program: string;
}

/** Installs and removes hooks for one window: what it writes is what that window has been shown last. */
export class AgentHooks {
  readonly #options: AgentHooksOptions;
  #planned: Change | undefined;

  constructor(options: AgentHooksOptions) {
    this.#options = options;
  }

  /** Puts right what agents run as our hook, with the start of the application. Never rejects. */
  async repair(warn: (line: string) => void): Promise<void> {
    const { platform, runtime, program } = this.#options;
    await repairHooks({ platform, runtime, readProgram: async () => program, warn });
  }

  async list(): Promise<readonly HookState[]> {
    const all = await agentsWithHooks(this.#options.platform);
    return all.map(({ id, agentName, file, presence, request: { settings } }) => {
      return { agent: id, agentName, file, presence, consent: settings.consent };
    });
  }

  async plan(agent: AgentId, action: HookAction): Promise<HookPlan> {
    this.#planned = undefined;
    const { platform, runtime } = this.#options;
    const found = (await agentsWithHooks(platform)).find(({ id }) => id === agent);
    if (found === undefined) return { kind: "nothing" };
    try {
      const plan =
        action === "remove"
          ? await planRemove(found.request)
          : await planInstall({ ...found.request, command: await hookCommand(platform, agent, runtime) });
      if (plan.kind !== "change") return plan;
      this.#planned = plan;
      return { kind: "change", file: plan.file, before: plan.before ?? "", after: plan.after ?? "" };
    } catch (error) {
      return { kind: "refused", reason: messageOf(error) };
    }
  }

  /** Undefined where it is done, else why not. */
  async apply(): Promise<string | undefined> {
    const planned = this.#planned;
    this.#planned = undefined;
    if (planned === undefined) return "Nothing was planned.";
    const { platform, program } = this.#options;
    try {
      if (planned.doing === "install") await placeProgram(platform, program);
      await applyPlan(platform, planned);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
