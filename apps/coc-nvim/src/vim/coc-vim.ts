import type * as coc from "coc.nvim";
import { asList, asNumber, asShape } from "./shape.ts";
import type { CocServices, Vim } from "./vim.ts";

/** The module coc.nvim gives to extensions. It is handed on as a value: only the first file of an extension can ask for it. */
export type Coc = Pick<
  typeof coc,
  "commands" | "diagnosticManager" | "events" | "listManager" | "services" | "window" | "workspace"
>;

/** Reaches the editor through coc. */
export function createCocVim(api: Coc): Vim {
  const { nvim } = api.workspace;
  return {
    call: async (name, args = []) => {
      const value: unknown = await nvim.call(name, args.map(toVimValue));
      return value;
    },
    notify: (name, args = []) => nvim.call(name, args.map(toVimValue), true),
    on: (events, expressions, listener, pattern = "*") =>
      api.workspace.registerAutocmd({
        event: events.slice(),
        pattern,
        arglist: expressions.slice(),
        // coc adds a cancellation token as the last argument.
        callback: (...values: unknown[]) => listener(...values.slice(0, expressions.length)),
      }),
  };
}

type VimValue = Parameters<Coc["workspace"]["nvim"]["setVar"]>[1];

/** Plain data, as JSON would carry it; what is undefined is left out. */
function toVimValue(value: unknown): VimValue {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(toVimValue);
  if (typeof value !== "object" || value === null) return "";
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, toVimValue(entry)]));
}

/** What coc knows by itself. */
export function createCocServices(api: Coc): CocServices {
  const { workspace, window, diagnosticManager, events } = api;
  return {
    lines: (buffer) => {
      const document = workspace.getDocument(buffer);
      // Typed as always there, but undefined for buffers coc does not know.
      return document?.attached ? document.textDocument.lines : undefined;
    },
    folders: () => workspace.folderPaths,
    onDidChangeFolders: (listener) => workspace.onDidChangeWorkspaceFolders(() => listener()),
    onDidMoveCursor: (listener) =>
      events.on(["CursorMoved", "CursorMovedI"], (buffer: unknown, cursor: unknown) => {
        const [line, column] = asList(cursor).map(asNumber);
        listener(asNumber(buffer), line ?? 0, column ?? 0);
      }),
    onDidType: (listener) =>
      events.on(["TextChangedI", "TextChangedP"], (buffer: unknown, info: unknown) => {
        const shape = asShape(info);
        listener(asNumber(buffer), asNumber(shape["lnum"]), asNumber(shape["col"]));
      }),
    onDidOpenTerminal: (listener) => events.on("TermOpen", listener),
    diagnostics: async () => diagnosticManager.getDiagnosticList(),
    notice: (kind, lines, buttons) => ({
      clicked: new Promise((resolve, reject) => {
        window
          .showNotification({
            kind,
            title: "Patchbay",
            content: lines.join("\n"),
            buttons: buttons.map((label, index) => ({ index, text: label })),
            callback: resolve,
          })
          .then(() => {
            if (buttons.length === 0) resolve(-1);
          }, reject);
      }),
      close: () => workspace.nvim.call("patchbay#close_notice", [lines.slice()], true),
    }),
    columns: () => workspace.env.columns,
  };
}

/** Most bytes of text in one message; what a pipe holds at once reaches Vim in one piece. */
const partBytes = 40_000;

/** Lines that go on in the next part, or not. */
interface Part {
  readonly lines: readonly string[];
  /** The first line goes on where the last one of the part before ended. */
  readonly continued: boolean;
}

/** Lines as an argument for the scripts: as they are, or under a key in parts that were sent before. */
export type SentLines = { readonly lines: readonly string[] } | { readonly parts: string };

/** Gives the editor a text of any length (autoload/patchbay/parts.vim says why not in one message). */
export async function sendLines(vim: Pick<Vim, "call">, key: string, lines: readonly string[]): Promise<SentLines> {
  const parts = partsOf(lines);
  if (parts.length <= 1) return { lines };
  await vim.call("patchbay#parts#clear", [key]);
  for (const part of parts) await vim.call("patchbay#parts#add", [key, part.lines, part.continued ? 1 : 0]);
  return { parts: key };
}

/** Lines in parts of a bounded size; a line that is longer than a part is cut, never inside a character. */
export function partsOf(lines: readonly string[], limit: number = partBytes): readonly Part[] {
  const parts: Part[] = [];
  let current: string[] = [];
  let continued = false;
  let bytes = 0;
  const end = (nextContinues: boolean): void => {
    parts.push({ lines: current, continued });
    current = [];
    bytes = 0;
    continued = nextContinues;
  };
  for (const line of lines) {
    let rest = line;
    while (sizeOf(rest) > limit) {
      if (current.length > 0) end(false);
      const at = cutBefore(rest, Math.floor(limit / 3));
      current.push(rest.slice(0, at));
      end(true);
      rest = rest.slice(at);
    }
    const size = sizeOf(rest);
    // What goes on is the first line of its part.
    if (bytes > 0 && bytes + size > limit) end(false);
    current.push(rest);
    bytes += size;
  }
  if (current.length > 0) end(false);
  return parts;
}

/** In UTF-8, with the quotes and the comma of JSON. */
function sizeOf(line: string): number {
  return Buffer.byteLength(line, "utf8") + 3;
}

/** A place at or before `index` where no character is cut. */
function cutBefore(line: string, index: number): number {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
