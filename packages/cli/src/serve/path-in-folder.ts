import { isAbsolute, relative } from "node:path";
import { escapeLine } from "../terminal/escape-text.ts";

/** A path as people read it: below the folder relative to it, else whole. Safe to print. */
export function pathInFolder(path: string, folder: string): string {
  const way = relative(folder, path);
  return escapeLine(way === "" || way.startsWith("..") || isAbsolute(way) ? path : way);
}
