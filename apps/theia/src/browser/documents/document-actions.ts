import { EncodingRegistry } from "@theia/core/lib/browser/encoding-registry";
import { UntitledResourceResolver } from "@theia/core/lib/common/resource";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import type { OpenDocumentRequest } from "../../common/protocol.ts";
import { QuietOpening } from "./quiet-opening.ts";
import { fileUriOf } from "./selection-text.ts";

type TextModel = MonacoTextModelService["models"][number];

/** Opens, saves and reads files for agents. */
@injectable()
export class DocumentActions {
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(MonacoTextModelService)
  protected readonly models: MonacoTextModelService;
  @inject(EncodingRegistry)
  protected readonly encodings: EncodingRegistry;
  @inject(UntitledResourceResolver)
  protected readonly untitled: UntitledResourceResolver;
  @inject(QuietOpening)
  protected readonly quietly: QuietOpening;

  async open({ path, range, preview, focus }: OpenDocumentRequest): Promise<void> {
    const uri = fileUriOf(path);
    const options = { preview, ...(range === undefined ? {} : { selection: range }) };
    if (focus) await this.editors.open(uri, { ...options, mode: "activate" });
    else await this.quietly.run(() => this.editors.open(uri, { ...options, mode: "reveal" }));
  }

  /** The new document has the kind of the file it is like, and is unsaved from the start. */
  async openUntitled(text: string, likePath: string): Promise<void> {
    const { uri } = await this.untitled.createUntitledResource(text, fileUriOf(likePath).path.ext);
    await this.editors.open(uri, { mode: "activate" });
  }

  async save(path: string): Promise<boolean> {
    const model = this.find(path);
    if (model === undefined) return false;
    await model.save();
    return !model.dirty;
  }

  read(path: string, limitBytes: number): string | undefined {
    const model = this.find(path);
    if (model === undefined) return undefined;
    // A character takes one byte at least: a longer text cannot fit.
    if (model.textEditorModel.getValueLength() > limitBytes) return undefined;
    const text = model.getText();
    return new TextEncoder().encode(text).byteLength > limitBytes ? undefined : text;
  }

  unsavedText(path: string): string | undefined {
    const model = this.find(path);
    return model?.dirty === true ? model.getText() : undefined;
  }

  /** What the user chose for an open document wins over the settings. */
  encodingOf(path: string): string {
    return this.encodings.getEncodingForResource(fileUriOf(path), this.find(path)?.getEncoding());
  }

  /** The file holds what was unsaved by now, and more: a document that holds exactly that takes the file's text. */
  async reload(path: string, heldText: string): Promise<void> {
    const model = this.find(path);
    if (model?.dirty === true && isSameText(model.getText(), heldText)) await model.revert();
  }

  /** Replaces the text as one step of undo, and saves it unless there was unsaved text before. */
  async write(path: string, heldText: string, text: string): Promise<"written" | "stale"> {
    const model = this.find(path);
    if (model === undefined || !isSameText(model.getText(), heldText)) return "stale";
    const { dirty, textEditorModel } = model;
    textEditorModel.pushStackElement();
    textEditorModel.pushEditOperations([], [{ range: textEditorModel.getFullModelRange(), text }], () => null);
    textEditorModel.pushStackElement();
    if (!dirty) await model.save();
    return "written";
  }

  protected find(path: string): TextModel | undefined {
    const uri = fileUriOf(path).toString();
    return this.models.models.find((model) => model.uri === uri);
  }
}

/** Whether two texts differ in nothing but their line ends. */
function isSameText(left: string, right: string): boolean {
  return left === right || left.replaceAll(/\r\n?/g, "\n") === right.replaceAll(/\r\n?/g, "\n");
}
