import { basename, dirname } from "node:path";
import type { PromptBlock } from "@patchbay/conversations/model";
import { scoreOf } from "@patchbay/panel/files";
import type { MentionItem } from "@patchbay/panel/messages";
import { commands, l10n, type SymbolInformation, type Uri, workspace } from "vscode";
import type { FolderFiles } from "./folder-files.ts";
import { problemsIn } from "./problems.ts";
import type { TerminalOutputs } from "./terminal-outputs.ts";

const mostItems = 40;
const mostSymbols = 12;

/** How long a language server may look for symbols before the list comes without them, ms. */
const symbolsMs = 400;

export interface MentionsOptions {
  readonly files: FolderFiles;
  readonly terminals: TerminalOutputs;
  /** Open files, the active one first. */
  readonly openFiles: () => readonly string[];
  readonly selection: () => PromptBlock | undefined;
  /** Whether agents may know of a file. */
  readonly mayName: (path: string) => boolean;
}

/** An item with how well it fits. */
interface Scored {
  readonly item: MentionItem;
  readonly score: number;
}

/** What a mention may stand for: files and folders, symbols, problems, the selection and what a terminal has printed. */
export class Mentions {
  readonly #options: MentionsOptions;

  constructor(options: MentionsOptions) {
    this.#options = options;
  }

  /** The best first; without a query what is at hand, then what is open, then anything. */
  async find(query: string, folder: string): Promise<readonly MentionItem[]> {
    const wanted = query.toLocaleLowerCase();
    const [paths, symbols] = await Promise.all([this.#paths(folder), this.#symbols(query)]);
    const scored = [...this.#atHand(wanted), ...paths.flatMap((one) => scorePath(one, wanted)), ...symbols];
    return scored
      .toSorted((one, other) => other.score - one.score)
      .slice(0, mostItems)
      .map(({ item }) => item);
  }

  /** What an item stands for that is read only when it is chosen. */
  async pick(itemId: string): Promise<readonly PromptBlock[]> {
    const block = itemId === problemsId ? this.#problems() : itemId === terminalId ? this.#terminal() : undefined;
    return block === undefined ? [] : [block];
  }

  /** What the newest command in a terminal has printed. */
  terminal(): PromptBlock | undefined {
    return this.#terminal();
  }

  #atHand(wanted: string): readonly Scored[] {
    const items: MentionItem[] = [];
    const block = this.#options.selection();
    if (block?.type === "excerpt") {
      const label = l10n.t("Selection");
      items.push({ id: "selection", kind: "selection", label, description: block.title, block });
    }
    if (this.#problems() !== undefined) items.push({ id: problemsId, kind: "problems", label: l10n.t("Problems") });
    const output = this.#options.terminals.newest;
    if (output !== undefined) {
      const label = l10n.t("Terminal Output");
      items.push({ id: terminalId, kind: "terminal", label, description: output.command });
    }
    return items.flatMap((item, index) => {
      // The label is in the user's language; the English word is what other panels understand.
      const score =
        wanted === "" ? 2_000 - index : (scoreOf(item.label.toLocaleLowerCase(), wanted) ?? scoreOf(item.kind, wanted));
      return score === undefined ? [] : [{ item, score }];
    });
  }

  /** Files, the open ones first, and the folders in which they are. */
  async #paths(folder: string): Promise<readonly Place[]> {
    const { files, openFiles, mayName } = this.#options;
    const open = openFiles().filter(mayName);
    const found = (await files.list(folder)).filter(mayName);
    const folders = new Set(found.map((path) => dirname(path)).filter((path) => path.length > folder.length));
    const all = [...new Set([...open, ...found])].map((path): Place => ({ path, kind: "file" }));
    const places = [...all, ...Array.from(folders, (path): Place => ({ path, kind: "folder" }))];
    return places.map((place, index) => ({ ...place, rank: Math.max(0, open.length - index) }));
  }

  async #symbols(query: string): Promise<readonly Scored[]> {
    if (query.length < 2) return [];
    const asked = commands.executeCommand<readonly SymbolInformation[] | undefined>(
      "vscode.executeWorkspaceSymbolProvider",
      query,
    );
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), symbolsMs));
    const found = (await Promise.race([Promise.resolve(asked).catch(() => undefined), late])) ?? [];
    const wanted = query.toLocaleLowerCase();
    return found
      .flatMap((symbol) => this.#symbol(symbol, wanted))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, mostSymbols);
  }

  #symbol({ name, location: { uri, range } }: SymbolInformation, wanted: string): readonly Scored[] {
    const path = pathOf(uri);
    const score = scoreOf(name.toLocaleLowerCase(), wanted);
    if (path === undefined || score === undefined || !this.#options.mayName(path)) return [];
    const lines = { start: range.start.line + 1, end: range.end.line + 1 };
    const description = `${workspace.asRelativePath(path, false)}:${lines.start}`;
    const block = { type: "mention", path, lines } as const;
    return [{ item: { id: `${name} ${description}`, kind: "symbol", label: name, description, block }, score }];
  }

  #problems(): PromptBlock | undefined {
    const text = problemsIn(this.#options.mayName);
    return text === undefined ? undefined : { type: "excerpt", title: l10n.t("Problems"), text };
  }

  #terminal(): PromptBlock | undefined {
    const output = this.#options.terminals.newest;
    if (output === undefined) return undefined;
    const { command, text } = output;
    return { type: "excerpt", title: l10n.t("Terminal: {0}", command), text: `$ ${command}\n${text}` };
  }
}

const problemsId = "problems";
const terminalId = "terminal";

interface Place {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly rank?: number;
}

function scorePath({ path, kind, rank = 0 }: Place, wanted: string): readonly Scored[] {
  const shown = workspace.asRelativePath(path, false);
  const score = wanted === "" ? rank : scoreOf(shown.toLocaleLowerCase(), wanted);
  if (score === undefined || (wanted === "" && kind === "folder")) return [];
  const block = { type: "mention", path } as const;
  // Of two that fit alike, the one that is open.
  const within = dirname(shown);
  const item = { id: path, kind, label: basename(path), ...(within === "." ? {} : { description: within }), block };
  return [{ item, score: score + rank / 1_000 }];
}

function pathOf(uri: Uri): string | undefined {
  return uri.scheme === "file" ? uri.fsPath : undefined;
}
