import { statusOf, summaryOf } from "../surfaces/status-words.ts";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import { StatusBar, StatusBarAlignment } from "@theia/core/lib/browser/status-bar/status-bar-types";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { WindowState } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import { Notices } from "../surfaces/notices.ts";
import { labelText } from "../surfaces/texts.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

const entryId = "patchbay-status";

/** Tells in the status bar which agents are connected and how many proposals wait. */
@injectable()
export class StatusBarContribution implements FrontendApplicationContribution {
  @inject(StatusBar)
  protected readonly statusBar: StatusBar;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(Notices)
  protected readonly notices: Notices;
  protected told: Set<string> = new Set();

  onStart(): void {
    this.attachment.onDidChangeStatus(({ state }) => {
      this.tell(state);
      void this.update();
    });
    void this.update();
  }

  /** Says once what is wrong and what to do about it. */
  protected tell(state: WindowState): void {
    const problems = state.kind === "failed" ? [state.message] : state.kind === "listening" ? state.warnings : [];
    for (const problem of problems) {
      if (this.told.has(problem)) continue;
      this.told.add(problem);
      this.notices.warn(problem);
    }
  }

  protected async update(): Promise<void> {
    const { icon, words } = statusOf(this.attachment.status);
    const summary = visibleText(summaryOf(this.attachment.status));
    await this.statusBar.setElement(entryId, {
      text: `$(${icon}) ${labelText(words)}`,
      tooltip: summary,
      alignment: StatusBarAlignment.RIGHT,
      priority: 50,
      command: patchbayCommands.showConnections.id,
      accessibilityInformation: { label: `Patchbay: ${summary}` },
    });
  }
}
