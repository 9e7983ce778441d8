import { BadgeService } from "@theia/core/lib/browser/badges/badge-service";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { AbstractViewContribution } from "@theia/core/lib/browser/shell/view-contribution";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import {
  commandOf,
  couldNotBeDone,
  type InboxAction,
  inboxFocusKey,
  inboxWidgetId,
  waitingCount,
} from "../inbox/inbox-row.ts";
import type { EmptyInbox, InboxRequest, InboxWidget } from "../inbox/inbox-widget.ts";
import { summaryOf } from "../surfaces/status-words.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { AgentChanges } from "./agent-changes.ts";
import { LaterServices } from "./later-services.ts";
import { agentLaunches, patchbayCommands } from "./patchbay-commands.ts";

/** How often ages are drawn anew, ms. */
const agesEveryMs = 30_000;

/** What the keys of the view do; letters, since nobody types text there. */
const keys: readonly { readonly command: string; readonly keybinding: string }[] = [
  { command: "patchbay.theia.nextInView", keybinding: "j" },
  { command: "patchbay.theia.previousInView", keybinding: "k" },
  { command: commandOf("accept"), keybinding: "a" },
  { command: commandOf("reject"), keybinding: "r" },
  { command: commandOf("hold"), keybinding: "h" },
  { command: commandOf("terminal"), keybinding: "t" },
];

/** The view "Review": where it stands, what its rows and keys do, and its number. */
@injectable()
export class InboxContribution
  extends AbstractViewContribution<InboxWidget>
  implements FrontendApplicationContribution, TabBarToolbarContribution
{
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(AgentChanges)
  protected readonly changes: AgentChanges;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(LaterServices)
  protected readonly later: LaterServices;
  @inject(BadgeService)
  protected readonly badges: BadgeService;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;

  constructor() {
    super({
      widgetId: inboxWidgetId,
      widgetName: nls.localize("patchbay/inbox/title", "Review"),
      defaultWidgetOptions: { area: "left", rank: 350 },
      toggleCommandId: "patchbay.theia.toggleReview",
    });
  }

  onStart(): void {
    const refresh = (): void => void this.refresh(this.tryGetWidget());
    this.attachment.onDidChangeStatus(refresh);
    this.changes.onDidChange(refresh);
  }

  /** Where no layout is restored, the view stands in the side bar and takes no room. */
  async initializeLayout(): Promise<void> {
    await this.openView();
  }

  /** Ties a new widget of the view to the window. */
  adopt(widget: InboxWidget): InboxWidget {
    widget.onDidAsk((request) => {
      this.fulfil(request).catch(() => this.notices.warn(couldNotBeDone));
    });
    widget.onDidGroup(() => void this.refresh(widget));
    widget.onDidOffer((command) => void this.commands.executeCommand(command));
    const refresh = (): void => void this.refresh(widget);
    let ages: ReturnType<typeof setInterval> | undefined;
    // Ages are written anew as long as somebody sees them; else no timer stands.
    widget.onDidChangeVisibility((isVisible) => {
      clearInterval(ages);
      if (isVisible) ages = setInterval(refresh, agesEveryMs);
    });
    refresh();
    return widget;
  }

  override registerCommands(commands: CommandRegistry): void {
    super.registerCommands(commands);
    const inView = (run: (widget: InboxWidget) => void): { readonly execute: () => void } => ({
      execute: () => {
        const widget = this.tryGetWidget();
        if (widget !== undefined) run(widget);
      },
    });
    commands.registerCommand(patchbayCommands.showConnections, { execute: () => this.openView({ activate: true }) });
    for (const [way, step] of [
      ["next", 1],
      ["previous", -1],
    ] as const) {
      commands.registerCommand(
        { id: `patchbay.theia.${way}InView` },
        inView((widget) => widget.step(step)),
      );
    }
    commands.registerCommand(patchbayCommands.groupByFolder, {
      isToggled: () => this.tryGetWidget()?.isByFolder === true,
      execute: async () => {
        const widget = await this.widget;
        widget.group(!widget.isByFolder);
      },
    });
    for (const action of ["accept", "reject", "hold", "terminal"] satisfies readonly InboxAction[]) {
      commands.registerCommand(
        { id: commandOf(action) },
        inView((widget) => widget.ask(action)),
      );
    }
  }

  override registerKeybindings(keybindings: KeybindingRegistry): void {
    super.registerKeybindings(keybindings);
    for (const key of keys) keybindings.registerKeybinding({ ...key, when: inboxFocusKey });
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const isVisible = (widget?: Widget): boolean => widget?.id === inboxWidgetId;
    const item = (command: string, icon: string | undefined, priority: number): void =>
      void toolbar.registerItem({
        id: `${command}.inbox`,
        command,
        priority,
        isVisible,
        ...(icon === undefined ? { group: "1_all" } : { icon: `codicon codicon-${icon}` }),
      });
    item(patchbayCommands.showAll.id, "diff-multiple", -1);
    item(patchbayCommands.diagnose.id, "pulse", 0);
    item(patchbayCommands.acceptAll.id, undefined, 1);
    item(patchbayCommands.rejectAll.id, undefined, 2);
    item(patchbayCommands.groupByFolder.id, undefined, 3);
  }

  protected async refresh(widget: InboxWidget | undefined): Promise<void> {
    if (widget === undefined) return;
    const { status, roots } = this.attachment;
    const value = waitingCount(status);
    const tooltip = nls.localize("patchbay/status/waiting", "{0} to review", value);
    this.badges.showBadge(widget, value === 0 ? undefined : { value, tooltip });
    await widget.present(status, this.changes.turns, { roots, now: Date.now() }, this.emptiness());
  }

  protected async fulfil(request: InboxRequest): Promise<void> {
    const actions = await this.later.get(async () => (await import("./inbox-actions.ts")).InboxActions);
    await actions.fulfil(request);
  }

  /** What is there to do where nobody is connected. */
  protected emptiness(): EmptyInbox {
    const { status, trust } = this.attachment;
    const words = summaryOf(status);
    const diagnose = {
      label: nls.localize("patchbay/inbox/diagnose", "Diagnose"),
      command: patchbayCommands.diagnose.id,
      isMain: false,
    };
    if (status.state.kind !== "listening") return { words, offers: [diagnose] };
    const runs = trust === true ? agentLaunches : [];
    const offers = runs.map(({ name, command }) => ({
      label: nls.localize("patchbay/inbox/run", "Run {0}", name),
      command: command.id,
      isMain: true,
    }));
    const { tryReview } = patchbayCommands;
    const trial = { label: tryReview.label ?? "", command: tryReview.id, isMain: false };
    return { words, offers: [...offers, trial, diagnose] };
  }
}

