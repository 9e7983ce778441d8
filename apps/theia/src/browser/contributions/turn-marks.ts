import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { type EditorDecoration, OverviewRulerLane } from "@theia/editor/lib/browser/decorations/editor-decoration";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { type LinesPlace, type ListedTurn, PatchbayServer, type TurnMark } from "../../common/protocol.ts";
import { filePathOf } from "../documents/selection-text.ts";

/** After what was typed or written last, ms. */
const restMs = 250;

/** Texts that are longer have no marks, characters: each look at one sends it to the backend. */
const longestText = 2_000_000;

const rulerColors: Readonly<Record<TurnMark["kind"], string>> = {
  add: "editorOverviewRuler.addedForeground",
  change: "editorOverviewRuler.modifiedForeground",
  delete: "editorOverviewRuler.deletedForeground",
};

/** What is known of an editor. */
interface Marked {
  readonly path: string;
  marks: readonly TurnMark[];
  /** As the editor names them. */
  decorations: string[];
  due: ReturnType<typeof setTimeout> | undefined;
}

/** Lines of an editor: from 1, the last one included. */
interface Place extends Omit<LinesPlace, "text"> {
  readonly widget: EditorWidget;
  /** The line of a menu. */
  readonly isLine: boolean;
}

/** Bars beside the lines of open files that agents have changed and nobody has reviewed. */
@injectable()
export class TurnMarks {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(EditorManager)
  protected readonly editors: EditorManager;

  protected readonly marked: Map<EditorWidget, Marked> = new Map();
  protected changed: ReadonlySet<string> = new Set();
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();
  readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;

  @postConstruct()
  protected init(): void {
    for (const widget of this.editors.all) this.follow(widget);
    this.editors.onCreated((widget) => this.follow(widget));
  }

  /** The list has changed. */
  update(turns: readonly ListedTurn[]): void {
    this.changed = new Set(turns.flatMap(({ files }) => files.map(({ path }) => path)));
    for (const widget of this.marked.keys()) this.want(widget);
  }

  /** Whether a change can be decided: at the line of a menu on a line's number, else anywhere in the editor in front. */
  isOffered(argument: unknown): boolean {
    const place = this.placeOf(argument);
    if (place === undefined) return false;
    return place.isLine ? this.isIn(place) : this.next(place.widget, 0) !== undefined;
  }

  /**
   * The lines of which a change is decided: of a menu, else what is selected in the editor in front. Undefined: none is marked there; the
   * cursor goes to the next one, which is then seen before it is decided.
   */
  toDecide(argument: unknown): LinesPlace | undefined {
    const place = this.placeOf(argument);
    if (place === undefined) return undefined;
    const { widget, path, first, last, isSelected } = place;
    const { editor } = widget;
    if (this.isIn(place)) return { path, first, last, isSelected, text: editor.document.getText() };
    const next = this.next(widget, last);
    if (next === undefined) return undefined;
    const position = { line: next - 1, character: 0 };
    editor.cursor = position;
    editor.revealPosition(position, { vertical: "centerIfOutsideViewport" });
    return undefined;
  }

  /** The line of the next marked change of an editor, from 1: below a line, or the first one of all. */
  next(widget: EditorWidget, line: number): number | undefined {
    const lines = (this.marked.get(widget)?.marks ?? [])
      .map(({ first }) => first)
      .toSorted((one, other) => one - other);
    return lines.find((one) => one > line) ?? lines[0];
  }

  protected placeOf(argument: unknown): Place | undefined {
    const widget = argument instanceof EditorWidget ? argument : this.editors.currentEditor;
    const path = widget === undefined ? undefined : this.marked.get(widget)?.path;
    if (widget === undefined || path === undefined) return undefined;
    const line = lineOf(argument);
    if (line !== undefined) return { widget, path, isLine: true, first: line, last: line, isSelected: false };
    const { start, end } = widget.editor.selection;
    // Of whole lines the selection ends where the next one begins.
    const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
    const isSelected = start.line !== end.line || start.character !== end.character;
    return { widget, path, isLine: false, first: start.line + 1, last, isSelected };
  }

  protected isIn({ widget, first, last }: Place): boolean {
    return this.marked.get(widget)?.marks.some((mark) => mark.first <= last && first <= mark.last) === true;
  }

  protected follow(widget: EditorWidget): void {
    const { document } = widget.editor;
    // Of two texts side by side it is the right one.
    const path = filePathOf(new URI(document.uri));
    if (path === undefined || this.marked.has(widget)) return;
    const marked: Marked = { path, marks: [], decorations: [], due: undefined };
    this.marked.set(widget, marked);
    const following = widget.editor.onDocumentContentChanged(() => this.want(widget));
    // An editor behind another one has no text, and comes back without what was drawn in it.
    const appearing = widget.onDidChangeVisibility((isVisible) => {
      if (isVisible) this.show(widget, marked, marked.marks);
    });
    widget.disposed.connect(() => {
      following.dispose();
      appearing.dispose();
      clearTimeout(marked.due);
      this.marked.delete(widget);
    });
    this.want(widget);
  }

  protected want(widget: EditorWidget): void {
    const marked = this.marked.get(widget);
    if (marked === undefined) return;
    clearTimeout(marked.due);
    marked.due = undefined;
    if (this.changed.has(marked.path)) marked.due = setTimeout(() => void this.look(widget, marked), restMs);
    else if (marked.marks.length > 0) this.show(widget, marked, []);
  }

  protected async look(widget: EditorWidget, marked: Marked): Promise<void> {
    const { due } = marked;
    const text = widget.editor.document.getText();
    // Where the backend is away it is asked again when the list comes anew.
    const marks =
      text.length > longestText ? [] : await this.server.turnMarks(marked.path, text).catch(() => undefined);
    // Meanwhile somebody typed, or the list has changed: what comes of that is waited for.
    if (marks === undefined || marked.due !== due || widget.isDisposed) return;
    this.show(widget, marked, marks);
  }

  protected show({ editor }: EditorWidget, marked: Marked, marks: readonly TurnMark[]): void {
    marked.marks = marks;
    this.onDidChangeEmitter.fire();
    // Two texts side by side show for themselves what differs, and Theia's diff editor takes no decorations.
    if (DiffUris.isDiffUri(editor.uri)) return;
    marked.decorations = editor.deltaDecorations({
      oldDecorations: marked.decorations,
      newDecorations: marks.map(decorationOf),
    });
  }
}

function decorationOf({ kind, first, last }: TurnMark): EditorDecoration {
  return {
    range: { start: { line: first - 1, character: 0 }, end: { line: last - 1, character: 0 } },
    options: {
      isWholeLine: true,
      linesDecorationsClassName: `patchbay-turn-mark patchbay-turn-${kind}`,
      overviewRuler: { color: { id: rulerColors[kind] }, position: OverviewRulerLane.Left },
    },
  };
}

/** The line of a menu on a line's number, from 1; undefined: the argument is none of that. */
function lineOf(argument: unknown): number | undefined {
  if (typeof argument !== "object" || argument === null || !("lineNumber" in argument)) return undefined;
  return typeof argument.lineNumber === "number" ? argument.lineNumber : undefined;
}
