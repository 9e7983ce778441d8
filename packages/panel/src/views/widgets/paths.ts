import { useSelected } from "../../store/use-panel.ts";

/** A path as it is shown: without the workspace's folder, or without the home's part of nothing. */
export function shownPath(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(one) && /[/\\]/u.test(path.charAt(one.length)));
  return folder === undefined ? path : path.slice(folder.length + 1);
}

/** Whether a path lies in the workspace; relative ones do. */
export function isInside(path: string, folders: readonly string[]): boolean {
  const isAbsolute = /^(?:[/\\]|[a-z]:[/\\])/iu.test(path);
  const climbs = path.split(/[/\\]/u).includes("..");
  return !climbs && (!isAbsolute || folders.includes(path) || shownPath(path, folders) !== path);
}

export function baseName(path: string): string {
  return path.split(/[/\\]/u).findLast((part) => part !== "") ?? path;
}

/** A folder of the workspace by its name; with the folder around it where another one has the same name. */
export function folderName(folder: string, folders: readonly string[]): string {
  const name = baseName(folder);
  const isAlone = folders.every((one) => one === folder || baseName(one) !== name);
  return isAlone ? name : folder.split(/[/\\]/u).filter(Boolean).slice(-2).join("/");
}

export function useFolders(): readonly string[] {
  return useSelected((state) => state.settings?.folders) ?? [];
}
