import type { Platform } from "../platform/platform.ts";
import { adviceFor, causeOf, findPrivateDirectory, joinPath, splitPath } from "../storage/private-directory.ts";
import { PatchbayError } from "../support/errors.ts";
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
    if (before === undefined) await files.makeDirectory(splitPath(platform, real).parent, newDirectoryMode);
    else if (kept !== undefined && (await files.lstat(copy)) === undefined) {
      await files.createExclusive(copy, kept, mode);
      hasCopied = true;
    }
    // The agent writes its settings, too, and is not to lose what it wrote while the copy was made.
    if (after !== undefined) await replace(platform, real, { text: after, mode, checkUnchanged });
    else {
      await checkUnchanged();
      await files.remove(real);
    }
    if (doing === "remove") await files.remove(copy);
  } catch (error) {
    if (hasCopied) files.removeSync(copy);
    if (error instanceof PatchbayError) throw error;
    throw cannotBeWritten(file, error);
  }
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

/** What runs an edition, to fall back on where the user has no Node.js of their own. */
export interface EditionRuntime {
  /** The program of this process. */
  readonly program: string;
  readonly isElectron: boolean;
}

const directoryName = ".patchbay";
const fileName = "patchbay-hook.cjs";
const largestProgramBytes = 4 * 1024 * 1024;

/**
 * What cannot be started has no opinion: Gemini CLI answers no prompt any more where a hook ends with 127 (0.61.0). The program itself
 * ends with 0 in any case, and says no in what it prints.
 */
const otherwiseNothing = "|| exit 0";

/**
 * What agents run as their hook, where an edition brings the program: a copy in the user's home, since the edition's own folder goes
 * with its next version.
 *
 * @throws PatchbayError `storage-failed` where nothing is found that could run it.
 */
export async function hookCommand(platform: Platform, agent: string, runtime: EditionRuntime): Promise<string> {
  const { homeDirectory, platform: system } = platform.process;
  const isWindows = system === "win32";
  const quote = (word: string): string => (isWindows ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`);
  const found = await findNode(platform);
  const node = found ?? (isWindows && !runtime.isElectron ? runtime.program : undefined);
  const place = joinPath(platform, joinPath(platform, homeDirectory, directoryName), fileName);
  if (isWindows && node !== undefined) return `${quote(node)} ${quote(place)} ${agent}`;
  const rest = `${quote(place)} ${agent} ${otherwiseNothing}`;
  // A version that was updated away is no reason to stop reviewing: then whichever Node.js is on the agent's PATH runs it.
  if (node !== undefined) return `"$(command -v ${quote(node)} || echo node)" ${rest}`;
  if (!isWindows && !runtime.isElectron) return `${quote(runtime.program)} ${rest}`;
  if (!isWindows) return `ELECTRON_RUN_AS_NODE=1 ${quote(runtime.program)} ${rest}`;
  throw new PatchbayError(
    "storage-failed",
    "Node.js was not found on the PATH, and hooks need it. Install it, then try again.",
  );
}

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

/** The user's own, by the name under which it stays when it is updated. */
export async function findNode(platform: Platform): Promise<string | undefined> {
  const isWindows = platform.process.platform === "win32";
  const directories = (platform.process.environment("PATH") ?? "").split(isWindows ? ";" : ":");
  for (const directory of directories) {
    if (isWindows ? !/^[A-Za-z]:\\/u.test(directory) : !directory.startsWith("/")) continue;
    const path = joinPath(platform, directory, isWindows ? "node.exe" : "node");
    const real = await platform.files.realPath(path).catch(() => undefined);
    const facts = real === undefined ? undefined : await platform.files.lstat(real).catch(() => undefined);
    if (facts?.kind === "file" && (isWindows || (facts.mode & 0o111) !== 0)) return path;
  }
  return undefined;
}
