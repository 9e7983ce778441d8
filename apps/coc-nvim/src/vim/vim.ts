import type { Disposable } from "@patchbay/core";

/** PORT to the editor's own side: Vim or Neovim, and the functions in autoload/patchbay. Tests put a simulated Vim here. */
export interface Vim {
  /** Calls a function in the editor and waits for its value. Rejects with what the editor said. */
  call(name: string, args?: readonly unknown[]): Promise<unknown>;
  /** Calls a function in the editor without waiting. */
  notify(name: string, args?: readonly unknown[]): void;
  /**
   * Listens to autocommands. The expressions are evaluated in the editor at that moment, so a listener needs no way back.
   * `pattern` says for which names, in Vim's own terms; without it for all.
   */
  on(
    events: readonly string[],
    expressions: readonly string[],
    listener: (...values: readonly unknown[]) => void,
    pattern?: string,
  ): Disposable;
}

/** PORT to what coc.nvim knows beyond the editor: its documents, folders, diagnostics and its own windows. */
export interface CocServices {
  /** Lines of a buffer that coc has attached to; undefined for others (large files). Never copied. */
  lines(buffer: number): readonly string[] | undefined;
  /** coc's workspace folders; empty until a file of one is opened. */
  folders(): readonly string[];
  onDidChangeFolders(listener: () => void): Disposable;
  /** The cursor moved, in any mode; line and byte column count from 1. coc is told of each move anyway: this costs no message. */
  onDidMoveCursor(listener: (buffer: number, line: number, column: number) => void): Disposable;
  /** Something was typed in Insert mode; told by coc, too. */
  onDidType(listener: (buffer: number, line: number, column: number) => void): Disposable;
  /** A buffer has become a terminal, whatever it was when it was entered. */
  onDidOpenTerminal(listener: (buffer: number) => void): Disposable;
  /** All diagnostics coc holds now, as coc lists them. */
  diagnostics(): Promise<readonly unknown[]>;
  /** The diagnostics of a file were published anew. */
  onDidChangeDiagnostics(listener: (uri: string) => void): Disposable;
  /** Shows a notice beside the text; it takes no focus. Lines that are too long are broken where it suits coc. */
  notice(kind: "info" | "warning" | "error", lines: readonly string[], buttons: readonly string[]): Notice;
  /** How wide the editor is, in cells. */
  columns(): number;
}

interface Notice {
  /** The index of the button that was clicked, -1 where it was closed or has none. */
  readonly clicked: Promise<number>;
  close(): void;
}
