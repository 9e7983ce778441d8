import { l10n } from "vscode";
import type { DiffRequest } from "@patchbay/core";
import type { Settings } from "../settings/settings.ts";
import { fileNameOf } from "../host/file-name.ts";
import { openDocumentOf } from "../host/open-document.ts";
import { warn } from "../surfaces/messages.ts";
import { readOriginalText } from "./original-text.ts";

export type Original =
  | { readonly kind: "text"; readonly text: string; readonly unsaved: boolean }
  /** The user does not want the review in the editor. */
  | { readonly kind: "declined" };

/**
 * What a proposal is compared with. Unsaved changes are the user's to decide about: the agent made its proposal from the
 * file on disk, so a plain comparison would look as if the agent deleted what was typed.
 */
export async function chooseOriginal(request: DiffRequest, settings: Settings): Promise<Original> {
  const document = openDocumentOf(request.path);
  if (document?.isDirty !== true) {
    return {
      kind: "text",
      text: request.kind === "create" ? "" : await readOriginalText(request.path),
      unsaved: false,
    };
  }
  switch (await askAboutUnsaved(request, settings)) {
    case "save":
      return (await document.save())
        ? { kind: "text", text: document.getText(), unsaved: false }
        : { kind: "text", text: document.getText(), unsaved: true };
    case "compare":
      return { kind: "text", text: document.getText(), unsaved: true };
    case "cancel":
      return { kind: "declined" };
  }
}

async function askAboutUnsaved(request: DiffRequest, settings: Settings): Promise<"save" | "compare" | "cancel"> {
  if (settings.autoSaveOriginal === "save") return "save";
  if (settings.autoSaveOriginal === "never") return "compare";
  const save = l10n.t("Save First");
  const compare = l10n.t("Compare Unsaved");
  const answer = await warn(
    l10n.t(
      "{0} proposes a change to {1}, which has unsaved changes that the agent does not know. Save them first, compare the proposal with the unsaved text, or cancel and decide in the terminal?",
      request.agentName,
      fileNameOf(request.path),
    ),
    save,
    compare,
    l10n.t("Cancel"),
  );
  if (answer === save) return "save";
  return answer === compare ? "compare" : "cancel";
}
