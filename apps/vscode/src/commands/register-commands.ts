import { agents, type Companion } from "@patchbay/core";
import { presencesOf } from "@patchbay/core/presences";
import { commands, type Disposable, env, EventEmitter, type OutputChannel, Uri, workspace } from "vscode";
import { runCommandOf } from "../contributions.mts";
import { type Diagnosed, writeDiagnosis } from "../diagnosis.ts";
import type { DiffViews } from "../diff/diff-views.ts";
import type { Settings, Sharing } from "../settings.ts";
import { l10n } from "@patchbay/languages/spoken";
import { inform, warn } from "../surfaces/messages.ts";
import { AgentTerminals, tellIfMissing } from "../terminals/agent-terminals.ts";
import { findTerminal } from "../terminals/find-terminal.ts";
import { registerHooks } from "./hooks.ts";
import { registerHunks } from "./hunks.ts";
import { registerInbox, registerKeptTexts, type ReviewList } from "./inbox.ts";
import {
  registerDecideProposal,
  registerRejectWithReason,
  registerResolveConflict,
  registerWalkProposals,
} from "./proposals.ts";
import { registerSendToAgent } from "./send-to-agent.ts";

export interface CommandServices {
  readonly companion: Companion;
  readonly settings: Settings;
  readonly sharing: Sharing;
  readonly channel: OutputChannel;
  /** The extension's own folder. */
  readonly extensionUri: Uri;
  /** The reviews, where there have been any yet. */
  readonly views: () => DiffViews | undefined;
  /** The tree "Review". */
  readonly list: ReviewList;
}

/** All commands, each feature by its own file. */
export function registerCommands({
  companion,
  settings,
  sharing,
  channel,
  extensionUri,
  views,
  list,
}: CommandServices): Disposable[] {
  const terminals = new AgentTerminals();
  return [
    terminals,
    ...registerDecideProposal(companion, views),
    ...registerInbox({ companion, views, list }),
    ...registerRejectWithReason(companion),
    ...registerHooks(extensionUri),
    ...registerShowTerminal(companion),
    ...registerShowCommand(companion),
    ...registerKeptTexts(companion),
    ...registerResolveConflict(companion, views),
    ...registerWalkProposals(companion),
    ...registerHunks(companion, views),
    ...registerSendToAgent(companion, terminals),
    ...registerRunAgent(terminals),
    ...registerShareContext(sharing),
    ...registerShow(channel),
    registerCopyEnvironment(companion),
    ...registerDiagnose({ companion, settings, sharing }),
  ];
}

/** "Copy Terminal Environment": for terminals outside VS Code, tmux panes among them. */
function registerCopyEnvironment(companion: Companion): Disposable {
  return commands.registerCommand("patchbay.copyEnvironment", async () => {
    const variables = Object.entries(companion.environment);
    if (variables.length === 0) {
      void warn(l10n.t("Patchbay is not listening, so there is nothing to copy."));
      return;
    }
    await env.clipboard.writeText(`${variables.map(([name, value]) => exportLine(name, value)).join("\n")}\n`);
    void inform(
      l10n.t("Copied. Paste it into the terminal before you start the agent there, in a folder of this window."),
    );
  });
}

function exportLine(name: string, value: string): string {
  if (process.platform === "win32") return `$env:${name} = '${value.replaceAll("'", "''")}'`;
  return `export ${name}='${value.replaceAll("'", `'\\''`)}'`;
}

const scheme = "patchbay-diagnosis";

/** "Diagnose Connection": a page that says what was looked at and what to do. */
function registerDiagnose(diagnosed: Diagnosed): Disposable[] {
  const uri = Uri.from({ scheme, path: `/${l10n.t("Patchbay Diagnosis")}.md` });
  const changes = new EventEmitter<Uri>();
  return [
    changes,
    workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changes.event,
      provideTextDocumentContent: async () => {
        return await writeDiagnosis(diagnosed);
      },
    }),
    commands.registerCommand("patchbay.diagnose", async () => {
      changes.fire(uri);
      await commands.executeCommand("markdown.showPreview", uri);
    }),
  ];
}

/** "Run" for each agent, e.g. "Run Gemini CLI". */
function registerRunAgent(terminals: AgentTerminals): Disposable[] {
  return agents.map((agent) =>
    commands.registerCommand(runCommandOf(agent), async () => {
      await terminals.run(agent);
      await tellIfMissing(agent);
    }),
  );
}

/** "Show Terminal" of an agent in the list. */
function registerShowTerminal(companion: Companion): Disposable[] {
  return [
    commands.registerCommand("patchbay.showTerminal", async (row?: unknown) => {
      const id = typeof row === "object" && row !== null && "presenceId" in row ? row.presenceId : undefined;
      const presence = presencesOf(companion).find((one) => one.id === id);
      const terminal = presence === undefined ? undefined : await findTerminal(presence.processes);
      if (terminal === undefined) void inform(l10n.t("This agent does not run in a terminal of this window."));
      else terminal.show();
    }),
  ];
}

/** "Answer an Agent's Command": asks once more, about that of an entry in the list or the one that has waited longest. */
function registerShowCommand(companion: Companion): Disposable[] {
  return [
    commands.registerCommand("patchbay.showCommand", (row?: unknown) => {
      const chosen = typeof row === "object" && row !== null && "commandId" in row ? row.commandId : undefined;
      const id = chosen ?? companion.commands?.all[0]?.id;
      if (typeof id === "string" && companion.commands?.show(id) === true) return;
      void inform(l10n.t("No agent is asking about a command."));
    }),
  ];
}

/** "Pause Sharing" and "Resume Sharing". */
function registerShareContext(sharing: Sharing): Disposable[] {
  return [
    commands.registerCommand("patchbay.pauseSharing", async () => await sharing.setPaused(true)),
    commands.registerCommand("patchbay.resumeSharing", async () => await resume(sharing)),
  ];
}

async function resume(sharing: Sharing): Promise<void> {
  await sharing.setPaused(false);
  if (!sharing.paused) return;
  void inform(l10n.t("Sharing remains off because the setting patchbay.context.share is off."));
}

/** "Show Log" and "Show Connections". */
function registerShow(channel: OutputChannel): Disposable[] {
  return [
    commands.registerCommand("patchbay.showLog", () => channel.show(true)),
    commands.registerCommand("patchbay.showConnections", async () => {
      await commands.executeCommand("patchbay.connections.focus");
    }),
  ];
}
