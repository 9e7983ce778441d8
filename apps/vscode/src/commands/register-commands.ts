import type { Disposable, OutputChannel } from "vscode";
import type { Companion } from "@patchbay/core";
import type { DiffViews } from "../diff/diff-views.ts";
import type { Settings } from "../settings/settings.ts";
import type { Sharing } from "../settings/sharing.ts";
import { AgentTerminals } from "../terminals/agent-terminals.ts";
import { registerCopyEnvironment } from "./copy-environment.ts";
import { registerDecideProposal } from "./decide-proposal.ts";
import { registerKeptTexts } from "./kept-texts.ts";
import { registerResolveConflict } from "./resolve-conflict.ts";
import { registerDiagnose } from "./diagnose.ts";
import { registerRunAgent } from "./run-agent.ts";
import { registerSendToAgent } from "./send-to-agent.ts";
import { registerShareContext } from "./share-context.ts";
import { registerShow } from "./show.ts";
import { registerWalkProposals } from "./walk-proposals.ts";

export interface CommandServices {
  readonly companion: Companion;
  readonly settings: Settings;
  readonly sharing: Sharing;
  readonly channel: OutputChannel;
  /** The reviews, where there have been any yet. */
  readonly views: () => DiffViews | undefined;
}

/** All commands, each feature by its own file. */
export function registerCommands({ companion, settings, sharing, channel, views }: CommandServices): Disposable[] {
  const terminals = new AgentTerminals();
  return [
    terminals,
    ...registerDecideProposal(companion, views),
    ...registerKeptTexts(companion),
    ...registerResolveConflict(companion, views),
    ...registerWalkProposals(companion),
    ...registerSendToAgent(companion, terminals),
    ...registerRunAgent(terminals),
    ...registerShareContext(sharing),
    ...registerShow(channel),
    registerCopyEnvironment(companion),
    ...registerDiagnose(companion, settings),
  ];
}
