import type { Platform } from "../platform/platform.ts";

/** Puts one name below a directory. Names are checked by `isPlainName` first; nothing is normalised, so nothing can climb. */
export function joinPath(platform: Platform, directory: string, name: string): string {
  const separator = platform.process.platform === "win32" ? "\\" : "/";
  return directory.endsWith(separator) || directory.endsWith("/") ? directory + name : directory + separator + name;
}

/** Whether a text is the name of one entry in a directory, on every system: no separator, no climbing, no NUL, no drive or stream. */
export function isPlainName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is being refused
  return name.length > 0 && name.length <= 255 && name !== "." && name !== ".." && !/[/\\:\u0000-\u001f]/.test(name);
}

/** The directory above an absolute path and its own name; a root is its own parent. */
export function splitPath(platform: Platform, path: string): { readonly parent: string; readonly name: string } {
  const isWindows = platform.process.platform === "win32";
  const separators = isWindows ? /[\\/]+$/ : /\/+$/;
  const trimmed = path.replace(separators, "");
  const at = isWindows ? Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/")) : trimmed.lastIndexOf("/");
  const name = trimmed.slice(at + 1);
  const above = trimmed.slice(0, at);
  // "/name" stands below "/", "C:\name" below "C:\".
  const parent = above === "" || /^[A-Za-z]:$/.test(above) ? trimmed.slice(0, at + 1) : above;
  return at < 0 || name === "" ? { parent: path, name } : { parent, name };
}
