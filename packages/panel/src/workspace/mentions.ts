import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "@patchbay/core";
import type { PromptBlock } from "@patchbay/conversations";
import type { MentionItem } from "../messages/index.ts";

const mostItems = 40;
const mostSymbols = 12;

/** Most problems that go with a prompt. */
const mostProblems = 100;

/** How long a language server may look for symbols before the list comes without them, ms. */
const symbolsMs = 400;

/** A symbol of the workspace. Lines count from 1. */
export interface FoundSymbol {
  readonly name: string;
  readonly path: string;
  readonly lines: { readonly start: number; readonly end: number };
}

/** A problem of a file that may be named. */
export interface MentionedProblem {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly source?: string | undefined;
}

/** What a command in a terminal has printed. */
export interface TerminalOutput {
  readonly command: string;
  readonly text: string;
}

/** PORT: where mentions come from, and what they are called in the user's language. */
export interface MentionSources {
  readonly clock: Clock;
  readonly files: { list(folder: string): Promise<readonly string[]> };
  /** Open files, the active one first. */
  openFiles(): readonly string[];
  selection(): PromptBlock | undefined;
  /** Whether agents may know of a file. */
  mayName(path: string): boolean;
  /** A path as the user reads it: without the folder of the workspace. */
  shownPath(path: string): string;
  /** Errors and warnings of the workspace. */
  problems(): Promise<readonly MentionedProblem[]>;
  /** What the newest command in a terminal has printed. */
  terminal?(): TerminalOutput | undefined;
  symbols?(query: string): Promise<readonly FoundSymbol[]>;
  readonly words: {
    readonly selection: string;
    readonly problems: string;
    readonly terminalOutput: string;
    /** The title of what a command has printed. */
    terminal(command: string): string;
  };
}

/** An item with how well it fits. */
interface Scored {
  readonly item: MentionItem;
  readonly score: number;
}

/** What a mention may stand for: files and folders, symbols, problems, the selection and what a terminal has printed. */
export class Mentions {
  readonly #sources: MentionSources;

  constructor(sources: MentionSources) {
    this.#sources = sources;
  }

