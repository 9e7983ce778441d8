import type { FileChange } from "@patchbay/conversations/model";
import { commands, type Disposable, type TextDocumentContentProvider, Uri, workspace } from "vscode";
import { fileNameOf, shownText } from "../surfaces/texts.ts";

const scheme = "patchbay-change";

/** Changes of a conversation as documents that nobody can type into. A text is kept as long as its document is open. */
export class ChangeDocuments implements TextDocumentContentProvider, Disposable {
  readonly #texts: Map<string, string> = new Map();
  readonly #parts: readonly Disposable[];
  #count = 0;

  constructor() {
    this.#parts = [
      workspace.registerTextDocumentContentProvider(scheme, this),
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.#texts.delete(uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.toString()) ?? "";
  }

  /** Shows one change as a diff. */
  async show(change: FileChange, title: string): Promise<void> {
    const name = title === "" ? fileNameOf(change.path) : `${fileNameOf(change.path)} (${title})`;
    await commands.executeCommand("vscode.diff", ...this.#sides(change), shownText(name));
  }

  /** Shows several changes in one editor. */
  async showAll(changes: readonly FileChange[], title: string): Promise<void> {
    const rows = changes.map((change) => [Uri.file(change.path), ...this.#sides(change)]);
    await commands.executeCommand("vscode.changes", shownText(title), rows);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
    this.#texts.clear();
  }

  #sides({ path, before, after }: FileChange): readonly [Uri, Uri] {
    this.#count += 1;
    const side = (query: string, text: string | undefined): Uri => {
      // The path stays as it is: the language of the document comes from its ending.
      const uri = Uri.file(path).with({ scheme, query: `${query}-${this.#count}` });
      this.#texts.set(uri.toString(), text ?? "");
      return uri;
    };
    return [side("before", before), side("after", after)];
  }
}
