import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import { type Command, type CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import { Emitter, Event } from "@theia/core/lib/common/event";
import type { MenuContribution, MenuModelRegistry } from "@theia/core/lib/common/menu";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { ReactNode } from "@theia/core/shared/react";
import { EDITOR_LINENUMBER_CONTEXT_MENU } from "@theia/editor/lib/browser/editor-linenumber-contribution";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { type ListedTurn, PatchbayServer } from "../../common/protocol.ts";
import { Lists } from "../surfaces/lists.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { WindowClient } from "../window/window-client.ts";
import { LaterServices } from "./later-services.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import { renderPosition } from "./position-item.ts";
import type { TurnAction, TurnActions } from "./turn-actions.ts";
import type { FilePlace, FilePosition } from "./turn-diffs.ts";
import type { TurnMarks } from "./turn-marks.ts";

/** What decides a single change. */
const changeButtons = [
  { name: "keepChange", verdict: "keep", icon: "check", keybinding: "shift+alt+enter" },
  { name: "undoChange", verdict: "undo", icon: "discard", keybinding: "shift+alt+backspace" },
] as const;

/** From file to file of a turn. */
const fileSteps = [
  { name: "nextFile", direction: 1, keybinding: "ctrlcmd+alt+pagedown" },
  { name: "previousFile", direction: -1, keybinding: "ctrlcmd+alt+pageup" },
] as const;

/** What agents changed without a review, as the backend lists it. What is done with it is loaded with the first such wish. */
@injectable()
export class AgentChanges
  implements
    CommandContribution,
    FrontendApplicationContribution,
    KeybindingContribution,
    MenuContribution,
    StylingParticipant,
    TabBarToolbarContribution
{
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowClient)
  protected readonly client: WindowClient;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;
  @inject(LaterServices)
  protected readonly later: LaterServices;

  protected listed: readonly ListedTurn[] = [];
  protected actions: TurnActions | undefined;
  protected marks: TurnMarks | undefined;
  protected isReading = false;
  protected again = false;
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();
  readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;
  /** Something else is marked in an editor. */
  protected readonly onDidMarkEmitter: Emitter<void> = new Emitter();

  /** The newest first. */
  get turns(): readonly ListedTurn[] {
    return this.listed;
  }

  onStart(): void {
    this.client.onDidChangeTurns(() => void this.read());
    this.attachment.onDidAttach(() => void this.read());
  }

  registerCommands(commands: CommandRegistry): void {
    const isEnabled = (): boolean => this.listed.length > 0;
    const on = (
      name: "showTurn" | "keepTurn" | "undoTurn" | "undoTurnWithReason",
      action: (turn: ListedTurn) => Promise<void>,
    ) =>
      commands.registerCommand(patchbayCommands[name], {
        isEnabled,
        execute: async () => {
          const turn = await this.choose();
          if (turn !== undefined) await action(turn);
        },
      });
    on("showTurn", (turn) => this.act("open", turn, undefined));
    on("keepTurn", (turn) => this.act("keep", turn, undefined));
    on("undoTurn", (turn) => this.act("undo", turn, undefined));
    on("undoTurnWithReason", async (turn) => (await this.loaded()).undoWithReason(turn));
    commands.registerCommand(patchbayCommands.undoSession, {
      isEnabled,
      execute: async () => (await this.loaded()).undoSession(this.listed),
    });
    for (const { name, verdict } of changeButtons) {
      const isOffered = (argument: unknown): boolean =>
        this.wholeFile(argument) !== undefined || this.marks?.isOffered(argument) === true;
      commands.registerCommand(patchbayCommands[name], {
        isEnabled: isOffered,
        isVisible: isOffered,
        execute: async (argument: unknown) => {
          const file = this.wholeFile(argument);
          const place = file === undefined ? this.marks?.toDecide(argument) : undefined;
          if (file !== undefined) await (await this.loaded()).decideFile(verdict, file);
          if (place !== undefined) await (await this.loaded()).decideLines(verdict, place, this.listed);
        },
      });
    }
    for (const { name, direction } of fileSteps) {
      commands.registerCommand(patchbayCommands[name], {
        isEnabled: () => this.actions?.diffs.canStep(this.listed) === true,
        execute: async () => (await this.loaded()).diffs.step(direction, this.listed),
      });
    }
    commands.registerCommand(patchbayCommands.bringBack, { execute: async () => (await this.loaded()).bringBack() });
  }

  registerKeybindings(keybindings: KeybindingRegistry): void {
    // As in the review of a proposal. Elsewhere the commands are disabled, and the keys free.
    for (const { name, keybinding } of changeButtons)
      keybindings.registerKeybinding({ command: patchbayCommands[name].id, keybinding, when: "editorFocus" });
    // As from one proposal to the next.
    for (const { name, keybinding } of fileSteps)
      keybindings.registerKeybinding({ command: patchbayCommands[name].id, keybinding, when: "editorFocus" });
  }

  registerMenus(menus: MenuModelRegistry): void {
    const group = [...EDITOR_LINENUMBER_CONTEXT_MENU, "1_patchbay"];
    for (const [order, { name }] of changeButtons.entries())
      menus.registerMenuAction(group, { commandId: patchbayCommands[name].id, order: `4${order}` });
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const isVisible = (widget?: Widget): boolean =>
      widget instanceof EditorWidget &&
      (this.wholeFile(widget) !== undefined ||
        (this.actions?.diffs.isDiff(widget.editor.uri) === true && this.marks?.next(widget, 0) !== undefined));
    const onDidChange = Event.any(this.onDidMarkEmitter.event, this.onDidChange);
    for (const [order, { name, icon }] of changeButtons.entries()) {
      const { id, label: tooltip = id } = patchbayCommands[name];
      const item = { id, command: id, icon: `codicon codicon-${icon}`, tooltip, priority: order - 29 };
      toolbar.registerItem({ ...item, isVisible, onDidChange });
    }
    toolbar.registerItem({
      id: "patchbay.theia.filePosition",
      priority: -30,
      isVisible: (widget) => this.positionOf(widget) !== undefined,
      onDidChange,
      render: (widget) => this.renderPosition(widget),
    });
  }

  protected wholeFile(argument: unknown): FilePlace | undefined {
    return this.actions?.diffs.wholeFile(argument, this.listed);
  }

  protected positionOf(widget: Widget | undefined): FilePosition | undefined {
    const at =
      widget instanceof EditorWidget ? this.actions?.diffs.positionOf(widget.editor.uri, this.listed) : undefined;
    // One alone has no neighbours.
    return at?.number !== undefined && at.count < 2 ? undefined : at;
  }

  protected renderPosition(widget: Widget | undefined): ReactNode {
    const at = this.positionOf(widget);
    if (at === undefined) return undefined;
    const run = (id: string) => (): void => void this.commands.executeCommand(id);
    const neighbor = ({ id, label = id }: Command) => ({ title: label, run: run(id) });
    return renderPosition({
      key: "patchbay.theia.filePosition",
      words:
        at.number === undefined
          ? nls.localize("patchbay/inbox/count", "{0} to review", at.count)
          : nls.localize("patchbay/toolbar/filePosition", "{0} of {1} files", at.number, at.count),
      title: nls.localize("patchbay/toolbar/showAll", "Show All Reviews"),
      run: run(patchbayCommands.showConnections.id),
      neighbors: { previous: neighbor(patchbayCommands.previousFile), next: neighbor(patchbayCommands.nextFile) },
    });
  }

  /** Bars at the left edge of the margin; those of Theia's own source control stand right of them. Nothing is told by colour alone. */
  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    // The first of the two colours comes with source control, which not every product has.
    const color = (name: string, plain: string): string =>
      `var(--theia-editorGutter-${name}Background, var(--theia-charts-${plain}))`;
    const bar = (kind: string, style: string): void =>
      collector.addRule(`.patchbay-turn-${kind} { border-left: 3px ${style}; box-sizing: border-box; }`);
    bar("add", `solid ${color("added", "green")}`);
    bar("change", `dotted ${color("modified", "blue")}`);
    collector.addRule(
      `.patchbay-turn-delete::after { content: ""; position: absolute; bottom: -4px; border: 4px solid transparent; border-left-color: ${color("deleted", "red")}; }`,
    );
  }

  async act(action: TurnAction, turn: ListedTurn, path: string | undefined): Promise<void> {
    await (await this.loaded()).act(action, turn, path);
  }

  protected async loaded(): Promise<TurnActions> {
    this.actions ??= await this.later.get(async () => (await import("./turn-actions.ts")).TurnActions);
    return this.actions;
  }

  /** Asks anew; calls that come meanwhile are gathered into one more. */
  protected async read(): Promise<void> {
    this.again = this.isReading;
    if (this.isReading) return;
    this.isReading = true;
    try {
      this.listed = await this.server.turns();
    } finally {
      this.isReading = false;
    }
    this.actions?.withdrawAnswered(this.listed);
    this.onDidChangeEmitter.fire();
    await this.mark();
    await this.actions?.diffs.follow(this.listed);
    if (this.again) await this.read();
  }

  /** Where the code of the bars could not be loaded, it is tried again with the next change: the list does without. */
  protected async mark(): Promise<void> {
    if (this.listed.length > 0)
      this.marks ??= await this.later
        .get(async () => (await import("./turn-marks.ts")).TurnMarks)
        .then((marks) => {
          marks.onDidChange(() => this.onDidMarkEmitter.fire());
          return marks;
        })
        .catch(() => undefined);
    this.marks?.update(this.listed);
  }

  protected async choose(): Promise<ListedTurn | undefined> {
    const items = this.listed.map((turn) => ({
      label: turn.agents.join(", "),
      description: `+${turn.lines.added} −${turn.lines.removed}`,
      detail: turn.prompt,
      turn,
    }));
    if (items.length < 2) return items[0]?.turn;
    return (await this.lists.choose(items, nls.localize("patchbay/turns/which", "Which turn?")))?.turn;
  }
}
