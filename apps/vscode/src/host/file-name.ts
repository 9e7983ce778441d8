import { basename } from "node:path";
import { workspace } from "vscode";

/** The last part of a path. */
export function fileNameOf(path: string): string {
  return basename(path);
}

/** A path as people know it: relative to its workspace folder where it is in one. */
export function shortPathOf(path: string): string {
  return workspace.asRelativePath(path);
}
