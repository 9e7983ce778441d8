import type { DiffUpdate, TextEdit } from "@patchbay/core";
import { MonacoDiffEditor } from "@theia/monaco/lib/browser/monaco-diff-editor";
import { MonacoEditorModel } from "@theia/monaco/lib/browser/monaco-editor-model";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { editRanges } from "./edit-ranges.ts";

/** Puts both sides of a view as an update says: the left one from its resource, the right one by these edits, as one step of undo. */
export async function updateModels(
  widget: EditorWidget,
  update: DiffUpdate,
  edits: readonly TextEdit[],
): Promise<void> {
  const { editor } = widget;
  const model = editor.document;
  if (!(model instanceof MonacoEditorModel) || !(editor instanceof MonacoDiffEditor)) return;
  const text = model.textEditorModel;
  text.pushStackElement();
  text.pushEditOperations([], editRanges(update.expectedText.replaceAll(/\r\n?/g, "\n"), edits), () => null);
  text.pushStackElement();
  // Not the user's doing: a right side that nobody has touched closes without a question.
  if (update.text === update.proposedText) await model.revert({ soft: true });
  await editor.originalModel.sync();
}