/** Makes the view look like Theia's own trees, in the theme's colours. */
@injectable()
export class InboxStyle implements StylingParticipant {
  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    collector.addRule(`
      .patchbay-inbox .theia-TreeNodeContent { align-items: center; min-width: 0; }
      .patchbay-inbox-caption { display: flex; flex-wrap: wrap; column-gap: 6px; min-width: 0; height: 22px; line-height: 22px; overflow: hidden; }
      .patchbay-inbox-caption > span { white-space: nowrap; flex: 0 0 auto; font-size: 0.9em; }
      .patchbay-inbox-caption > .patchbay-inbox-label { overflow: hidden; text-overflow: ellipsis; flex: 0 1 auto; max-width: 100%; font-size: 1em; }
      .patchbay-inbox-caption > .patchbay-inbox-facts { overflow: hidden; text-overflow: ellipsis; flex: 1 1 3em; min-width: 3em; }
      .patchbay-inbox [class*="codicon-"].codicon { padding-right: 6px; }
      .patchbay-inbox-problem { color: var(--theia-list-errorForeground); }
      .patchbay-inbox-attention { color: var(--theia-textLink-foreground); }
      .patchbay-inbox-quiet, .patchbay-inbox-facts { color: var(--theia-descriptionForeground); }
      .patchbay-inbox-added { color: var(--theia-gitDecoration-addedResourceForeground); }
      .patchbay-inbox-removed { color: var(--theia-gitDecoration-deletedResourceForeground); }
      .patchbay-inbox-actions { display: none; flex: 0 0 auto; padding-right: 4px; }
      .patchbay-inbox .theia-TreeNode:hover .patchbay-inbox-actions,
      .patchbay-inbox .theia-TreeNode.theia-mod-selected .patchbay-inbox-actions { display: flex; }
      .patchbay-inbox-actions > button { background: none; border: none; color: inherit; cursor: pointer; padding: 2px; }
      .patchbay-inbox .theia-TreeNode.theia-mod-selected span { color: inherit; }
      .patchbay-inbox-empty { padding: 12px; display: flex; flex-direction: column; gap: 8px; }
      .patchbay-inbox-empty > p { margin: 0; }
      .patchbay-inbox-empty > button { margin: 0; }
    `);
  }
}
