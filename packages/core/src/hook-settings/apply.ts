import type { Platform } from "../platform/platform.ts";
import { joinPath, splitPath } from "../storage/private-directory.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { copyOf, type SettingsPlan } from "./plan.ts";

/** Of a new file: settings may name secrets. */
const newFileMode = 0o600;
const newDirectoryMode = 0o755;

/**
 * Does what was planned: whole or not at all, in the file that a link leads to, with a copy of what was there before.
 *
 * @throws PatchbayError `storage-failed` where the file is another one by now, or cannot be written.
 */
export async function applyPlan(platform: Platform, plan: Extract<SettingsPlan, { kind: "change" }>): Promise<void> {
  const { files } = platform;
  const { file, real, before, after, doing } = plan;
  if ((await files.readText(real, Number.MAX_SAFE_INTEGER)) !== before) {
    throw new PatchbayError("storage-failed", `${file} has just been changed by somebody else. Try again.`);
  }
  const copy = copyOf(real);
  try {
    const mode = (await files.lstat(real))?.mode ?? newFileMode;
    const isFirst = (await files.lstat(copy)) === undefined;
    if (before === undefined) await files.makeDirectory(splitPath(platform, real).parent, newDirectoryMode);
    else if (doing === "install" && isFirst) await files.createExclusive(copy, before, mode);
    if (after === undefined) await files.remove(real);
    else await replace(platform, real, after, mode);
    if (doing === "remove") await files.remove(copy);
  } catch (error) {
    throw new PatchbayError("storage-failed", `${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Whole or not at all. */
async function replace(platform: Platform, path: string, text: string, mode: number): Promise<void> {
  const { files, process, random } = platform;
  const temporary = joinPath(
    platform,
    splitPath(platform, path).parent,
    `.patchbay-${process.pid}-${random.token(16)}.tmp`,
  );
  await files.createExclusive(temporary, text, mode);
  try {
    await files.rename(temporary, path);
  } catch (error) {
    files.removeSync(temporary);
    throw error;
  }
}
