/** The right side of a review: writable, so that VS Code treats what the user types as an unsaved change. */
export const proposalScheme = "patchbay-proposal";

/** The left side: a read-only snapshot. Not `file:`, which would bring a "swap sides" button and break after a reload. */
export const originalScheme = "patchbay-original";
