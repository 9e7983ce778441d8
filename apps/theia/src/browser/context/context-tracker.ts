import { Saveable } from "@theia/core/lib/browser/saveable";
import { DisposableCollection } from "@theia/core/lib/common/disposable";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import type { Position, Range } from "@patchbay/core";
import type { WindowActiveFile, WindowContext, WindowFile } from "../../common/protocol.ts";
import { filePathOf, readSelectionText } from "../documents/selection-text.ts";
import { GatheredPictures } from "./gathered-pictures.ts";

/** An editor of a file on disk, with what it last said while it was visible: a hidden one cannot be asked. */
interface TrackedEditor {
  readonly widget: EditorWidget;
  readonly path: string;
  cursor: Position;
  selection: Range | undefined;
}

/** Watches the window's file editors and tells when their picture changed. The picture is taken only when it is due. */
@injectable()
export class ContextTracker {
  @inject(EditorManager)
  protected readonly editors: EditorManager;

  protected readonly tracked: Map<EditorWidget, TrackedEditor> = new Map();
  /** The editors that had the focus, the last one last. */
  protected readonly order: Set<TrackedEditor> = new Set();
  protected readonly onDidChangeEmitter: Emitter<WindowContext> = new Emitter();
  /** A new picture, different from the one before. */
  readonly onDidChange: Event<WindowContext> = this.onDidChangeEmitter.event;
  protected readonly pictures: GatheredPictures = new GatheredPictures({
    take: () => this.picture(),
    send: (context) => this.onDidChangeEmitter.fire(context),
  });
  protected started = false;

  /** Begins to watch; called once the layout of the window is complete, so that half a picture is never sent. */
  start(): void {
    if (this.started) return;
    this.started = true;
    for (const widget of this.editors.all) this.track(widget);
    this.editors.onCreated((widget) => this.track(widget));
    this.editors.onCurrentEditorChanged(() => this.noteCurrent());
    window.addEventListener("focus", () => this.pictures.noteUse());
    this.noteCurrent();
    this.pictures.start();
  }

  /** Whether an agent is there to be told; until then nothing is read and nothing is sent. */
  setWanted(wanted: boolean): void {
    this.pictures.wanted = wanted;
  }

  /** The next picture is sent even if it is the same: the backend may not have it. */
  refresh(): void {
    this.pictures.refresh();
  }

  /** The backend gets the present picture before whatever is asked of it next. */
  flush(): void {
    this.pictures.flush();
  }

  /** The file editor the user is in or was in last. */
  get activeEditor(): EditorWidget | undefined {
    return this.activeTracked()?.widget;
  }

  protected track(widget: EditorWidget): void {
    const { editor } = widget;
    const path = filePathOf(editor.getResourceUri());
    if (path === undefined || this.tracked.has(widget)) return;
    const tracked: TrackedEditor = { widget, path, cursor: { line: 0, character: 0 }, selection: undefined };
    this.tracked.set(widget, tracked);
    this.readWhileVisible(tracked);
    const listeners = new DisposableCollection(
      editor.onCursorPositionChanged((cursor) => {
        tracked.cursor = { line: cursor.line, character: cursor.character };
        this.pictures.note();
      }),
      editor.onSelectionChanged((selection) => {
        tracked.selection = selected(selection);
        this.pictures.note();
      }),
      editor.onFocusChanged((hasFocus) => {
        if (hasFocus) this.noteFocus(tracked);
      }),
      editor.document.onDirtyChanged(() => this.pictures.note()),
      widget.onDidChangeVisibility(() => this.readWhileVisible(tracked)),
    );
    widget.disposed.connect(() => {
      listeners.dispose();
      this.tracked.delete(widget);
      this.order.delete(tracked);
      this.pictures.note();
    });
    this.pictures.note();
  }

  /** A restored editor has a cursor before anyone moved it. */
  protected readWhileVisible(tracked: TrackedEditor): void {
    if (!tracked.widget.isVisible) return;
    const { cursor, selection } = tracked.widget.editor;
    tracked.cursor = { line: cursor.line, character: cursor.character };
    tracked.selection = selected(selection);
    this.pictures.note();
  }

  protected noteCurrent(): void {
    const current = this.editors.currentEditor;
    const tracked = current === undefined ? undefined : this.tracked.get(current);
    if (tracked !== undefined && this.activeTracked() !== tracked) this.noteFocus(tracked);
    this.pictures.note();
  }

  protected noteFocus(tracked: TrackedEditor): void {
    this.order.delete(tracked);
    this.order.add(tracked);
    this.pictures.noteFocus(tracked.path);
  }

  protected activeTracked(): TrackedEditor | undefined {
    return Array.from(this.order).at(-1);
  }

  protected picture(): Omit<WindowContext, "focused"> {
    const files = new Map<string, WindowFile>();
    for (const { widget, path } of this.tracked.values()) {
      const dirty = Saveable.isDirty(widget);
      // Several editors may show one file; they share its text.
      files.set(path, { path, dirty, languageId: widget.editor.document.languageId });
    }
    return {
      files: Array.from(files.values()),
      active: this.pictureOfActive(),
      windowFocused: document.hasFocus(),
    };
  }

  protected pictureOfActive(): WindowActiveFile | undefined {
    const active = this.activeTracked();
    if (active === undefined) return undefined;
    const { path, cursor, selection } = active;
    if (selection === undefined) return { path, cursor };
    const text = readSelectionText(active.widget.editor.document, selection);
    return { path, cursor, selection: { range: { start: selection.start, end: selection.end }, text } };
  }
}

function selected({ start, end }: Range): Range | undefined {
  return start.line === end.line && start.character === end.character ? undefined : { start, end };
}
