import { type Platform, turnsDirectory } from "@patchbay/core";

/** Where what agents changed is noted: found again by whoever starts in the same working directory. */
export function turnsStorage(platform: Platform, directory: string): string {
  return turnsDirectory(platform, [directory]);
}

/** Loads the ledger if an earlier run left something to be reviewed. */
export async function wakeTurns(
  platform: Platform,
  directory: string,
  turns: { get(): Promise<unknown> },
): Promise<void> {
  const found = await platform.files.lstat(turnsStorage(platform, directory));
  if (found !== undefined) await turns.get();
}
