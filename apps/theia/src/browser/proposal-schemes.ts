// They differ from those of our VS Code extension: where that runs as a plugin in the same Theia, its buttons and keys are
// for its own documents.

/** The right side: what the agent proposes, to be edited. */
export const proposalScheme = "patchbay-theia-proposal";

/** The left side: what the file held when the proposal was opened. */
export const originalScheme = "patchbay-theia-original";