  /** The best first; without a query what is at hand, then what is open, then anything. */
  async find(query: string, folder: string): Promise<readonly MentionItem[]> {
    const wanted = query.toLocaleLowerCase();
    const [atHand, paths, symbols] = await Promise.all([
      this.#atHand(wanted),
      this.#paths(folder),
      this.#symbols(query),
    ]);
    const scored = [...atHand, ...paths.flatMap((one) => this.#scorePath(one, wanted)), ...symbols];
    return scored
      .toSorted((one, other) => other.score - one.score)
      .slice(0, mostItems)
      .map(({ item }) => item);
  }

  /** What an item stands for that is read only when it is chosen. */
  async pick(itemId: string): Promise<readonly PromptBlock[]> {
    const block = itemId === problemsId ? await this.#problems() : itemId === terminalId ? this.terminal() : undefined;
    return block === undefined ? [] : [block];
  }

  /** What the newest command in a terminal has printed. */
  terminal(): PromptBlock | undefined {
    const output = this.#sources.terminal?.();
    if (output === undefined) return undefined;
    const { command, text } = output;
    return { type: "excerpt", title: this.#sources.words.terminal(command), text: `$ ${command}\n${text}` };
  }

  async #atHand(wanted: string): Promise<readonly Scored[]> {
    const { words, selection, terminal } = this.#sources;
    const items: MentionItem[] = [];
    const block = selection();
    if (block?.type === "excerpt") {
      items.push({ id: "selection", kind: "selection", label: words.selection, description: block.title, block });
    }
    if ((await this.#problems()) !== undefined) items.push({ id: problemsId, kind: "problems", label: words.problems });
    const output = terminal?.();
    if (output !== undefined) {
      items.push({ id: terminalId, kind: "terminal", label: words.terminalOutput, description: output.command });
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
    const { files, openFiles, mayName } = this.#sources;
    const open = openFiles().filter(mayName);
    const found = (await files.list(folder)).filter(mayName);
    const folders = new Set(found.map((path) => dirname(path)).filter((path) => path.length > folder.length));
    const all = [...new Set([...open, ...found])].map((path): Place => ({ path, kind: "file" }));
    const places = [...all, ...Array.from(folders, (path): Place => ({ path, kind: "folder" }))];
    return places.map((place, index) => ({ ...place, rank: Math.max(0, open.length - index) }));
  }

  async #symbols(query: string): Promise<readonly Scored[]> {
    const { symbols, clock } = this.#sources;
    if (query.length < 2 || symbols === undefined) return [];
    const late = new Promise<readonly FoundSymbol[]>((resolve) => void clock.setTimeout(() => resolve([]), symbolsMs));
    const found = await Promise.race([symbols(query).catch(() => []), late]);
    const wanted = query.toLocaleLowerCase();
    return found
      .flatMap((symbol) => this.#symbol(symbol, wanted))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, mostSymbols);
  }

  #symbol({ name, path, lines }: FoundSymbol, wanted: string): readonly Scored[] {
    const { mayName, shownPath } = this.#sources;
    const score = scoreOf(name.toLocaleLowerCase(), wanted);
    if (score === undefined || !mayName(path)) return [];
    const description = `${shownPath(path)}:${lines.start}`;
    const block = { type: "mention", path, lines } as const;
    return [{ item: { id: `${name} ${description}`, kind: "symbol", label: name, description, block }, score }];
  }

  #scorePath({ path, kind, rank = 0 }: Place, wanted: string): readonly Scored[] {
    const shown = this.#sources.shownPath(path);
    const score = wanted === "" ? rank : scoreOf(shown.toLocaleLowerCase(), wanted);
    if (score === undefined || (wanted === "" && kind === "folder")) return [];
    const block = { type: "mention", path } as const;
    // Of two that fit alike, the one that is open.
    const within = dirname(shown);
    const item = { id: path, kind, label: basename(path), ...(within === "." ? {} : { description: within }), block };
    return [{ item, score: score + rank / 1_000 }];
  }

  async #problems(): Promise<PromptBlock | undefined> {
    const { problems, mayName, shownPath, words } = this.#sources;
    const named = (await problems()).filter(({ path }) => mayName(path));
    const text = problemText(named.map((one) => ({ ...one, path: shownPath(one.path) })));
    return text === undefined ? undefined : { type: "excerpt", title: words.problems, text };
  }
}

/** Problems with a prompt, one line each; undefined where there are none. */
export function problemText(problems: readonly MentionedProblem[]): string | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, mostProblems).map(({ path, line, severity, message, source }) => {
    const from = source === undefined ? "" : ` (${source})`;
    return `${path}:${line}: ${severity}: ${message.replaceAll(/\s+/gu, " ")}${from}`;
  });
  const more = problems.length - mostProblems;
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

const problemsId = "problems";
const terminalId = "terminal";

interface Place {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly rank?: number;
}

/** How well a path fits: letters in order, better together, best in the name. Undefined: not at all. */
export function scoreOf(path: string, wanted: string): number | undefined {
  const slashed = path.replaceAll("\\", "/");
  const nameAt = slashed.lastIndexOf("/") + 1;
  const inName = slashed.indexOf(wanted, nameAt);
  if (inName >= 0) return 1_000 - (inName - nameAt) - slashed.length / 1_000;
  const whole = slashed.indexOf(wanted);
  if (whole >= 0) return 500 - slashed.length / 1_000;
  let at = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const found = slashed.indexOf(letter, at);
    if (found < 0) return undefined;
    gaps += found - at;
    at = found + 1;
  }
  return -gaps - slashed.length / 1_000;
}

/** What was dropped on a page: links as words, and files that agents may know of as mentions. `pathOf`: of a file's URI. */
export function droppedBlocks(
  uris: readonly string[],
  mayName: (path: string) => boolean,
  pathOf: (uri: string) => string | undefined = pathOfUri,
): readonly PromptBlock[] {
  return uris.flatMap((text): readonly PromptBlock[] => {
    if (/^https?:/iu.test(text)) return [{ type: "text", text: `${text} ` }];
    const path = pathOf(text);
    return path !== undefined && mayName(path) ? [{ type: "mention", path }] : [];
  });
}

function pathOfUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
