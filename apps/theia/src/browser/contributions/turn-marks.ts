import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { type EditorDecoration, OverviewRulerLane } from "@theia/editor/lib/browser/decorations/editor-decoration";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { type ListedTurn, PatchbayServer, type TurnMark } from "../../common/protocol.ts";
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

/** Bars beside the lines of open files that agents have changed and nobody has reviewed. */
@injectable()
export class TurnMarks {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(EditorManager)
  protected readonly editors: EditorManager;

  protected readonly marked: Map<EditorWidget, Marked> = new Map();
  protected changed: ReadonlySet<string> = new Set();

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

  /** Whether a change is marked in lines of an editor: from 1, the last one included. */
  isIn(widget: EditorWidget, first: number, last: number): boolean {
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
