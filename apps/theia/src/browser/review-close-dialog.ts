import { ConfirmSaveDialog } from "@theia/core/lib/browser/dialogs";
import { nls } from "@theia/core/lib/common/nls";

/** Asks once what becomes of an edited proposal whose tab the user closes. Opens to true: accept, false: reject, undefined: keep it open. */
export class ReviewCloseDialog extends ConfirmSaveDialog {
  /** Theia's dialog takes an Enter that no button got for "don't save"; here it changes nothing. */
  protected override result?: boolean = undefined;

  constructor(agentName: string, fileName: string) {
    super({
      title: nls.localize("patchbay/close/title", "Accept what you edited?"),
      msg: nls.localize(
        "patchbay/close/message",
        "You edited the proposal of {0} for {1}. Rejecting it loses your edits.",
        agentName,
        fileName,
      ),
      cancel: nls.localizeByDefault("Cancel"),
      dontSave: nls.localize("patchbay/close/reject", "Reject"),
      save: nls.localize("patchbay/close/accept", "Accept"),
    });
  }

  /** Enter on a button presses that button. */
  protected override handleEnter(event: KeyboardEvent): boolean | void {
    if (event.target instanceof HTMLButtonElement) return false;
    super.handleEnter(event);
  }
}
