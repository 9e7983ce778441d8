import { agents, LoadOnce } from "@patchbay/core";
import { commands, type Disposable } from "vscode";
import { runCommandOf } from "./contributions.mts";

/** Loads what is not needed before the first proposal, command or look at a view. In one place, because each `import()` takes room. */
export const loadLater = (): Promise<typeof import("./later.ts")> => import("./later.ts");

/** Loads the panel: what runs agents and holds conversations with them, with the first look at it. */
export const loadPanel = (): Promise<typeof import("./panel/panel.ts")> => import("./panel/panel.ts");

/** Loads what lists, keeps and undoes what agents did, with the first word of one. */
export const loadTurns = (): Promise<typeof import("./turns/agent-changes.ts")> => import("./turns/agent-changes.ts");

/** Loads the review without an agent, with the command that asks for it: most people do that once. */
export const loadTrial = (): Promise<typeof import("./commands/try-review.ts")> => import("./commands/try-review.ts");

export const trialCommandIds: readonly string[] = ["patchbay.tryReview"];

/** Every command of package.json but the panel's, those of turns and the trial's. They are known to VS Code from the start; their code is loaded with the first one called. */
export const commandIds: readonly string[] = [
  ...agents.map(runCommandOf),
  ...[
    "sendSelection",
    "sendFile",
    "sendProblem",
    "acceptProposal",
    "rejectProposal",
    "acceptInTitle",
    "rejectInTitle",
    "acceptInView",
    "rejectInView",
    "rejectWithReason",
    "answerInTerminal",
    "showConflict",
    "showOutside",
    "hideOutside",
    "saveInTitle",
    "saveKeptText",
    "copyKeptText",
    "discardKeptText",
    "nextProposal",
    "previousProposal",
    "revealProposal",
    "acceptHunk",
    "rejectHunk",
    "nextHunk",
    "previousHunk",
    "undoHunk",
    "acceptAllProposals",
    "rejectAllProposals",
    "acceptFolder",
    "rejectFolder",
    "groupByFolder",
    "groupBySession",
    "hold",
    "showAllChanges",
    "showReviews",
    "showConnections",
    "showTerminal",
    "showCommand",
    "installHook",
    "removeHook",
    "showHooks",
    "pauseSharing",
    "resumeSharing",
    "diagnose",
    "copyEnvironment",
    "showLog",
  ].map((name) => `patchbay.${name}`),
];

/** The commands of turns: the first one called loads the ledger. */
export const turnCommandIds: readonly string[] = [
  "keepTurn",
  "undoTurn",
  "undoTurnWithReason",
  "showTurn",
  "openTurnFile",
  "keepChange",
  "undoChange",
  "bringBack",
].map((name) => `patchbay.${name}`);

/** The panel's commands: the first one called loads the panel. */
export const panelCommandIds: readonly string[] = [
  "open",
  "newConversation",
  "newTab",
  "mention",
  "mentionTerminal",
  "showConversations",
  "showWaiting",
  "continueInTerminal",
  "stop",
  "find",
].map((name) => `patchbay.panel.${name}`);

/**
 * Registers commands whose code is loaded when the first of them is called: stand-ins make way for the real ones, and
 * the call goes on to its real one.
 */
export function registerLazily(ids: readonly string[], load: () => Promise<() => readonly Disposable[]>): Disposable {
  let own: readonly Disposable[] = [];
  let disposed = false;
  const drop = (): void => {
    for (const part of own) part.dispose();
    own = [];
  };
  const real = new LoadOnce(async () => {
    const register = await load();
    drop();
    own = register();
    if (disposed) drop();
  });
  own = ids.map((id) =>
    commands.registerCommand(id, async (...args: readonly unknown[]): Promise<unknown> => {
      await real.get();
      return await commands.executeCommand(id, ...args);
    }),
  );
  return {
    dispose: () => {
      disposed = true;
      drop();
    },
  };
}
