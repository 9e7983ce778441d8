import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import { StatusBar, StatusBarAlignment } from "@theia/core/lib/browser/status-bar/status-bar-types";
import { MessageService } from "@theia/core/lib/common/message-service";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { WindowState } from "../common/protocol.ts";
import { ConnectionsView } from "./connections-view.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import { WindowAttachment } from "./window-attachment.ts";

const entryId = "patchbay-status";

/** Tells in the status bar which agents are connected and how many proposals wait. */
@injectable()
export class StatusBarContribution implements FrontendApplicationContribution {
  @inject(StatusBar)
  protected readonly statusBar: StatusBar;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(ConnectionsView)
  protected readonly connections: ConnectionsView;

  @inject(MessageService)
  protected readonly messages: MessageService;
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
      void this.messages.warn(problem);
    }
  }

  protected async update(): Promise<void> {
    const text = this.text;
    await this.statusBar.setElement(entryId, {
      text,
      tooltip: this.connections.summary,
      alignment: StatusBarAlignment.RIGHT,
      priority: 50,
      command: patchbayCommands.showConnections.id,
      accessibilityInformation: { label: `Patchbay: ${this.connections.summary}` },
    });
  }

  protected get text(): string {
    const { state, sessions, proposals } = this.attachment.status;
    if (state.kind === "failed") return `$(warning) Patchbay`;
    const names = Array.from(new Set(sessions.filter((one) => one.state === "connected").map((one) => one.agentName)));
    const waiting = proposals.length;
    const who = names.length === 0 ? "Patchbay" : names.join(", ");
    if (waiting === 0) return `$(plug) ${who}`;
    return `$(git-pull-request) ${who}: ${nls.localize("patchbay/status/waiting", "{0} to review", waiting)}`;
  }
}
