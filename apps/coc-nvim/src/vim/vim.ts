import type { Disposable } from "@patchbay/core";

/** PORT to the editor's own side: Vim or Neovim, and the functions in autoload/patchbay. Tests put a simulated Vim here. */
export interface Vim {
  /** Calls a function in the editor and waits for its value. Rejects with what the editor said. */
  call(name: string, args?: readonly unknown[]): Promise<unknown>;
  /** Calls a function in the editor without waiting. */
  notify(name: string, args?: readonly unknown[]): void;
  /** Listens to autocommands. The expressions are evaluated in the editor at that moment, so a listener needs no way back. */
  on(
    events: readonly string[],
    expressions: readonly string[],
    listener: (...values: readonly unknown[]) => void,
  ): Disposable;
}

/** PORT to what coc.nvim knows beyond the editor: its documents, folders, diagnostics and its own windows. */
export interface CocServices {
  /** Lines of a buffer that coc has attached to; undefined for others (large files). Never copied. */
  lines(buffer: number): readonly string[] | undefined;
  /** coc's workspace folders; empty until a file of one is opened. */
  folders(): readonly string[];
  onDidChangeFolders(listener: () => void): Disposable;
  /** All diagnostics coc holds now, as coc lists them. */
  diagnostics(): Promise<readonly unknown[]>;
  /** A notice beside the text that takes no focus; resolves with the index of the button that was clicked, else -1. */
  notice(kind: "info" | "warning" | "error", title: string, text: string, buttons: readonly string[]): Promise<number>;
}
