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
    onDidChangeDiagnostics: (listener) => diagnosticManager.onDidRefresh(({ uri }) => listener(uri)),
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
