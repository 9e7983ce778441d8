import { readFile } from "node:fs/promises";
import { createNodePlatform, messageOf, type Platform } from "@patchbay/core";
import {
  agentsWithHooks,
  type AgentWithHook,
  applyPlan,
  hookCommand,
  type HookPresence,
  placeProgram,
  planInstall,
  planRemove,
  repairHooks,
  type SettingsPlan,
} from "@patchbay/core/hook-settings";
import { commands, type Disposable, Uri, window, workspace } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { choose, inform, note, reportError, warn } from "../surfaces/messages.ts";
import { fileNameOf, shownText } from "../surfaces/texts.ts";

type Change = Extract<SettingsPlan, { readonly kind: "change" }>;

const scheme = "patchbay-hook-settings";

/** "Install Hook…", "Remove Hook…" and "Show Hooks": reviews in every mode of an agent (docs/decisions/0007-hooks.md). */
export function registerHooks(extensionUri: Uri): Disposable[] {
  const pages = new SettingsPages();
  const program = programIn(extensionUri);
  const run = (work: () => Promise<void>) => async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await reportError(messageOf(error));
    }
  };
  return [
    workspace.registerTextDocumentContentProvider(scheme, pages),
    commands.registerCommand(
      "patchbay.installHook",
      run(async () => await install(program, pages)),
    ),
    commands.registerCommand(
      "patchbay.removeHook",
      run(async () => await remove(pages)),
    ),
    commands.registerCommand(
      "patchbay.showHooks",
      run(async () => await showHooks()),
    ),
  ];
}

/** Puts right what agents run as our hook, with the start of the editor. Never rejects. */
export async function repairAtStart(extensionUri: Uri, warn: (line: string) => void): Promise<void> {
  const readProgram = async (): Promise<string> => await readFile(programIn(extensionUri), "utf8");
  await repairHooks({ platform: createNodePlatform(), runtime: ownRuntime(), readProgram, warn });
}

function programIn(extensionUri: Uri): string {
  return Uri.joinPath(extensionUri, "dist", "patchbay-hook.cjs").fsPath;
}

function ownRuntime(): Parameters<typeof hookCommand>[2] {
  return { program: process.execPath, isElectron: process.versions["electron"] !== undefined };
}

/** The agents' settings before and after, as documents that nobody can type into. */
class SettingsPages {
  readonly #texts: Map<string, string> = new Map();

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  /** Shows what would become of the file; what comes back takes it away. */
  async show({ file, before, after }: Change): Promise<() => Promise<void>> {
    const [left, right] = [this.#side(file, "before", before), this.#side(file, "after", after)];
    await commands.executeCommand(
      "vscode.diff",
      left,
      right,
      shownText(l10n.t("{0}: what would change", fileNameOf(file))),
    );
    return async () => {
      const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
      const wanted = [left.toString(), right.toString()];
      const own = tabs.filter(({ input }) => isDiffOf(input, wanted));
      await window.tabGroups.close(own);
      this.#texts.clear();
    };
  }

  #side(file: string, side: string, text: string | undefined): Uri {
    // Not as settings of the agent, whose schema another extension may fetch.
    const uri = Uri.file(file).with({ scheme, query: side });
    this.#texts.set(uri.toString(), text ?? "");
    return uri;
  }
}

function isDiffOf(input: unknown, sides: readonly string[]): boolean {
  if (typeof input !== "object" || input === null || !("modified" in input)) return false;
  return input.modified instanceof Uri && sides.includes(input.modified.toString());
}

