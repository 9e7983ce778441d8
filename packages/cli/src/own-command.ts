import { basename, resolve, sep } from "node:path";
import { quoteWord } from "./terminal/escape-text.ts";

/**
 * What to type in another terminal to start this program: the script of a clone or of a project is on nobody's PATH, and
 * what is there under its name may be somebody else's.
 */
export function ownCommand(script: string | undefined): string {
  if (script === undefined) return "patchbay";
  const path = resolve(script);
  if (basename(path) === "patchbay.js") return `node ${quoteWord(path)}`;
  if (basename(path) !== "patchbay") return "patchbay";
  if (path.includes(`${sep}_npx${sep}`)) return "npx @patchbay/cli";
  return path.includes(`${sep}node_modules${sep}.bin${sep}`) ? quoteWord(path) : "patchbay";
}

/** How this process was started. */
export const program: string = ownCommand(process.argv[1]);

/** Version of this edition; the bundler puts it in. */
export const version: string = process.env.PATCHBAY_VERSION ?? "0.0.0";
