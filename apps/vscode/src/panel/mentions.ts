import { basename } from "node:path";
import { isSecretPath } from "@patchbay/core";
import type { MentionItem } from "@patchbay/panel/messages";
import { RelativePattern, Uri, workspace } from "vscode";

/** Most files that are looked through; VS Code leaves out what the user excludes. */
const mostFiles = 20_000;

/** How long a list of files is used, ms: a query is typed in less. */
const listMs = 10_000;

const mostItems = 40;

/** The files of a folder that a mention may name. */
export class MentionedFiles {
  #list: { readonly folder: string; readonly at: number; readonly paths: readonly string[] } | undefined;

  /** The best matches first; without a query what is open, then anything. */
  async find(query: string, folder: string, open: readonly string[]): Promise<readonly MentionItem[]> {
    const wanted = query.toLocaleLowerCase();
    const paths = [...new Set([...open, ...(await this.#files(folder))])].filter((path) => !isSecretPath(path));
    const scored = paths.flatMap((path, index) => {
      const shown = workspace.asRelativePath(path, false);
      const score = wanted === "" ? open.length - index : scoreOf(shown.toLocaleLowerCase(), wanted);
      return score === undefined ? [] : [{ path, shown, score }];
    });
    return scored
      .toSorted((one, other) => other.score - one.score)
      .slice(0, mostItems)
      .map(({ path, shown }) => ({
        id: path,
        kind: "file" as const,
        label: basename(path),
        description: shown,
        block: { type: "mention" as const, path },
      }));
  }

  async #files(folder: string): Promise<readonly string[]> {
    const now = Date.now();
    if (this.#list?.folder === folder && now - this.#list.at < listMs) return this.#list.paths;
    const found = await workspace.findFiles(new RelativePattern(Uri.file(folder), "**/*"), undefined, mostFiles);
    const paths = found.map(({ fsPath }) => fsPath);
    this.#list = { folder, at: now, paths };
    return paths;
  }
}

/** How well a path fits: letters in order, better together, best in the name. Undefined: not at all. */
export function scoreOf(path: string, wanted: string): number | undefined {
  const nameAt = path.lastIndexOf("/") + 1;
  const inName = path.indexOf(wanted, nameAt);
  if (inName >= 0) return 1_000 - (inName - nameAt) - path.length / 1_000;
  const whole = path.indexOf(wanted);
  if (whole >= 0) return 500 - path.length / 1_000;
  let at = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const found = path.indexOf(letter, at);
    if (found < 0) return undefined;
    gaps += found - at;
    at = found + 1;
  }
  return -gaps - path.length / 1_000;
}
