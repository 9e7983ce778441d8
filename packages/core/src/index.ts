export { type AgentId, agentOf, agents, askingCommand } from "./agents/catalogue.ts";
export type * from "./companion.ts";
export type * from "./context/model.ts";
export { displayWidth, limitText } from "./support/text.ts";
export { excludePatternsOf, isSecretPath } from "./context/sharing-policy.ts";
export { createCompanion } from "./create-companion.ts";
export type * from "./agents/choice.ts";
export type * from "./agents/dialect.ts";
export type * from "./agents/settings.ts";
export type { Surroundings } from "./agents/surroundings.ts";
export type { DiagnosisRequest } from "./diagnosis/examine.ts";
export type { Explanation, ExplanationPart } from "./diagnosis/explain.ts";
export type * from "./diagnosis/records.ts";
export type * from "./diagnosis/examine-editor.ts";
export type * from "./diagnosis/finding.ts";
export type * from "./diagnosis/running-editors.ts";
export { conflictEnd, conflictMiddle, conflictStart } from "./diff/model.ts";
export type { TextEdit } from "./diff/line-diff.ts";
export { textEdits } from "./diff/text-edits.ts";
export type * from "./diff/model.ts";
export { claimFile, markerFor, type RecordMarker, releaseClaim } from "./storage/claim.ts";
export { adviceFor, causeOf, findPrivateDirectory } from "./storage/private-directory.ts";
export {
  baseDirectory,
  configDirectory,
  stateDirectory,
  storageLevels,
  turnsDirectory,
} from "./storage/state-directory.ts";
export { createPrivateStorage, type PrivateStorage, type PrivateStorageOptions } from "./storage/private-storage.ts";
export type * from "./editor-host.ts";
export type * from "./hooks/activity.ts";
export type {
  LedgerFile,
  LedgerHunk,
  LedgerPart,
  LedgerTexts,
  LedgerTurn,
  LedgerUndone,
  LedgerView,
  PromptsSince,
  TurnLedger,
} from "./hooks/turn-ledger.ts";
export type { FileBefore, TurnNote, TurnSource, TurnWitness } from "./hooks/turn-witness.ts";
export type * from "./inbox/inbox.ts";
export type { InboxFolder } from "./inbox/folders.ts";
export type { CommandPolicies, CommandPolicy, ReviewPolicies, ReviewPolicy } from "./hooks/policy.ts";
export { isInContainer } from "./platform/platform.ts";
export { hasOneSpelling } from "./platform/spelling.ts";
export { createNodePlatform } from "./platform/node.ts";
export type * from "./platform/platform.ts";
export { type Clock, withTimeout } from "./support/time.ts";
export { type Disposable, DisposableStore, onAbort, toDisposable } from "./support/disposable.ts";
export { Emitter, type Event } from "./support/emitter.ts";
export { errorCodeOf, messageOf, PatchbayError, type PatchbayErrorCode } from "./support/errors.ts";
export { whileInUse } from "./platform/node-in-use.ts";
export { inBackground, type InBackground } from "./support/background.ts";
export { LoadOnce } from "./support/load-once.ts";
export { formatLogLine, type LogFields, type Logger, nullLogger } from "./support/logger.ts";
export { visibleText } from "./support/text.ts";
