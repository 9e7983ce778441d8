import { diagnostics, diagnosticsOfOddPath, diagnosticsOfUnopened, mention } from "./claude-only.ts";
import { follows, hunk, hunkVerdicts, insert, killed, language, passing, undo, unified, unsaved } from "./coc-ways.ts";
import { panelBeside, panelPage } from "./coc-panel.ts";
import { context, contextAfterClaude, contextBesideClaude, contextReload } from "./context-only.ts";
import { connected, selection } from "./context.ts";
import { accept, acceptEdited, acceptLong, focus, reject, terminal } from "./decisions.ts";
import { bytes, close, newFile, reload, rewrite, save } from "./editor-ways.ts";
import { agentKilled, hostKilled } from "./killed.ts";
import { doctor } from "./doctor.ts";
import { hookAccept, hookEdited, hookOnce, hookPaths, hookReject, hookStale, hookUnwritten } from "./hook-reviews.ts";
import { hookForms } from "./hook-forms.ts";
import { hookCommand } from "./hook-commands.ts";
import { hookProblems } from "./hook-problems.ts";
import { hookAgentKilled, hookKilled, hookNone, hookReload } from "./hook-ends.ts";
import { hookTogether } from "./hook-together.ts";
import { hookNotice, hookStates } from "./hook-states.ts";
import { inbox } from "./inbox.ts";
import { autosave, unsavedFile } from "./nothing-lost.ts";
import { reloadReview, reloadUntouched } from "./reload-review.ts";
import {
  panelChanges,
  panelChangesEverywhere,
  panelChangesKilled,
  panelChangesOwn,
  panelChangesPlain,
  panelChangesReload,
  panelChangesWorking,
} from "./panel-changes.ts";
import { panelContext, panelMode, panelModel, panelSignIn, panelSlash } from "./panel-composer.ts";
import {
  panelFork,
  panelReloadAnswer,
  panelReloadQuestion,
  panelResume,
  panelRewind,
  panelTerminal,
  panelTogether,
} from "./panel-history.ts";
import { panelPicture, panelQueue, panelResend } from "./panel-prompts.ts";
import { panelAccept, panelAcceptEdited, panelReject } from "./panel-review.ts";
import { panelAnswer, panelCommand, panelStop } from "./panel-turns.ts";
import { codexIde } from "./codex-only.ts";
import { hookPolicies, servicePolicies } from "./codex-policies.ts";
import {
  serviceAccept,
  serviceInTurn,
  serviceKilled,
  servicePartial,
  serviceReject,
  serviceReload,
  serviceTerminal,
} from "./codex-service.ts";
import { piPanelOnce, piPanelTwoEdits } from "./pi-panel.ts";
import { piContext, piEscape, piTwoEdits } from "./pi-only.ts";
import { runAccept, runAcceptInEditor, runEnds, runStops } from "./run-agent.ts";
import type { Scenario } from "./scenario.ts";
import { acceptAll, staleBase, staleBaseForReading, threeAccepts } from "./stale-base.ts";
import { commands } from "./theia-commands.ts";
import { openOnDemand, openWhenIdle } from "./open-reviews.ts";
import { reviewAll, reviewSession } from "./theia-all.ts";
import { reviewHunks, reviewView } from "./theia-review.ts";
import { theiaContract } from "./theia-contract.ts";
import { besidePlugin, theiaDiagnostics } from "./theia-plugin.ts";
import { panelOverReload, panelOverRestart, panelTwoWindows } from "./theia-panel.ts";
import { backendRestart } from "./theia-restart.ts";
import { theiaFollows, theiaHostileName, theiaReloadUntouched } from "./theia-ways.ts";
import { reviewOverClose, reviewOverReload, twoWindows } from "./theia-windows.ts";
import { together } from "./together.ts";
import { trial } from "./trial.ts";
import { turnSigns, turnUndo, turnView } from "./turns.ts";
import { twoEdits } from "./two-edits.ts";
import { hunks, hunksRejected, hunksReload } from "./hunks.ts";
import { panelOtherWindow, panelTab } from "./vscode-panel.ts";
import { closing, hostileName, keptOverReload } from "./vscode-ways.ts";

/** All scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  connected,
  selection,
  context,
  contextReload,
  contextBesideClaude,
  contextAfterClaude,
  accept,
  acceptEdited,
  acceptLong,
  reject,
  terminal,
  focus,
  save,
  close,
  bytes,
  newFile,
  rewrite,
  reload,
  reloadReview,
  reloadUntouched,
  agentKilled,
  hostKilled,
  autosave,
  unsavedFile,
  doctor,
  staleBase,
  staleBaseForReading,
  twoEdits,
  diagnostics,
  diagnosticsOfOddPath,
  diagnosticsOfUnopened,
  ...theiaDiagnostics,
  mention,
  hunk,
  hunkVerdicts,
  unified,
  language,
  insert,
  passing,
  unsaved,
  follows,
  undo,
  killed,
  reviewOverReload,
  reviewOverClose,
  twoWindows,
  commands,
  reviewView,
  reviewHunks,
  reviewAll,
  reviewSession,
  openOnDemand,
  openWhenIdle,
  theiaFollows,
  theiaHostileName,
  theiaReloadUntouched,
  backendRestart,
  trial,
  together,
  threeAccepts,
  acceptAll,
  theiaContract,
  besidePlugin,
  closing,
  hunks,
  hunksRejected,
  hunksReload,
  hostileName,
  keptOverReload,
  inbox,
  panelAnswer,
  panelAccept,
  panelAcceptEdited,
  panelReject,
  panelCommand,
  panelChanges,
  panelChangesPlain,
  panelChangesOwn,
  panelChangesReload,
  panelChangesEverywhere,
  panelChangesKilled,
  panelChangesWorking,
  panelStop,
  panelContext,
  panelSlash,
  panelQueue,
  panelPicture,
  panelResend,
  panelMode,
  panelModel,
  panelSignIn,
  panelResume,
  panelTerminal,
  panelFork,
  panelRewind,
  panelReloadAnswer,
  panelReloadQuestion,
  panelBeside,
  panelPage,
  panelTogether,
  panelTab,
  panelOtherWindow,
  panelOverReload,
  panelTwoWindows,
  panelOverRestart,
  piPanelOnce,
  piPanelTwoEdits,
  hookAccept,
  hookEdited,
  hookReject,
  hookUnwritten,
  hookStale,
  hookPaths,
  hookForms,
  hookCommand,
  hookProblems,
  hookOnce,
  hookReload,
  hookKilled,
  hookAgentKilled,
  hookNone,
  hookStates,
  hookNotice,
  codexIde,
  serviceAccept,
  serviceReject,
  servicePartial,
  serviceInTurn,
  serviceTerminal,
  serviceReload,
  serviceKilled,
  servicePolicies,
  hookPolicies,
  piContext,
  piTwoEdits,
  piEscape,
  hookTogether,
  runAccept,
  runAcceptInEditor,
  runEnds,
  runStops,
  turnUndo,
  turnSigns,
  turnView,
];
