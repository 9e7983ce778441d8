import { entriesOf, inboxOf, type InboxAgent, positionIn } from "@patchbay/core/inbox";
import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { type CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import { Event } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import { createElement, type ReactNode } from "@theia/core/shared/react";
import { PatchbayServer } from "../../common/protocol.ts";
import type { OpenProposal } from "../review/open-proposal.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { proposalScheme } from "../review/proposal-resources.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { patchbayCommands } from "./patchbay-commands.ts";

/** From one review to the next, in the order of the view, and out of one for now. */
@injectable()
export class ReviewNavigation implements CommandContribution, KeybindingContribution, TabBarToolbarContribution {
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;

  registerCommands(commands: CommandRegistry): void {
    const any = (): boolean => this.attachment.status.proposals.length > 0;
    commands.registerCommand(patchbayCommands.next, { isEnabled: any, execute: () => this.step(1) });
    commands.registerCommand(patchbayCommands.previous, { isEnabled: any, execute: () => this.step(-1) });
    commands.registerCommand(patchbayCommands.hold, {
      isEnabled: (argument: unknown) => this.shownBy(argument)?.phase === "open",
      execute: (argument: unknown) => this.hold(argument),
    });
  }

  registerKeybindings(keybindings: KeybindingRegistry): void {
    const when = `resourceScheme == ${proposalScheme} && editorFocus`;
    keybindings.registerKeybindings(
      { command: patchbayCommands.next.id, keybinding: "ctrlcmd+alt+pagedown", when },
      { command: patchbayCommands.previous.id, keybinding: "ctrlcmd+alt+pageup", when },
      { command: patchbayCommands.hold.id, keybinding: "ctrlcmd+alt+h", when },
    );
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const isReview = (widget?: Widget): boolean => this.shownBy(widget) !== undefined;
    const { onDidChange } = this.proposals;
    toolbar.registerItem({
      id: "patchbay.theia.position",
      priority: -30,
      isVisible: (widget) => isReview(widget) && this.attachment.status.proposals.length > 1,
      onDidChange: Event.any(
        onDidChange,
        Event.map(this.attachment.onDidChangeStatus, () => undefined),
      ),
      render: (widget) => this.renderPosition(widget),
    });
    toolbar.registerItem({
      id: patchbayCommands.hold.id,
      command: patchbayCommands.hold.id,
      group: "0_reject",
      isVisible: (widget) => this.shownBy(widget)?.phase === "open",
      onDidChange,
    });
  }

  protected get inbox(): readonly InboxAgent[] {
    const { proposals, sessions, activities } = this.attachment.status;
    return inboxOf(proposals, sessions, activities);
  }

  protected shownBy(argument: unknown): OpenProposal | undefined {
    return argument instanceof Widget ? this.proposals.proposalOf(argument) : this.proposals.foreground;
  }

  /** Also to what is held, and to what does not open by itself. */
  protected async step(direction: 1 | -1): Promise<void> {
    const { inbox } = this;
    const current = this.proposals.foreground?.request.id;
    const at = current === undefined ? undefined : positionIn(inbox, current);
    const first = entriesOf(inbox).at(direction === 1 ? 0 : -1)?.id;
    const next = at === undefined ? first : direction === 1 ? at.next : at.previous;
    if (next !== undefined) await this.server.reveal(next);
  }

  protected async hold(argument: unknown): Promise<void> {
    const proposal = this.shownBy(argument);
    if (proposal?.phase === "open") await this.server.hold(proposal.request.id);
  }

  protected renderPosition(widget?: Widget): ReactNode {
    const proposal = this.shownBy(widget);
    const at = proposal === undefined ? undefined : positionIn(this.inbox, proposal.request.id);
    if (at === undefined) return undefined;
    const words = nls.localize("patchbay/toolbar/position", "{0} of {1}", at.number, at.count);
    const title = nls.localize("patchbay/toolbar/showAll", "Show All Reviews");
    const onClick = (): void => void this.commands.executeCommand(patchbayCommands.showConnections.id);
    return createElement(
      "div",
      { key: "patchbay.theia.position", className: "item enabled" },
      createElement("div", { className: "action-label no-icon", title, role: "button", tabIndex: 0, onClick }, words),
    );
  }
}
