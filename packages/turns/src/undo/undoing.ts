import type { TurnPart, UndoLedger, UndoRequest, UndoResult } from "../model.ts";

/** Keeps or takes back what turns changed. */
export class Undoing {
  readonly #ledger: UndoLedger;

  constructor(ledger: UndoLedger) {
    this.#ledger = ledger;
  }

  /** False where there is no such turn or file. */
  async keep(id: string, { path }: TurnPart): Promise<boolean> {
    const files = this.#ledger.turn(id)?.files.filter((file) => path === undefined || file.path === path) ?? [];
    for (const file of files) await this.#ledger.review(id, file.path, "kept");
    return files.length > 0;
  }

  async undo(id: string, { path }: UndoRequest): Promise<UndoResult> {
    const files = this.#ledger.turn(id)?.files.filter((file) => path === undefined || file.path === path) ?? [];
    return {
      files: files.map((file) => ({ path: file.path, outcome: "unknown", conflicts: 0 })),
      turn: undefined,
    };
  }
}
