// How a changeset reads in a CHANGELOG: as it was written. Commits tell a user nothing, and all packages share one version, so who
// depends on whom tells nothing either.

/**
 * @param {{ readonly summary: string }} changeset
 * @returns {Promise<string>}
 */
export async function getReleaseLine({ summary }) {
  return `\n${summary.trim()}`;
}

/** @returns {Promise<string>} */
export async function getDependencyReleaseLine() {
  return "";
}

export default { getReleaseLine, getDependencyReleaseLine };