async function install(program: string, pages: SettingsPages): Promise<void> {
  const platform = createNodePlatform();
  const agent = await chooseAgent(platform, l10n.t("Install the hook of which agent?"));
  if (agent === undefined) return;
  const command = await hookCommand(platform, agent.id, ownRuntime());
  const plan = await planInstall({ ...agent.request, command });
  const asked = {
    question: l10n.t("Install the hook of {0}? The editor shows the change.", agent.agentName),
    verb: l10n.t("Install"),
  };
  const isDone = await carryOut(plan, asked, pages, async (change) => {
    await placeProgram(platform, await readFile(program, "utf8"));
    await applyPlan(platform, change);
  });
  if (plan.kind === "nothing") void inform(l10n.t("The hook of {0} is already installed.", agent.agentName));
  if (!isDone) return;
  void inform(
    `${l10n.t("The hook of {0} is installed. Restart it where it runs.", agent.agentName)}${consentOf(agent)}`,
  );
}

async function remove(pages: SettingsPages): Promise<void> {
  const platform = createNodePlatform();
  const agent = await chooseAgent(
    platform,
    l10n.t("Remove the hook of which agent?"),
    ({ presence }) => presence !== "absent",
  );
  if (agent === undefined) return;
  const plan = await planRemove(agent.request);
  const asked = {
    question: l10n.t("Remove the hook of {0}? The editor shows the change.", agent.agentName),
    verb: l10n.t("Remove"),
  };
  const isDone = await carryOut(plan, asked, pages, async (change) => await applyPlan(platform, change));
  if (isDone)
    void inform(l10n.t("The hook of {0} is removed. Agents that are running keep it until they end.", agent.agentName));
}

/** Shows the change and asks; false where nothing was written. */
async function carryOut(
  plan: SettingsPlan,
  { question, verb }: { readonly question: string; readonly verb: string },
  pages: SettingsPages,
  apply: (change: Change) => Promise<void>,
): Promise<boolean> {
  if (plan.kind === "refused") {
    await warn(plan.reason);
    return false;
  }
  if (plan.kind === "nothing") return false;
  const close = await pages.show(plan);
  try {
    const items = [
      { label: verb, description: l10n.t("write this to {0}", plan.file), isWanted: true },
      { label: l10n.t("Cancel"), description: l10n.t("change nothing"), isWanted: false },
    ];
    const chosen = await choose(items, question, { staysOpen: true });
    if (chosen?.isWanted !== true) {
      note(l10n.t("Nothing was written."), 5_000);
      return false;
    }
    await apply(plan);
    return true;
  } finally {
    await close();
  }
}

/** "Show Hooks": the state of each, and from there what can be done about it. */
async function showHooks(): Promise<void> {
  const all = await agentsWithHooks(createNodePlatform());
  const items = all.map(({ agentName, presence, file }) => ({
    label: agentName,
    description: `${presenceText(presence)} · ${file}`,
    command: presence === "installed" ? "patchbay.removeHook" : "patchbay.installHook",
  }));
  const chosen = await choose(
    items,
    l10n.t("With a hook, you review every change here, whatever mode the agent is in."),
  );
  if (chosen !== undefined) await commands.executeCommand(chosen.command);
}

async function chooseAgent(
  platform: Platform,
  question: string,
  isOffered: (agent: AgentWithHook) => boolean = () => true,
): Promise<AgentWithHook | undefined> {
  const all = (await agentsWithHooks(platform)).filter(isOffered);
  if (all.length === 0) {
    void inform(l10n.t("No hook is installed."));
    return undefined;
  }
  const items = all.map((agent) => ({ label: agent.agentName, description: presenceText(agent.presence), agent }));
  return (await choose(items, question))?.agent;
}

function presenceText(presence: HookPresence): string {
  switch (presence) {
    case "installed":
      return l10n.t("installed");
    case "partly":
      return l10n.t("installed in part: install it again");
    case "absent":
      return l10n.t("not installed");
    case "unreadable":
      return l10n.t("its settings cannot be read");
  }
}

/** What the agent still asks of its user, for what stands in the user's own settings. */
function consentOf({ agentName, request }: AgentWithHook): string {
  return request.settings.consent === "at-next-start"
    ? ` ${l10n.t("{0} asks at its next start whether you trust this hook, and does not run it until you do.", agentName)}`
    : "";
}
