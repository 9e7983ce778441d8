import type { FolderLedgers, TurnInfo } from "@patchbay/turns";
import { type Disposable, EventEmitter, Uri, workspace } from "vscode";

/** Files as they were before a turn, or as it left them. */
const turnScheme = "patchbay-turn";

export type TurnSide = "before" | "after";

/** What is there to be read of a turn, as documents that nobody can change. They follow what is kept and undone. */
export class TurnDocuments implements Disposable {
  readonly #ledgers: FolderLedgers;
  readonly #changes: EventEmitter<Uri> = new EventEmitter();
  readonly #parts: readonly Disposable[];
  /** Those that were asked for. */
  readonly #shown: Map<string, Uri> = new Map();

  constructor(ledgers: FolderLedgers) {
    this.#ledgers = ledgers;
    this.#parts = [
      this.#changes,
      workspace.registerTextDocumentContentProvider(turnScheme, {
        onDidChange: this.#changes.event,
        provideTextDocumentContent: async (uri) => await this.#textOf(uri),
      }),
      ledgers.onDidChange(() => {
        for (const uri of this.#shown.values()) this.#changes.fire(uri);
      }),
      workspace.onDidCloseTextDocument(({ uri }) => void this.#shown.delete(uri.toString())),
    ];
  }

  uriOf({ id }: Pick<TurnInfo, "id">, path: string, side: TurnSide): Uri {
    return Uri.file(path).with({ scheme: turnScheme, query: new URLSearchParams({ turn: id, side }).toString() });
  }

  /** Which turn and file a document is of. */
  placeOf(uri: Uri): { readonly turn: string; readonly path: string; readonly side: TurnSide } | undefined {
    if (uri.scheme !== turnScheme) return undefined;
    const query = new URLSearchParams(uri.query);
    const turn = query.get("turn");
    if (turn === null) return undefined;
    return { turn, path: Uri.file(uri.path).fsPath, side: query.get("side") === "after" ? "after" : "before" };
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  async #textOf(uri: Uri): Promise<string> {
    const place = this.placeOf(uri);
    if (place === undefined) return "";
    this.#shown.set(uri.toString(), uri);
    const { turn, path, side } = place;
    const text =
      side === "before" ? await this.#ledgers.beforeText(turn, path) : await this.#ledgers.afterText(turn, path);
    return text?.replace(/^\uFEFF/u, "") ?? "";
  }
}
