import { basename, delimiter, resolve, sep } from "node:path";
import { type ShellWords, shellWordsFor } from "./terminal/shell-words.ts";

/** Of the shell in which this process was started. */
export const shellWords: ShellWords = shellWordsFor(process.platform, process.env["SHELL"]);

/**
 * What to type in another terminal to start this program: the script of a clone or of a project is on nobody's PATH, and
 * what is there under its name may be somebody else's.
 */
export function ownCommand(script: string | undefined): string {
  if (script === undefined) return "patchbay";
  const path = resolve(script);
  if (process.platform === "win32" && isOnPath(path)) return "patchbay";
  if (basename(path) === "patchbay.js") return `node ${shellWords.quote(path)}`;
  if (basename(path) !== "patchbay") return "patchbay";
  if (path.includes(`${sep}_npx${sep}`)) return "npx @patchbay/cli";
  return path.includes(`${sep}node_modules${sep}.bin${sep}`) ? shellWords.quote(path) : "patchbay";
}

/** On Windows npm puts a script on the path that names this one, in the folder above the packages. */
function isOnPath(path: string): boolean {
  const [, above] = /^(.*)[\\/]node_modules[\\/]@patchbay[\\/]cli[\\/]/iu.exec(path) ?? [];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return above !== undefined && folders.some((folder) => resolve(folder).toLowerCase() === above.toLowerCase());
}

/** How this process was started. */
export const program: string = ownCommand(process.argv[1]);

/** Version of this edition; the bundler puts it in. */
export const version: string = process.env.PATCHBAY_VERSION ?? "0.0.0";
