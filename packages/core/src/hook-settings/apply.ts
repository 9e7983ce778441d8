import type { Platform } from "../platform/platform.ts";
import { adviceFor, causeOf, findPrivateDirectory, joinPath, splitPath } from "../storage/private-directory.ts";
import { PatchbayError } from "../support/errors.ts";
import { directoryName, fileName } from "./command.ts";
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
  const { file, real, before, after, copy: kept, doing } = plan;
  const checkUnchanged = async (): Promise<void> => {
    if ((await files.readText(real, Number.MAX_SAFE_INTEGER)) === before) return;
    throw new PatchbayError("storage-failed", `${file} has just been changed by somebody else. Try again.`);
  };
  await checkUnchanged();
  const copy = copyOf(real);
  let hasCopied = false;
  try {
    const mode = (await files.lstat(real))?.mode ?? newFileMode;
    if (before === undefined) await makeWay(platform, splitPath(platform, real).parent);
    else if (kept !== undefined && (await files.lstat(copy)) === undefined) {
      await files.createExclusive(copy, kept, mode);
      hasCopied = true;
    }
    // The agent writes its settings, too, and is not to lose what it wrote while the copy was made.
    if (after !== undefined) await replace(platform, real, { text: after, mode, checkUnchanged });
    else {
      await checkUnchanged();
      await files.remove(real);
      // A link to it would lead nowhere, and the next install would refuse that.
      if ((await files.lstat(file))?.kind === "link") await files.remove(file);
    }
    if (doing === "remove") await files.remove(copy);
  } catch (error) {
    if (hasCopied) files.removeSync(copy);
    if (error instanceof PatchbayError) throw error;
    throw cannotBeWritten(file, error);
  }
}

/** Makes what is missing of a directory, level by level: some agents keep hooks in one of their own. */
async function makeWay(platform: Platform, directory: string): Promise<void> {
  const { parent } = splitPath(platform, directory);
  if (parent !== directory && (await platform.files.lstat(parent)) === undefined) await makeWay(platform, parent);
  await platform.files.makeDirectory(directory, newDirectoryMode);
}

function cannotBeWritten(file: string, error: unknown): PatchbayError {
  const text = `${file} cannot be written (${causeOf(error)}). ${adviceFor(error)}`;
  return new PatchbayError("storage-failed", text, { cause: error });
}

interface Replacement {
  readonly text: string;
  readonly mode: number;
  /** Throws where the file is another one by now. */
  readonly checkUnchanged: () => Promise<void>;
}

/** Whole or not at all. */
async function replace(platform: Platform, path: string, { text, mode, checkUnchanged }: Replacement): Promise<void> {
  const { files, process, random } = platform;
  const temporary = joinPath(
    platform,
    splitPath(platform, path).parent,
    `.patchbay-${process.pid}-${random.token(16)}.tmp`,
  );
  await files.createExclusive(temporary, text, mode);
  try {
    await checkUnchanged();
    await files.rename(temporary, path);
  } catch (error) {
    files.removeSync(temporary);
    throw error;
  }
}

const largestProgramBytes = 4 * 1024 * 1024;

/** Puts the program there, or a newer one in its place. To be done before settings name it. */
export async function placeProgram(platform: Platform, program: string): Promise<void> {
  const { files, process, random } = platform;
  const found = await findPrivateDirectory(platform, {
    root: process.homeDirectory,
    levels: [directoryName],
    intent: "make",
    ownLinks: "follow",
  });
  if (found.kind === "refused") throw new PatchbayError("storage-failed", found.reason);
  const place = joinPath(platform, found.path, fileName);
  if ((await files.readText(place, largestProgramBytes)) === program) return;
  const temporary = `${place}.${random.token(16)}.tmp`;
  try {
    await files.createExclusive(temporary, program, 0o600);
    await files.rename(temporary, place);
  } catch (error) {
    files.removeSync(temporary);
    throw cannotBeWritten(place, error);
  }
}
