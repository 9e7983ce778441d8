import { BadgeService } from "@theia/core/lib/browser/badges/badge-service";
import { ContextKeyService } from "@theia/core/lib/browser/context-key-service";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { AbstractViewContribution } from "@theia/core/lib/browser/shell/view-contribution";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import type { Command, CommandRegistry } from "@theia/core/lib/common/command";
import type { MenuModelRegistry } from "@theia/core/lib/common/menu";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EDITOR_CONTEXT_MENU } from "@theia/editor/lib/browser/editor-menu";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import type { PanelCommand } from "../../common/panel-protocol.ts";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { panelFocusKey, panelTabId, panelWidgetId } from "../panel/panel-places.ts";
import type { PanelWidget } from "../panel/panel-widget.ts";
import { questionsText } from "../surfaces/status-words.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { WindowClient } from "../window/window-client.ts";
import { panelCommands } from "./patchbay-commands.ts";

const areas = { sideBar: "left", secondarySideBar: "right", tab: "main" } as const;

/** The conversation panel: where it stands, its commands and keys, and the number of questions that wait. */
@injectable()
export class PanelContribution
  extends AbstractViewContribution<PanelWidget>
  implements FrontendApplicationContribution, StylingParticipant
{
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(WindowClient)
  protected readonly client: WindowClient;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(ContextTracker)
  protected readonly context: ContextTracker;
  @inject(ContextKeyService)
  protected readonly contextKeys: ContextKeyService;
  @inject(BadgeService)
  protected readonly badges: BadgeService;
  @inject(Notices)
  protected readonly notices: Notices;

  constructor() {
    super({
      widgetId: panelWidgetId,
      widgetName: nls.localize("patchbay/panel/title", "Conversations"),
      defaultWidgetOptions: { area: "right", rank: 400 },
      toggleCommandId: "patchbay.theia.panel.toggle",
    });
  }

  override get defaultViewOptions(): AbstractViewContribution<PanelWidget>["options"]["defaultWidgetOptions"] {
    const place = preferenceOf<unknown>(this.preferences, preferenceNames.panelPlace, "secondarySideBar");
    const area = place === "sideBar" || place === "tab" ? areas[place] : areas.secondarySideBar;
    return { area, rank: 400 };
  }

  onStart(): void {
    // Our VS Code extension, running as a plugin, shows its views where this is not said.
    this.contextKeys.createKey("patchbay.silent", true);
    this.attachment.onDidChangeStatus(({ questions }) => this.count(questions ?? 0));
    this.client.onDidWantConversation((conversation) => void this.run({ kind: "show", conversation }));
  }

  override registerCommands(commands: CommandRegistry): void {
    super.registerCommands(commands);
    const run = (of: Command, execute: (...args: readonly unknown[]) => Promise<unknown>): void => {
      commands.registerCommand(of, { execute });
    };
    run(panelCommands.open, () => this.toggleFocus());
    run(panelCommands.newConversation, () => this.run({ kind: "begin" }));
    run(panelCommands.newTab, () => this.openTab());
    run(panelCommands.mention, () => this.mention());
    run(panelCommands.showConversations, () => this.run({ kind: "page", command: "list" }));
    run(panelCommands.showWaiting, () => this.run({ kind: "show-waiting" }));
    run(panelCommands.continueInTerminal, () => this.run({ kind: "terminal" }, true));
    run(panelCommands.stop, () => this.run({ kind: "stop" }, true));
    run(panelCommands.find, () => this.run({ kind: "page", command: "find" }));
  }

  override registerKeybindings(keybindings: KeybindingRegistry): void {
    super.registerKeybindings(keybindings);
    keybindings.registerKeybindings(
      { command: panelCommands.open.id, keybinding: "ctrlcmd+escape" },
      { command: panelCommands.newTab.id, keybinding: "ctrlcmd+shift+escape" },
      { command: panelCommands.mention.id, keybinding: "alt+k", when: "editorTextFocus" },
      { command: panelCommands.newConversation.id, keybinding: "ctrlcmd+n", when: panelFocusKey },
      { command: panelCommands.find.id, keybinding: "ctrlcmd+f", when: panelFocusKey },
    );
  }

  override registerMenus(menus: MenuModelRegistry): void {
    super.registerMenus(menus);
    menus.registerMenuAction([...EDITOR_CONTEXT_MENU, "9_patchbay"], {
      commandId: panelCommands.mention.id,
      order: "4",
    });
  }

  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    collector.addRule(".patchbay-panel { overflow: hidden; }");
    collector.addRule(".patchbay-panel > iframe { display: block; width: 100%; height: 100%; border: none; }");
  }

  /** From the page back to the editor, and the other way round. */
  protected async toggleFocus(): Promise<void> {
    const { currentEditor } = this.editors;
    if (isPanelPage(this.shell.activeWidget)) {
      if (currentEditor !== undefined) await this.shell.activateWidget(currentEditor.id);
      return;
    }
    await this.run({ kind: "page", command: "focus" });
  }

  /** The page that the user is in or sees; else the view, which is opened. */
  protected async shown(): Promise<PanelWidget> {
    const { activeWidget } = this.shell;
    const tabs = this.widgetManager.getWidgets(panelTabId);
    const pages = [activeWidget, this.tryGetWidget(), ...tabs].filter(isPanelPage);
    const widget = pages.find(({ isVisible }) => isVisible) ?? (await this.openView({ reveal: true }));
    await this.shell.activateWidget(widget.id);
    return widget;
  }

  protected async run(command: PanelCommand, needsConversation = false): Promise<void> {
    const widget = await this.shown();
    const result = await widget.run(command);
    if (result === "done" || !needsConversation) return;
    this.notices.info(nls.localize("patchbay/panel/none", "No conversation is open."));
  }

  protected async openTab(): Promise<void> {
    const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join("");
    const widget = await this.widgetManager.getOrCreateWidget<PanelWidget>(panelTabId, { tab });
    await this.shell.addWidget(widget, { area: "main" });
    await this.shell.activateWidget(widget.id);
    await widget.run({ kind: "begin" });
  }

  protected async mention(): Promise<void> {
    const widget = await this.shown();
    // The backend has what is selected before it is asked to mention it.
    this.context.flush();
    if ((await widget.run({ kind: "mention", paths: [] })) === "done") return;
    this.notices.info(nls.localize("patchbay/panel/noFile", "There is no file here that agents may see."));
  }

  protected count(questions: number): void {
    const widget = this.tryGetWidget();
    const badge = questions === 0 ? undefined : { value: questions, tooltip: questionsText(questions) };
    if (widget !== undefined) this.badges.showBadge(widget, badge);
  }
}

/** A page of the panel: the view, or a tab. */
function isPanelPage(widget: Widget | null | undefined): widget is PanelWidget {
  return widget?.id === panelWidgetId || widget?.id.startsWith(`${panelTabId}:`) === true;
}
