/** A file of a patch that the user does not want so. */
export interface RejectedFile {
  readonly path: string;
  /** What they say of it. */
  readonly reason: string | undefined;
}

/**
 * What the model reads of a patch that was declined as a whole, since it was not wanted in all of its files. It stands in the agent's terminal as
 * if the user had typed it. Undefined: there is nothing to say but no.
 */
export function patchReason(
  folder: string,
  rejected: readonly RejectedFile[],
  accepted: readonly { readonly path: string }[],
): string | undefined {
  const nameOf = (path: string): string => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
  const listOf = (files: readonly { readonly path: string }[]): string =>
    files.map(({ path }) => nameOf(path)).join(", ");
  const said = rejected.filter(({ reason }) => reason !== undefined && reason !== "");
  const reasons = said.map(({ path, reason }) => `About ${nameOf(path)}: ${reason}`);
  if (accepted.length === 0) return said.length === 1 ? said[0]?.reason : reasons.join("\n") || undefined;
  return [
    "I want only some of the files of this patch, so nothing of it was written.",
    `Accepted: ${listOf(accepted)}. Make these changes again, exactly as they were, in a patch without the others.`,
    `Rejected: ${listOf(rejected)}. Leave these as they are.`,
    ...reasons,
  ].join("\n");
}
