import { entriesOf, inboxOf } from "@patchbay/core/inbox";
import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { type Command, type CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import { Event } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import type { ReactNode } from "@theia/core/shared/react";
import { PatchbayServer } from "../../common/protocol.ts";
import type { OpenProposal } from "../review/open-proposal.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { proposalScheme } from "../review/proposal-resources.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { Notices } from "../surfaces/notices.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import { renderPosition } from "./position-item.ts";

/** Where a review stands among those that one goes through. */
interface Position {
  readonly number: number;
  readonly count: number;
  /** Ids; its own where it is the only one. */
  readonly next: string;
  readonly previous: string;
}

/** From one review to the next, in the order of the view, through all of them or some, and out of one for now. */
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
  @inject(Notices)
  protected readonly notices: Notices;

  /** Those that are gone through since "Show All Changes"; with a verdict on one the next one comes. */
  protected walk: ReadonlySet<string> = new Set();
  /** What comes when a review has gone that was decided here. */
  protected following: { readonly after: string; readonly next: string } | undefined;

  @postConstruct()
  protected init(): void {
    this.proposals.onDidDecide(({ id, verdict }) => {
      const at = this.walk.has(id) && verdict.kind !== "closed" ? this.positionOf(id) : undefined;
      this.following = at === undefined || at.next === id ? undefined : { after: id, next: at.next };
    });
    this.attachment.onDidChangeStatus(({ proposals }) => {
      const { following } = this;
      if (following === undefined || proposals.some(({ id }) => id === following.after)) return;
      this.following = undefined;
      void this.server.reveal(following.next);
    });
  }

  registerCommands(commands: CommandRegistry): void {
    const any = (): boolean => this.attachment.status.proposals.length > 0;
    commands.registerCommand(patchbayCommands.next, { isEnabled: any, execute: () => this.step(1) });
    commands.registerCommand(patchbayCommands.previous, { isEnabled: any, execute: () => this.step(-1) });
    commands.registerCommand(patchbayCommands.showAll, {
      isEnabled: any,
      execute: (some: unknown) => this.showAll(some),
    });
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

  /** All ids, in the order of the view. */
  protected get ids(): readonly string[] {
    const { proposals, sessions, activities } = this.attachment.status;
    return entriesOf(inboxOf(proposals, sessions, activities)).map(({ id }) => id);
  }

  /** Among those that are gone through, if it is one of them; else among all. */
  protected positionOf(id: string): Position | undefined {
    const ids = this.ids.filter((one) => !this.walk.has(id) || this.walk.has(one));
    const at = ids.indexOf(id);
    if (at === -1) return undefined;
    const count = ids.length;
    return { number: at + 1, count, next: ids[(at + 1) % count] ?? id, previous: ids[(at - 1 + count) % count] ?? id };
  }

  protected shownBy(argument: unknown): OpenProposal | undefined {
    return argument instanceof Widget ? this.proposals.proposalOf(argument) : this.proposals.foreground;
  }

  /** Also to what is held, and to what does not open by itself. */
  protected async step(direction: 1 | -1): Promise<void> {
    const current = this.proposals.foreground?.request.id;
    const at = current === undefined ? undefined : this.positionOf(current);
    const next = at === undefined ? this.ids.at(direction === 1 ? 0 : -1) : direction === 1 ? at.next : at.previous;
    if (next !== undefined) await this.server.reveal(next);
  }

  /** One review after the other, from the first one; `some`: the ids of those that are meant, anything else means all that wait. */
  protected async showAll(some: unknown): Promise<void> {
    const isShown = new Set(
      this.attachment.status.proposals.flatMap(({ id, state, isHeld }) => (state === "asking" || isHeld ? [] : id)),
    );
    const ids = this.ids.filter((id) => isShown.has(id) && (!Array.isArray(some) || some.includes(id)));
    this.walk = new Set(ids);
    const [first] = ids;
    if (first !== undefined) await this.server.reveal(first);
    else this.notices.info(nls.localize("patchbay/review/none", "No proposals are open."), { timeout: 4000 });
  }

  protected async hold(argument: unknown): Promise<void> {
    const proposal = this.shownBy(argument);
    if (proposal?.phase === "open") await this.server.hold(proposal.request.id);
  }

  protected renderPosition(widget?: Widget): ReactNode {
    const proposal = this.shownBy(widget);
    const at = proposal === undefined ? undefined : this.positionOf(proposal.request.id);
    if (at === undefined) return undefined;
    const run = (id: string) => (): void => void this.commands.executeCommand(id);
    const neighbor = ({ id, label = id }: Command) => ({ title: label, run: run(id) });
    return renderPosition({
      key: "patchbay.theia.position",
      words: nls.localize("patchbay/toolbar/position", "{0} of {1}", at.number, at.count),
      title: nls.localize("patchbay/toolbar/showAll", "Show All Reviews"),
      run: run(patchbayCommands.showConnections.id),
      neighbors:
        at.count < 2
          ? undefined
          : { previous: neighbor(patchbayCommands.previous), next: neighbor(patchbayCommands.next) },
    });
  }
}
