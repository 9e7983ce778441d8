import { ConfirmDialog } from "@theia/core/lib/browser/dialogs";
import { nls } from "@theia/core/lib/common/nls";
import { visibleText } from "../../common/visible-text.ts";
import { CarefulDialog } from "./review-dialogs.ts";

// What these ask about is done by the backend, so their code may come from there when they are wanted.

export interface AllProposals {
  readonly verdict: "accept" | "reject";
  readonly proposals: readonly { readonly path: string; readonly agentName: string }[];
}

/** Asks before a text of the user's goes for good. */
export class DiscardDialog extends CarefulDialog {
  constructor(fileName: string) {
    super({
      title: nls.localize("patchbay/kept/discardTitle", "Discard your text?"),
      msg: visibleText(
        nls.localize("patchbay/kept/discardText", "Discard your text for {0}? This cannot be undone.", fileName),
      ),
      ok: nls.localize("patchbay/kept/discard", "Discard Text"),
      cancel: nls.localize("patchbay/kept/keep", "Keep Text"),
    });
  }
}

/** Asks before all proposals are decided at once, with a list of them. */
export class DecideAllDialog extends CarefulDialog {
  constructor({ verdict, proposals }: AllProposals) {
    const count = proposals.length;
    super({
      title: titleFor(verdict, count),
      msg: listOf(proposals.map(({ path, agentName }) => `${path} (${agentName})`)),
      ok:
        verdict === "accept"
          ? nls.localize("patchbay/all/accept", "Accept {0}", count)
          : nls.localize("patchbay/all/reject", "Reject {0}", count),
      cancel: nls.localizeByDefault("Cancel"),
    });
  }
}

function titleFor(verdict: AllProposals["verdict"], count: number): string {
  if (verdict === "accept") {
    return count === 1
      ? nls.localize("patchbay/all/acceptOne", "Accept one proposal?")
      : nls.localize("patchbay/all/acceptTitle", "Accept {0} proposals?", count);
  }
  return count === 1
    ? nls.localize("patchbay/all/rejectOne", "Reject one proposal?")
    : nls.localize("patchbay/all/rejectTitle", "Reject {0} proposals?", count);
}

/** Most names that are listed; the count says how many there are. */
const mostListed = 20;

function listOf(names: readonly string[]): HTMLElement {
  const list = document.createElement("ul");
  const more = names.length - mostListed;
  const shown = names.slice(0, mostListed).map(visibleText);
  for (const name of more > 0 ? [...shown, nls.localize("patchbay/all/more", "and {0} more", more)] : shown) {
    const item = document.createElement("li");
    item.textContent = name;
    list.append(item);
  }
  return list;
}

/** Asks before a conversation of the panel is deleted. */
export class DeleteConversationDialog extends ConfirmDialog {
  constructor(title: string) {
    super({
      title: nls.localize("patchbay/panel/deleteTitle", "Delete Conversation"),
      msg: visibleText(
        nls.localize(
          "patchbay/panel/delete",
          "Delete the conversation “{0}” from Patchbay? A session that the agent keeps itself stays.",
          title,
        ),
      ),
      ok: nls.localize("patchbay/panel/deleteYes", "Delete"),
    });
  }
}
