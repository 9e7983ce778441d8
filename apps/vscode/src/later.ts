// Everything that is not needed before the first proposal, command or look at a view: one chunk of the bundle, reached by
// `import()` only. One and not several, because what two chunks share becomes a third one that is loaded at start.
export { registerCommands } from "./commands/register-commands.ts";
export { registerReviews } from "./diff/register-reviews.ts";
export { reloadDocument, writeDocument } from "./host/change-document.ts";
export { decodeFile } from "./host/file-text.ts";
export { showDocument, showUntitled } from "./host/show-document.ts";
export { showMessage } from "./host/show-message.ts";
export { VsCodeDiagnostics } from "./host/diagnostics.ts";
export { tellFailure } from "./tell-failure.ts";
export { ConnectionsTree } from "./views/connections-tree.ts";
export { ProposalsTree } from "./views/proposals-tree.ts";
export { writeStatus } from "./views/write-status.ts";
