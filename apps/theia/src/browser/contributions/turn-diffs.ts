import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { Saveable } from "@theia/core/lib/browser/saveable";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import type { URI } from "@theia/core/lib/common/uri";
import type { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import type { ListedTurn, PatchbayServer } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import type { PanelChanges } from "../panel/panel-places.ts";

type File = ListedTurn["files"][number];

/** A file of a turn in an editor. */
interface ShownFile {
  readonly turn: string;
  readonly path: string;
  readonly kind: File["kind"];
  /** The left side, where there are two. */
  readonly left: URI | undefined;
  /** Says when another part of the file is undecided. */
  state: string;
}

/** A file of a turn that is to be decided. */
export interface FilePlace {
  readonly turn: ListedTurn;
  readonly path: string;
}

/** Where a file stands among those of its turn that nobody has reviewed. */
export interface FilePosition {
  /** From 1; undefined: it has been decided. */
  readonly number: number | undefined;
  readonly count: number;
}

/** The files of turns, each beside what it was before, one after the other. */
export class TurnDiffs {
  readonly #server: RpcProxy<PatchbayServer>;
  readonly #texts: PanelChanges;
  readonly #editors: EditorManager;
  /** By the URI of the editor. */
  readonly #shown: Map<string, ShownFile> = new Map();
  /** Something in this editor was decided here: with its last change the next file comes. */
  #deciding: string | undefined;

  constructor(server: RpcProxy<PatchbayServer>, texts: PanelChanges, editors: EditorManager) {
    this.#server = server;
    this.#texts = texts;
    this.#editors = editors;
  }

  /** Shows a file of a turn, in the editor in which it is shown already if there is one. */
  async open(turn: ListedTurn, file: File): Promise<EditorWidget | undefined> {
    const { path, kind } = file;
    const known = this.#editors.all.find(({ editor }) => {
      const shown = this.#shown.get(editor.uri.toString());
      return shown?.turn === turn.id && shown.path === path;
    });
    const { uri, left } =
      known === undefined ? await this.#sidesOf(turn, file) : { uri: known.editor.uri, left: undefined };
    const key = uri.toString();
    if (known === undefined)
      this.#shown.set(key, { turn: turn.id, path, kind, left, state: stateOf([turn], turn.id, path) });
    const widget = await this.#editors.open(uri, { mode: "activate" });
    if (known === undefined) widget.disposed.connect(() => this.#shown.delete(key));
    return widget;
  }

  /** Whether an editor shows a file of a turn beside what it was. */
  isDiff(uri: URI): boolean {
    return this.#shown.get(uri.toString())?.left !== undefined;
  }

  /** Which of how many files of its turn an editor shows; undefined: none, or nothing of the turn is left to decide. */
  positionOf(uri: URI, listed: readonly ListedTurn[]): FilePosition | undefined {
    const shown = this.#shown.get(uri.toString());
    const turn = listed.find(({ id }) => id === shown?.turn);
    if (turn === undefined) return undefined;
    const at = turn.files.findIndex(({ path }) => path === shown?.path);
    return { number: at === -1 ? undefined : at + 1, count: turn.undecided };
  }

  /** A file in the editor in front, or in that of a button, which is kept or undone as a whole: it has no single changes. */
  wholeFile(argument: unknown, listed: readonly ListedTurn[]): FilePlace | undefined {
    const widget = argument instanceof EditorWidget ? argument : this.#editors.currentEditor;
    const shown = this.#shown.get(widget?.editor.uri.toString() ?? "");
    if (shown === undefined || shown.kind === "changed" || shown.kind === "created") return undefined;
    const turn = listed.find(({ id }) => id === shown.turn);
    const isListed = turn?.files.some(({ path }) => path === shown.path) === true;
    return turn === undefined || !isListed ? undefined : { turn, path: shown.path };
  }

  canStep(listed: readonly ListedTurn[]): boolean {
    return this.#neighbor(1, listed) !== undefined;
  }

  /** To the next file of the turn, or the one before it; the ends meet. Its editor takes the place of this one, unless something was typed there. */
  async step(direction: 1 | -1, listed: readonly ListedTurn[]): Promise<void> {
    const before = this.#editors.currentEditor;
    const next = this.#neighbor(direction, listed);
    if (next === undefined) return;
    const widget = await this.open(next.turn, next.file);
    if (before !== undefined && before !== widget && this.isDiff(before.editor.uri) && !Saveable.isDirty(before))
      before.close();
  }

  /** The user decides something in the editor in front. */
  decides(): void {
    const key = this.#editors.currentEditor?.editor.uri.toString() ?? "";
    this.#deciding = this.#shown.has(key) ? key : undefined;
  }

  /** The list has changed: left sides hold what was kept, and with the last change of a file that was decided here the next one comes. */
  async follow(listed: readonly ListedTurn[]): Promise<void> {
    for (const [key, shown] of this.#shown) {
      const state = stateOf(listed, shown.turn, shown.path);
      if (state === shown.state) continue;
      shown.state = state;
      if (shown.left !== undefined && shown.kind !== "deleted") {
        const text = await this.#textBefore(shown);
        if (text !== undefined) this.#texts.setText(shown.left.toString(), text);
      }
      if (this.#deciding !== key) continue;
      this.#deciding = undefined;
      if (state === "" && this.#editors.currentEditor?.editor.uri.toString() === key) await this.step(1, listed);
    }
  }

  #neighbor(
    direction: 1 | -1,
    listed: readonly ListedTurn[],
  ): { readonly turn: ListedTurn; readonly file: File } | undefined {
    const shown = this.#shown.get(this.#editors.currentEditor?.editor.uri.toString() ?? "");
    const turn = listed.find(({ id }) => id === shown?.turn);
    if (shown === undefined || turn === undefined) return undefined;
    const others = turn.files.filter(({ path }) => path !== shown.path);
    const file =
      direction === 1
        ? (others.find(({ path }) => path > shown.path) ?? others[0])
        : (others.findLast(({ path }) => path < shown.path) ?? others.at(-1));
    return file === undefined ? undefined : { turn, file };
  }

  /** What an editor shows of a file: both sides, or the file alone where nobody kept what it was. */
  async #sidesOf(
    turn: ListedTurn,
    { path, kind }: File,
  ): Promise<{ readonly uri: URI; readonly left: URI | undefined }> {
    const file = fileUriOf(path);
    const text = await this.#textBefore({ turn: turn.id, path, kind });
    if (text === undefined) return { uri: file, left: undefined };
    const left = this.#texts.addText(path, text, "before");
    const right = kind === "deleted" ? this.#texts.addText(path, "", "after") : file;
    const label = nls.localize(
      "patchbay/turns/since",
      "{0} (since the turn of {1})",
      file.path.base,
      turn.agents.join(", "),
    );
    return { uri: DiffUris.encode(left, right, visibleText(label)), left };
  }

  /** Of a file that the turn created it is what was kept of it. */
  async #textBefore({ turn, path, kind }: Pick<ShownFile, "turn" | "path" | "kind">): Promise<string | undefined> {
    if (kind !== "changed" && kind !== "created" && kind !== "deleted") return undefined;
    const text = await this.#server.textBeforeTurn(turn, path);
    return kind === "created" ? withoutMark(text ?? "") : text === undefined ? undefined : withoutMark(text);
  }
}

function stateOf(listed: readonly ListedTurn[], id: string, path: string): string {
  const file = listed.find((turn) => turn.id === id)?.files.find((one) => one.path === path);
  return file === undefined ? "" : `${file.review} ${file.lines?.added} ${file.lines?.removed}`;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/u, "");
}
