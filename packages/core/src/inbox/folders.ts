import { compared, type InboxEntry, isIn, separatorOf, withSeparator } from "./inbox.ts";

/** A folder with what waits in it and below. */
export interface InboxFolder {
  /** Absolute. */
  readonly folder: string;
  /** What tells it from the folder above it: the way from there, from the workspace's only root, or from nowhere. */
  readonly name: string;
  readonly folders: readonly InboxFolder[];
  /** Of the files that are directly in it. */
  readonly entries: readonly InboxEntry[];
}

/**
 * The same entries by folder, what waits most urgently first, as in the inbox. A folder that holds nothing but another one is no level of its own, and
 * neither is the only root of a workspace: what is directly in that is `entries`.
 *
 * @param roots Of the workspace, absolute.
 */
export function byFolder(
  all: readonly InboxEntry[],
  roots: readonly string[],
): Pick<InboxFolder, "folders" | "entries"> {
  const entries = all.toSorted((one, other) => compared([one], [other]));
  const rootOf = ({ folder }: InboxEntry): string | undefined =>
    roots.filter((root) => isIn(folder, root)).toSorted((one, other) => other.length - one.length)[0];
  const [only] = roots;
  if (roots.length === 1 && only !== undefined && entries.every((entry) => rootOf(entry) === only))
    return partsOf(entries, only);
  const folders = grouped(entries, (entry) => rootOf(entry) ?? beginOf(entry.folder)).map(
    ([base, own]): InboxFolder => {
      if (roots.includes(base)) return { folder: base, name: baseName(base), ...partsOf(own, base) };
      const folder = sharedFolder(own);
      return { folder, name: folder, ...partsOf(own, folder) };
    },
  );
  return { folders, entries: [] };
}

/** What is directly in a folder, and what is below it. */
function partsOf(all: readonly InboxEntry[], base: string): Pick<InboxFolder, "folders" | "entries"> {
  const from = withSeparator(base).length;
  const firstStep = ({ folder }: InboxEntry): string => folder.slice(from).split(separatorOf(base), 1)[0] ?? "";
  const below = all.filter(({ folder }) => folder !== base);
  return {
    folders: grouped(below, firstStep).map(([, own]) => {
      const folder = sharedFolder(own);
      return { folder, name: folder.slice(from), ...partsOf(own, folder) };
    }),
    entries: all.filter(({ folder }) => folder === base),
  };
}

/** The deepest folder that has all of them; they begin alike. */
function sharedFolder(entries: readonly InboxEntry[]): string {
  const [first = "", ...others] = entries.map(({ folder }) => folder);
  const separator = separatorOf(first);
  let shared = first;
  while (!others.every((folder) => isIn(folder, shared))) {
    const end = shared.lastIndexOf(separator);
    shared = end <= beginOf(first).length ? beginOf(first) : shared.slice(0, end);
  }
  return shared;
}

/** The begin of an absolute path: a slash, or a drive. */
function beginOf(path: string): string {
  const separator = separatorOf(path);
  return path.slice(0, path.indexOf(separator) + 1);
}

function baseName(folder: string): string {
  const name = folder.slice(folder.lastIndexOf(separatorOf(folder)) + 1);
  return name === "" ? folder : name;
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return Array.from(groups);
}

/** All folders with those below them, in the order in which a list shows them. */
export function foldersIn({ folders }: Pick<InboxFolder, "folders">): readonly InboxFolder[] {
  return folders.flatMap((folder) => [folder, ...foldersIn(folder)]);
}

/** The entries of a folder and of those below it. */
export function entriesBelow({ folders, entries }: Pick<InboxFolder, "folders" | "entries">): readonly InboxEntry[] {
  return [...folders.flatMap(entriesBelow), ...entries];
}
