import type { Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";
import { PatchbayError } from "../support/errors.ts";

/** What runs an edition, to fall back on where the user has no Node.js of their own. */
export interface EditionRuntime {
  /** The program of this process. */
  readonly program: string;
  readonly isElectron: boolean;
}

/** In the user's home. */
export const directoryName = ".patchbay";
export const fileName = "patchbay-hook.cjs";

/**
 * What agents run as their hook, where an edition brings the program: a copy in the user's home, since the edition's own folder goes
 * with its next version. It ends with 0 and says nothing where it cannot be started, whatever of it is missing: Gemini CLI answers no
 * prompt any more when a hook fails to start. Whatever the program itself says and ends with goes through.
 *
 * @throws PatchbayError `storage-failed` where nothing is found that could run it.
 */
export async function hookCommand(platform: Platform, agent: string, runtime: EditionRuntime): Promise<string> {
  const { homeDirectory, platform: system } = platform.process;
  const node = (await findNode(platform)) ?? (runtime.isElectron ? undefined : runtime.program);
  const place = joinPath(platform, joinPath(platform, homeDirectory, directoryName), fileName);
  if (system !== "win32") return inShell(node ?? runtime.program, place, agent, node === undefined);
  if (node !== undefined) return inPowerShell(node, place, agent);
  throw new PatchbayError(
    "storage-failed",
    "Node.js was not found on the PATH, and hooks need it. Install it, then try again.",
  );
}

/** What a plugin of ours loads into the process of its agent, in the form of a command: `missingProgram` reads it. */
export function pluginProgram(platform: Platform): string {
  const place = joinPath(platform, joinPath(platform, platform.process.homeDirectory, directoryName), fileName);
  return `'${place.replaceAll("'", "'\\''")}'`;
}

/** Shells end with 126 or 127 where a program cannot be started; so do the shims of version managers. */
const shellTail = "2>/dev/null || case $? in 126|127) ;; *) exit $?; esac";

/** For any shell of POSIX's kind. */
function inShell(program: string, place: string, agent: string, isElectron: boolean): string {
  const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  const script = quote(place);
  const line = `${isElectron ? "ELECTRON_RUN_AS_NODE=1 " : ""}${quote(program)} ${script} ${agent}`;
  return `[ ! -f ${script} ] || [ ! -r ${script} ] || ${line} ${shellTail}`;
}

const powerShellHead = "if (Test-Path -LiteralPath ";
const powerShellTail = "} catch { exit 0 }; exit $LASTEXITCODE }; exit 0";

/** For Windows' own and for later ones. */
function inPowerShell(program: string, place: string, agent: string): string {
  const quote = (word: string): string => `'${word.replaceAll("'", "''")}'`;
  const script = quote(place);
  return `${powerShellHead}${script} -PathType Leaf) { try { & ${quote(program)} ${script} ${agent} ${powerShellTail}`;
}

/** The end of whatever an install has entered, of whichever version and place of ours it was. */
const ownCommand =
  /patchbay(?:-hook\.cjs["']?|[^\n]* hook) [a-z]+(?<tail>$| 2>\/dev\/null \|\| case .*$| \} catch .*$)/u;

/** Whether a command is one that an install has entered. */
export function isOwnCommand(command: string): boolean {
  return ownCommand.test(command);
}

/** Whether a command of ours ends well also where it cannot be started. */
export function endsWell(command: string): boolean {
  return command.endsWith(shellTail) || command.endsWith(powerShellTail);
}

/** The first absolute path of a command of ours that cannot be run: its Node, or its script. */
export async function missingProgram({ files, process }: Platform, command: string): Promise<string | undefined> {
  const [line = ""] = command.split(/ 2>\/dev\/null| \} catch /u);
  for (const word of wordsOf(line)) {
    if (!/^(?:[/\\]|[A-Za-z]:[/\\])/u.test(word)) continue;
    const real = await files.realPath(word).catch(() => undefined);
    const facts = real === undefined ? undefined : await files.lstat(real).catch(() => undefined);
    if (facts?.kind !== "file") return word;
    const isScript = word.endsWith(".cjs");
    if (!isScript && process.platform !== "win32" && (facts.mode & 0o111) === 0) return word;
  }
  return undefined;
}

function wordsOf(command: string): readonly string[] {
  if (command.startsWith(powerShellHead)) {
    return [...command.matchAll(/'(?<word>(?:[^']|'')*)'/gu)].map(({ groups }) =>
      (groups?.["word"] ?? "").replaceAll("''", "'"),
    );
  }
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"])+/gu) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(')/gu, (_all, single?: string, double?: string, mark?: string) => {
      return single ?? double ?? mark ?? "";
    }),
  );
}

/** The user's own, by the name under which it stays when it is updated. */
async function findNode(platform: Platform): Promise<string | undefined> {
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
