import { basename } from "node:path";
import { workspace } from "vscode";
import { shortened } from "../surfaces/texts.ts";

/** The last part of a path, to be shown. */
export function fileNameOf(path: string): string {
  return shortened(basename(path));
}

/** A path as people know it: relative to its workspace folder where it is in one. */
export function shortPathOf(path: string): string {
  return workspace.asRelativePath(path);
}
