import { questionsText, statusOf, summaryOf } from "../surfaces/status-words.ts";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import { StatusBar, StatusBarAlignment } from "@theia/core/lib/browser/status-bar/status-bar-types";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { WindowState } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { panelCommands, patchbayCommands } from "./patchbay-commands.ts";
import { Notices } from "../surfaces/notices.ts";
import { labelText } from "../surfaces/texts.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

const entryId = "patchbay-status";
const questionsId = "patchbay-panel-status";

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

  /** The questions of conversations, which may wait where nobody looks. */
  protected async count(questions: number): Promise<void> {
    if (questions === 0) return await this.statusBar.removeElement(questionsId);
    const label = questionsText(questions);
    await this.statusBar.setElement(questionsId, {
      text: `$(comment-discussion) ${questions}`,
      tooltip: label,
      alignment: StatusBarAlignment.LEFT,
      priority: 0,
      command: panelCommands.showWaiting.id,
      accessibilityInformation: { label },
    });
  }

  protected async update(): Promise<void> {
    const { icon, words } = statusOf(this.attachment.status);
    const summary = visibleText(summaryOf(this.attachment.status));
    await this.count(this.attachment.status.questions ?? 0);
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
