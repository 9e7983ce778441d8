import type { AgentId } from "@patchbay/core";
import { agents } from "@patchbay/core/agents";
import { Command } from "@theia/core/lib/common/command";
import { nls } from "@theia/core/lib/common/nls";
import { commandPreferenceOf } from "../../common/preferences.ts";

const category = "Patchbay";
const categoryKey = "patchbay/category";

function command(name: string, label: string): Command {
  return Command.toLocalizedCommand(
    { id: `patchbay.theia.${name}`, label, category },
    `patchbay/command/${name}`,
    categoryKey,
  );
}

type CommandName =
  | "accept"
  | "reject"
  | "showConflict"
  | "rejectWithReason"
  | "installHook"
  | "removeHook"
  | "acceptAll"
  | "rejectAll"
  | "acceptFolder"
  | "rejectFolder"
  | "groupByFolder"
  | "saveKept"
  | "copyKept"
  | "discardKept"
  | "next"
  | "hold"
  | "acceptHunk"
  | "rejectHunk"
  | "nextHunk"
  | "previousHunk"
  | "undoHunk"
  | "goToReview"
  | "goToTerminal"
  | "previous"
  | "sendSelection"
  | "sendFile"
  | "sendProblem"
  | "pauseSharing"
  | "resumeSharing"
  | "copyEnvironment"
  | "showAll"
  | "showTurn"
  | "nextFile"
  | "previousFile"
  | "keepTurn"
  | "undoTurn"
  | "undoTurnWithReason"
  | "undoSession"
  | "keepChange"
  | "undoChange"
  | "bringBack"
  | "showConnections"
  | "showShared"
  | "diagnose"
  | "tryReview"
  | "showLog";

/** Our commands. Their ids differ from those of our VS Code extension, which may run as a plugin in the same Theia. */
export const patchbayCommands: Readonly<Record<CommandName, Command>> = {
  accept: command("accept", "Accept Proposal"),
  reject: command("reject", "Reject Proposal"),
  showConflict: command("showConflict", "Show Conflict"),
  rejectWithReason: command("rejectWithReason", "Reject with Reason…"),
  installHook: command("installHook", "Install Hook…"),
  removeHook: command("removeHook", "Remove Hook…"),
  acceptAll: command("acceptAll", "Accept All Proposals"),
  rejectAll: command("rejectAll", "Reject All Proposals"),
  acceptFolder: command("acceptFolder", "Accept All in This Folder"),
  rejectFolder: command("rejectFolder", "Reject All in This Folder"),
  groupByFolder: command("groupByFolder", "Group Reviews by Folder"),
  saveKept: command("saveKept", "Save Kept Text to File"),
  copyKept: command("copyKept", "Copy Kept Text"),
  discardKept: command("discardKept", "Discard Kept Text"),
  next: command("next", "Next Proposal"),
  previous: command("previous", "Previous Proposal"),
  acceptHunk: command("acceptHunk", "Accept Hunk"),
  rejectHunk: command("rejectHunk", "Reject Hunk"),
  nextHunk: command("nextHunk", "Next Hunk"),
  previousHunk: command("previousHunk", "Previous Hunk"),
  undoHunk: command("undoHunk", "Undo the Last Decision on a Hunk"),
  hold: command("hold", "Hold Proposal"),
  goToReview: command("goToReview", "Go to Review"),
  goToTerminal: command("goToTerminal", "Go to the Agent's Terminal"),
  sendSelection: command("sendSelection", "Send Selection to Agent"),
  sendFile: command("sendFile", "Send File to Agent"),
  sendProblem: command("sendProblem", "Send Problem to Agent"),
  pauseSharing: command("pauseSharing", "Pause Sharing"),
  resumeSharing: command("resumeSharing", "Resume Sharing"),
  copyEnvironment: command("copyEnvironment", "Copy Terminal Environment"),
  showAll: command("showAll", "Show All Changes"),
  nextFile: command("nextFile", "Next Changed File"),
  previousFile: command("previousFile", "Previous Changed File"),
  showTurn: command("showTurn", "Show Changes of a Turn"),
  keepTurn: command("keepTurn", "Keep Changes of a Turn"),
  undoTurn: command("undoTurn", "Undo Changes of a Turn"),
  undoTurnWithReason: command("undoTurnWithReason", "Undo Changes with Reason…"),
  undoSession: command("undoSession", "Undo Changes of a Session…"),
  keepChange: command("keepChange", "Keep Change in These Lines"),
  undoChange: command("undoChange", "Undo Change in These Lines"),
  bringBack: command("bringBack", "Bring Back Undone Changes"),
  showConnections: command("showConnections", "Show Reviews and Connections"),
  showShared: command("showShared", "Show What Is Shared"),
  diagnose: command("diagnose", "Diagnose Connection"),
  tryReview: command("tryReview", "Try a Review"),
  showLog: command("showLog", "Show Log"),
};

type PanelCommandName =
  | "open"
  | "newConversation"
  | "newTab"
  | "mention"
  | "showConversations"
  | "showWaiting"
  | "continueInTerminal"
  | "stop"
  | "find";

/** Those of the conversation panel. */
export const panelCommands: Readonly<Record<PanelCommandName, Command>> = {
  open: command("panel.open", "Open Conversation Panel"),
  newConversation: command("panel.newConversation", "New Conversation"),
  newTab: command("panel.newTab", "New Conversation in a Tab"),
  mention: command("panel.mention", "Mention in Conversation"),
  showConversations: command("panel.showConversations", "Show Conversations"),
  showWaiting: command("panel.showWaiting", "Show the Question That Waits"),
  continueInTerminal: command("panel.continueInTerminal", "Continue Conversation in a Terminal"),
  stop: command("panel.stop", "Stop the Agent"),
  find: command("panel.find", "Find in Conversation"),
};

/** An agent that can be started in a terminal. */
export interface AgentLaunch {
  readonly id: AgentId;
  readonly command: Command;
  readonly name: string;
  /** Preference that holds what is typed into the terminal. */
  readonly preference: ReturnType<typeof commandPreferenceOf>;
}

export const agentLaunches: readonly AgentLaunch[] = agents.map((agent) => ({
  id: agent.id,
  name: agent.agentName,
  preference: commandPreferenceOf(agent),
  command: command(`run${agent.id.charAt(0).toUpperCase()}${agent.id.slice(1)}`, `Run ${agent.agentName}`),
}));

/** The words on the two buttons of a review. */
export const verdictLabels: Readonly<Record<"accept" | "reject", string>> = {
  accept: nls.localize("patchbay/toolbar/accept", "Accept"),
  reject: nls.localize("patchbay/toolbar/reject", "Reject"),
};

/** The words on the buttons of a text that no agent takes any more. */
export const keptLabels: Readonly<Record<"saveKept" | "copyKept" | "discardKept", string>> = {
  saveKept: nls.localize("patchbay/toolbar/saveKept", "Save to File"),
  copyKept: nls.localize("patchbay/toolbar/copyKept", "Copy"),
  discardKept: nls.localize("patchbay/toolbar/discardKept", "Discard"),
};
