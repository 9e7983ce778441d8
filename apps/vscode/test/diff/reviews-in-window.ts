import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiffOpening, DiffRequest, DiffView } from "@patchbay/core";
import { createHostInWindow, type HostInWindow, settle, tabOf } from "../controls.ts";
import type { FakeDocument } from "../fake-vscode/document.ts";
import { TabInputTextDiff } from "../fake-vscode/values.ts";

/** Reviews in a window without a screen, and what they have told. */
export class ReviewsInWindow {
  readonly window: HostInWindow = createHostInWindow();
  readonly events: string[] = [];

  /** Opens the review of a proposal for `one.txt`, `p1` by default. */
  async open(more: Partial<DiffRequest> = {}): Promise<DiffView> {
    const opening: DiffOpening = await this.window.host.diffs.open(this.#request(more), {
      edited: () => this.events.push("edited"),
      accepted: (text) => this.events.push(`accepted ${JSON.stringify(text)}`),
      rejected: () => this.events.push("rejected"),
      closed: () => this.events.push("closed"),
    });
    if (opening.kind !== "opened") throw new Error("not opened");
    return opening.view;
  }

  /** The right side. */
  async document(id = "p1"): Promise<FakeDocument> {
    const input = tabOf(this.window.bench, id)?.input;
    if (!(input instanceof TabInputTextDiff)) throw new Error("no diff");
    return await this.window.bench.openDocument(input.modified);
  }

  /** Save participants are reported as edits too: core reads the text, and sees that it is none. */
  get verdicts(): readonly string[] {
    return this.events.filter((event) => event !== "edited");
  }

  async closeTab(): Promise<void> {
    const tab = tabOf(this.window.bench, "p1");
    if (tab !== undefined) await this.window.bench.closeTab(tab);
    await settle();
  }

  #request(more: Partial<DiffRequest>): DiffRequest {
    const path = join(this.window.folder, "one.txt");
    writeFileSync(path, "one\n");
    return {
      id: "p1",
      agentName: "Gemini CLI",
      path,
      kind: "change",
      proposedText: "ONE  \n",
      agentPresent: true,
      originalText: "one\n",
      unsaved: false,
      standing: "unchanged",
      ...more,
    };
  }
}
