import { ConfirmDialog, type ConfirmDialogProps, ConfirmSaveDialog } from "@theia/core/lib/browser/dialogs";
import type { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import { nls } from "@theia/core/lib/common/nls";
import { visibleText } from "../../common/visible-text.ts";

/** Theia asks "save?" when an edited document is closed; a widget closes as `close` says in place of that. */
export function closeBy(
  widget: Widget,
  shell: Pick<ApplicationShell, "onDidAddWidget">,
  close: () => Promise<void>,
): void {
  const replace = (): void => void Object.assign(widget, { close: () => void close(), closeWithSaving: close });
  if (widget.isAttached) return replace();
  // Theia puts its own question in when the shell takes the widget; ours comes after it.
  const added = shell.onDidAddWidget((candidate) => {
    if (candidate !== widget) return;
    added.dispose();
    replace();
  });
  widget.disposed.connect(() => added.dispose());
}

/** Asks once what becomes of an edited proposal whose tab the user closes. Opens to true: accept, false: reject, undefined: keep it open. */
export class ReviewCloseDialog extends ConfirmSaveDialog {
  /** Theia's dialog takes an Enter that no button got for "don't save"; here it changes nothing. */
  protected override result?: boolean = undefined;

  constructor(agentName: string, fileName: string) {
    super({
      title: nls.localize("patchbay/close/title", "You edited this proposal"),
      msg: visibleText(
        nls.localize(
          "patchbay/close/message",
          "You edited {0}'s proposal for {1}. If you reject it, your edits are lost.",
          agentName,
          fileName,
        ),
      ),
      cancel: nls.localize("patchbay/close/keep", "Keep Reviewing"),
      dontSave: nls.localize("patchbay/close/reject", "Reject"),
      save: nls.localize("patchbay/close/accept", "Accept"),
    });
    makeDefault(this.closeButton, this.acceptButton);
  }

  /** Accepting must be meant: the key that closes a dialog unread decides nothing. */
  protected override onActivateRequest(...message: Parameters<ConfirmSaveDialog["onActivateRequest"]>): void {
    super.onActivateRequest(...message);
    this.closeButton?.focus();
  }

  /** Enter on a button presses that button. */
  protected override handleEnter(event: KeyboardEvent): boolean | void {
    if (event.target instanceof HTMLButtonElement) return false;
    super.handleEnter(event);
  }

  /** Theia's button both accepts and closes: without a result the second of the two would fail. */
  protected override async accept(): Promise<void> {
    if (this.result === undefined) this.close();
    else await super.accept();
  }
}

/** A question whose default is to leave everything as it is. Opens to true where the user means it. */
export class CarefulDialog extends ConfirmDialog {
  constructor(props: ConfirmDialogProps) {
    super(props);
    makeDefault(this.closeButton, this.acceptButton);
  }

  /** An Enter that was on its way to the list of commands decides nothing. */
  protected override onActivateRequest(...message: Parameters<ConfirmDialog["onActivateRequest"]>): void {
    super.onActivateRequest(...message);
    this.closeButton?.focus();
  }

  protected override handleEnter(event: KeyboardEvent): boolean | void {
    if (event.target instanceof HTMLButtonElement) return false;
    this.close();
  }
}

/** Asks before a window goes whose last edits are kept nowhere. */
export class LeaveDialog extends CarefulDialog {
  constructor() {
    super({
      title: nls.localize("patchbay/leave/title", "Leave without your last edits?"),
      msg: nls.localize(
        "patchbay/leave/text",
        "The backend is not connected. Edits that you have made to a proposal since then are not saved.",
      ),
      ok: nls.localize("patchbay/leave/leave", "Leave"),
      cancel: nls.localize("patchbay/leave/stay", "Stay"),
    });
  }
}

function makeDefault(button: HTMLButtonElement | undefined, instead: HTMLButtonElement | undefined): void {
  button?.classList.replace("secondary", "main");
  instead?.classList.replace("main", "secondary");
}
