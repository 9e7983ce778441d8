/**
 * The patterns of a setting as it was found in a file of the user's: a list of globs, one glob, or an object as in VS
 * Code's `files.exclude`, whose keys are the globs. What is no text cannot be understood, and must be told and not be
 * passed over: it becomes a pattern of which `readExclusions` says so.
 */
export function excludePatternsOf(setting: unknown): readonly string[] {
  if (setting === undefined || setting === null) return [];
  if (typeof setting === "string") return [setting];
  if (Array.isArray(setting)) return setting.map((entry) => (typeof entry === "string" ? entry : unreadable(entry)));
  if (typeof setting !== "object") return [unreadable(setting)];
  return Object.entries(setting).flatMap(([pattern, isOn]) => (isOn === false ? [] : [pattern]));
}

function unreadable(value: unknown): string {
  return `${JSON.stringify(value)}\0`;
}
