import { filesOfGit } from "@patchbay/panel/files";
import { RelativePattern, Uri, workspace } from "vscode";
import { panelSettings } from "./panel-settings.ts";

/** Most files that are looked through. */
const mostFiles = 20_000;

/** How long a list of files is used, ms: a query is typed in less. */
const listMs = 10_000;

/** The files of a folder, without those that the user's settings and ignore files leave out. */
export class FolderFiles {
  readonly #now: () => number;
  #list: { readonly folder: string; readonly at: number; readonly paths: readonly string[] } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Absolute paths. */
  async list(folder: string): Promise<readonly string[]> {
    const now = this.#now();
    if (this.#list?.folder === folder && now - this.#list.at < listMs) return this.#list.paths;
    const [found, kept] = await Promise.all([
      workspace.findFiles(new RelativePattern(Uri.file(folder), "**/*"), excluded(), mostFiles),
      panelSettings.respectIgnoreFiles && workspace.isTrusted ? filesOfGit(folder) : undefined,
    ]);
    const all = found.map(({ fsPath }) => fsPath);
    const paths = kept === undefined ? all : all.filter((path) => kept.has(path));
    this.#list = { folder, at: now, paths };
    return paths;
  }
}

/** What `files.exclude` and `search.exclude` leave out, as one glob. */
function excluded(): string | undefined {
  const patterns = ["files", "search"].flatMap((section) => {
    const set: unknown = workspace.getConfiguration(section).get("exclude");
    if (typeof set !== "object" || set === null) return [];
    return Object.entries(set).flatMap(([pattern, isOn]) => (isOn === true ? [pattern] : []));
  });
  // Braces cannot stand within braces.
  const plain = Array.from(new Set(patterns)).filter((pattern) => !/[{},]/u.test(pattern));
  return plain.length === 0 ? undefined : `{${plain.join(",")}}`;
}
