// Everything that is not needed before the first proposal, command or look at a view: one chunk of the bundle, reached by
// `import()` only. One and not several, because what two chunks share becomes a third one that is loaded at start.
export { repairAtStart } from "./commands/hooks.ts";
export { registerCommands } from "./commands/register-commands.ts";
export { registerReviews } from "./diff/register-reviews.ts";
export { reloadDocument, writeDocument } from "./host/document-texts.ts";
export { decodeFile } from "./host/document-texts.ts";
export { showDocument, showUntitled } from "./host/document-texts.ts";
export { showMessage } from "./host/messages.ts";
export { VsCodeDiagnostics } from "./host/diagnostics.ts";
export { tellFailure } from "./surfaces/messages.ts";
export { AgentNotices } from "./views/agent-notices.ts";
export { ConnectionsTree } from "./views/trees.ts";
export { ReviewTree } from "./views/review-tree.ts";
export { writePosition, writeStatus } from "./views/write-status.ts";
