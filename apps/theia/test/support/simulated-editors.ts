import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { Saveable } from "@theia/core/lib/browser/saveable";
import type { SaveableService } from "@theia/core/lib/browser/saveable-service";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { Emitter, Event } from "@theia/core/lib/common/event";
import type { Resource } from "@theia/core/lib/common/resource";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import type { URI } from "@theia/core/lib/common/uri";
import type { Position } from "@theia/core/shared/vscode-languageserver-protocol";
import type { EditorDecoration } from "@theia/editor/lib/browser/decorations/editor-decoration";
import type { DeltaDecorationParams, Selection, TextEditor } from "@theia/editor/lib/browser/editor";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { MonacoEditorModel } from "@theia/monaco/lib/browser/monaco-editor-model";
import { MonacoToProtocolConverter } from "@theia/monaco/lib/browser/monaco-to-protocol-converter";
import { ProtocolToMonacoConverter } from "@theia/monaco/lib/browser/protocol-to-monaco-converter";

/** A real document; Theia's own type of it leaves open what an editor needs to know. */
export class SimulatedDocument extends MonacoEditorModel {
  override get autosaveable(): boolean {
    return super.autosaveable ?? true;
  }
}

/** An editor of a real document, without Monaco's drawing. */
export class SimulatedEditor implements TextEditor {
  readonly uri: URI;
  readonly document: SimulatedDocument;
  readonly node: HTMLElement = document.createElement("div");
  readonly isReadonly = false;
  selection: Selection = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, direction: "ltr" };
  readonly #release: () => void;
  #given = 0;
  #isVisible = true;
  #cursor: Position = { line: 0, character: 0 };
  readonly #cursorMove: Emitter<Position> = new Emitter();
  readonly #selection: Emitter<Selection> = new Emitter();
  readonly #focus: Emitter<boolean> = new Emitter();
  readonly onCursorPositionChanged: Event<Position> = this.#cursorMove.event;
  readonly onSelectionChanged: Event<Selection> = this.#selection.event;
  readonly onFocusChanged: Event<boolean> = this.#focus.event;
  readonly onDidChangeReadOnly: TextEditor["onDidChangeReadOnly"] = Event.None;
  readonly onDocumentContentChanged: TextEditor["onDocumentContentChanged"];
  /** Those that it shows, by the ids that it gave them. */
  readonly decorations: Map<string, EditorDecoration> = new Map();
  readonly onMouseDown: TextEditor["onMouseDown"] = Event.None;
  readonly onScrollChanged: TextEditor["onScrollChanged"] = Event.None;
  readonly onLanguageChanged: TextEditor["onLanguageChanged"] = Event.None;
  readonly onEncodingChanged: TextEditor["onEncodingChanged"] = Event.None;

  constructor(uri: URI, model: SimulatedDocument, release: () => void) {
    this.uri = uri;
    this.document = model;
    this.onDocumentContentChanged = (listener) =>
      model.onDidChangeContent(() => listener({ document: model, contentChanges: [] }));
    this.node.tabIndex = 0;
    this.#release = release;
  }

  /** One that is behind another one has none, and Theia's throws. */
  get cursor(): Position {
    if (!this.#isVisible) throw new TypeError("Cannot destructure property 'lineNumber'");
    return this.#cursor;
  }

  set cursor(cursor: Position) {
    this.#cursor = cursor;
  }

  /** The user moves the cursor, or selects up to it. */
  moveTo(cursor: Position, from: Position = cursor): void {
    this.cursor = cursor;
    this.selection = { start: from, end: cursor, direction: "ltr" };
    this.#cursorMove.fire(cursor);
    this.#selection.fire(this.selection);
  }

  /** The user replaces the whole text. */
  type(text: string): void {
    this.document.textEditorModel.setValue(text);
  }

  focus(): void {
    this.node.focus();
    this.#focus.fire(true);
  }

  isFocused(): boolean {
    return this.node.contains(document.activeElement);
  }

  getResourceUri(): URI {
    return DiffUris.isDiffUri(this.uri) ? (DiffUris.decode(this.uri)[1] ?? this.uri) : this.uri;
  }

  createMoveToUri(uri: URI): URI {
    return uri;
  }

  dispose(): void {
    this.#release();
  }

  getVisibleRanges(): [] {
    return [];
  }
  revealPosition(): void {}
  revealRange(): void {}
  refresh(): void {}
  resizeToFit(): void {}
  setSize(): void {}
  deltaDecorations({ oldDecorations, newDecorations }: DeltaDecorationParams): string[] {
    if (!this.#isVisible) return [];
    for (const id of oldDecorations) this.decorations.delete(id);
    const ids = newDecorations.map((_, index) => `decoration-${this.#given + index}`);
    this.#given += ids.length;
    for (const [index, one] of newDecorations.entries()) this.decorations.set(ids[index] ?? "", one);
    return ids;
  }
  getLinesDecorations(): [] {
    return [];
  }
  getVisibleColumn({ character }: Position): number {
    return character;
  }
  async replaceText(): Promise<boolean> {
    return false;
  }
  executeEdits(): boolean {
    return false;
  }
  storeViewState(): object {
    return {};
  }
  restoreViewState(): void {}
  detectLanguage(): void {}
  setLanguage(): void {}
  getEncoding(): string {
    return "utf8";
  }
  setEncoding(): void {}
  shouldDisplayDirtyDiff(): boolean {
    return false;
  }
  /** As in Theia, an editor that is not shown lets go of its text, and of what is drawn in it. */
  handleVisibilityChanged(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (!isVisible) this.decorations.clear();
  }
}

/** The area of editors: one is in front of the others, and one at most has the keys. */
export class SimulatedShell {
  readonly mainPanel: { readonly node: HTMLElement } = { node: document.createElement("div") };
  readonly widgets: Widget[] = [];
  readonly #saveables: SaveableService;
  readonly #onDidAdd: Emitter<Widget> = new Emitter();
  readonly onDidAddWidget: Event<Widget> = this.#onDidAdd.event;
  readonly #onDidChangeCurrent: Emitter<void> = new Emitter();
  readonly onDidChangeCurrent: Event<void> = this.#onDidChangeCurrent.event;
  #current: Widget | undefined;
  #active: Widget | undefined;

  constructor(saveables: SaveableService) {
    this.#saveables = saveables;
    document.body.append(this.mainPanel.node);
  }

  get activeWidget(): Widget | undefined {
    return this.#active;
  }

  getCurrentWidget(): Widget | undefined {
    return this.#current;
  }

  add(widget: Widget, isInFront: boolean): void {
    this.widgets.push(widget);
    const saveable = Saveable.get(widget);
    const throttle = saveable === undefined ? undefined : this.#saveables.registerSaveable(widget, saveable);
    widget.disposed.connect(() => {
      throttle?.dispose();
      this.widgets.splice(this.widgets.indexOf(widget), 1);
      if (this.#active === widget) this.#active = undefined;
      if (this.#current === widget) this.bring(this.widgets.at(-1));
    });
    if (!isInFront) widget.hide();
    Widget.attach(widget, this.mainPanel.node);
    if (isInFront) this.bring(widget);
    this.#onDidAdd.fire(widget);
  }

  async activateWidget(id: string): Promise<void> {
    const widget = this.widgets.find((one) => one.id === id);
    this.bring(widget);
    this.#active = widget;
    if (widget instanceof EditorWidget) widget.editor.focus();
  }

  /** The user goes to something that is no editor. */
  leave(): void {
    this.#active = undefined;
  }

  dispose(): void {
    for (const widget of Array.from(this.widgets)) widget.dispose();
    this.mainPanel.node.remove();
  }

  protected bring(widget: Widget | undefined): void {
    for (const one of this.widgets) if (one !== widget && !one.isHidden) one.hide();
    widget?.show();
    this.#current = widget;
    this.#onDidChangeCurrent.fire();
  }
}

interface SharedModel {
  readonly model: SimulatedDocument;
  references: number;
}

/** Opens editors in the simulated area; all of one document share it. */
export class SimulatedEditors {
  readonly #shell: SimulatedShell;
  readonly #resolve: (uri: URI) => Resource;
  readonly #selection: SelectionService = new SelectionService();
  readonly #models: Map<string, SharedModel> = new Map();
  readonly #onCreated: Emitter<EditorWidget> = new Emitter();
  readonly #onDidCreateModel: Emitter<SimulatedDocument> = new Emitter();
  readonly #onCurrentEditorChanged: Emitter<EditorWidget | undefined> = new Emitter();
  readonly onCreated: Event<EditorWidget> = this.#onCreated.event;
  readonly onCurrentEditorChanged: Event<EditorWidget | undefined> = this.#onCurrentEditorChanged.event;
  /** How the editors were asked for. */
  readonly asked: string[] = [];
  /** Rejects the next opening. */
  failure: Error | undefined;
  /** Holds openings back until it resolves. */
  gate: Promise<void> = Promise.resolve();
  #ids = 0;

  constructor(shell: SimulatedShell, resolve: (uri: URI) => Resource) {
    this.#shell = shell;
    this.#resolve = resolve;
    shell.onDidChangeCurrent(() => this.#onCurrentEditorChanged.fire(this.currentEditor));
  }

  /** As Theia's service of text models. */
  readonly textModels: {
    readonly models: readonly SimulatedDocument[];
    readonly onDidCreate: Event<SimulatedDocument>;
  } = this.#textModels();

  get all(): readonly EditorWidget[] {
    return this.#shell.widgets.filter((widget) => widget instanceof EditorWidget);
  }

  get currentEditor(): EditorWidget | undefined {
    const widget = this.#shell.getCurrentWidget();
    return widget instanceof EditorWidget ? widget : undefined;
  }

  open(uri: URI, { mode }: { readonly mode: string }): Promise<EditorWidget> {
    this.asked.push(mode);
    return this.#open(uri, mode);
  }

  openToSide(uri: URI, { mode }: { readonly mode: string }): Promise<EditorWidget> {
    this.asked.push(`beside, ${mode}`);
    return this.#open(uri, mode);
  }

  /** A second editor on what the first one shows. */
  async split(widget: EditorWidget): Promise<EditorWidget> {
    return await this.#create(widget.editor.uri, true);
  }

  async #open(uri: URI, mode: string): Promise<EditorWidget> {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
    const known = this.all.find(({ editor }) => editor.uri.isEqual(uri));
    const widget = known ?? (await this.#create(uri, mode !== "open"));
    if (mode === "activate") await this.#shell.activateWidget(widget.id);
    return widget;
  }

  async #create(uri: URI, isInFront: boolean): Promise<EditorWidget> {
    const shared = await this.#model(DiffUris.isDiffUri(uri) ? (DiffUris.decode(uri)[1] ?? uri) : uri);
    await this.gate;
    const editor = new SimulatedEditor(uri, shared.model, () => {
      shared.references -= 1;
      if (shared.references > 0) return;
      this.#models.delete(shared.model.uri);
      shared.model.dispose();
    });
    const widget = new EditorWidget(editor, this.#selection);
    widget.id = `editor-${(this.#ids += 1)}`;
    this.#onCreated.fire(widget);
    this.#shell.add(widget, isInFront);
    return widget;
  }

  async #model(uri: URI): Promise<SharedModel> {
    const known = this.#models.get(uri.toString());
    if (known !== undefined) {
      known.references += 1;
      return known;
    }
    const converters = [new MonacoToProtocolConverter(), new ProtocolToMonacoConverter()] as const;
    const model = new SimulatedDocument(this.#resolve(uri), ...converters);
    await model.resolve();
    const shared = { model, references: 1 };
    this.#models.set(uri.toString(), shared);
    this.#onDidCreateModel.fire(model);
    return shared;
  }

  #textModels(): SimulatedEditors["textModels"] {
    const models = this.#models;
    return {
      get models() {
        return Array.from(models.values(), ({ model }) => model);
      },
      onDidCreate: this.#onDidCreateModel.event,
    };
  }
}

/** The editor in a widget of ours. */
export function editorOf(widget: EditorWidget | undefined): SimulatedEditor {
  if (!(widget?.editor instanceof SimulatedEditor)) throw new Error("There is no such editor.");
  return widget.editor;
}
