import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { FileService } from "@theia/filesystem/lib/browser/file-service";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { preferenceNames, type UnsavedOriginal } from "../common/preferences.ts";
import { Notices } from "./surfaces/notices.ts";
import { fileUriOf } from "./file-paths.ts";

export type Original =
  | { readonly kind: "file"; readonly text: string }
  | { readonly kind: "unsaved"; readonly text: string }
  /** The user does not want to review now. */
  | { readonly kind: "declined" };

/** Finds out what a proposal is compared with: the file, or what the user typed into it and has not saved. */
@injectable()
export class OriginalReader {
  @inject(FileService)
  protected readonly files: FileService;
  @inject(MonacoTextModelService)
  protected readonly models: MonacoTextModelService;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;

  async read(path: string, agentName: string): Promise<Original> {
    const uri = fileUriOf(path);
    const model = this.models.models.find((candidate) => candidate.uri === uri.toString());
    if (model?.dirty !== true) return { kind: "file", text: await this.readFile(path) };
    const choice = await this.choose(uri.path.base, agentName, uri.toString());
    if (choice === "decline") return { kind: "declined" };
    if (choice === "compare") return { kind: "unsaved", text: model.getText() };
    await model.save();
    return model.dirty ? { kind: "unsaved", text: model.getText() } : { kind: "file", text: await this.readFile(path) };
  }

  protected async choose(name: string, agentName: string, resource: string): Promise<"save" | "compare" | "decline"> {
    const wish = this.preferences.get<UnsavedOriginal>(preferenceNames.unsavedOriginal, "ask", resource);
    if (wish !== "ask") return wish;
    const save = nls.localize("patchbay/unsaved/save", "Save, Then Compare");
    const compare = nls.localize("patchbay/unsaved/compare", "Compare with Unsaved Text");
    const decline = nls.localize("patchbay/unsaved/decline", "Decide in Terminal");
    const notice = this.notices.warn(
      nls.localize(
        "patchbay/unsaved/question",
        "{0} proposes a change to {1}, which has unsaved text. The proposal was made for the file as it is on disk.",
        agentName,
        name,
      ),
      { actions: [save, compare, decline] },
    );
    const answer = await notice.answer;
    return answer === save ? "save" : answer === compare ? "compare" : "decline";
  }

  /** Text of the file, or nothing where there is no such file or it cannot be read as text. */
  protected async readFile(path: string): Promise<string> {
    const uri = fileUriOf(path);
    if (!(await this.files.exists(uri))) return "";
    return (await this.files.read(uri)).value;
  }
}
