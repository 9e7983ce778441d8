import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import type { CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import type { MenuContribution, MenuModelRegistry } from "@theia/core/lib/common/menu";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EDITOR_LINENUMBER_CONTEXT_MENU } from "@theia/editor/lib/browser/editor-linenumber-contribution";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { type LinesPlace, type ListedTurn, PatchbayServer } from "../../common/protocol.ts";
import { filePathOf } from "../documents/selection-text.ts";
import { Lists } from "../surfaces/lists.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { WindowClient } from "../window/window-client.ts";
import { LaterServices } from "./later-services.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import type { TurnAction, TurnActions } from "./turn-actions.ts";
import type { TurnMarks } from "./turn-marks.ts";

/** What agents changed without a review, as the backend lists it. What is done with it is loaded with the first such wish. */
@injectable()
export class AgentChanges
  implements CommandContribution, FrontendApplicationContribution, MenuContribution, StylingParticipant
{
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowClient)
  protected readonly client: WindowClient;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(LaterServices)
  protected readonly later: LaterServices;
  @inject(EditorManager)
  protected readonly editors: EditorManager;

  protected listed: readonly ListedTurn[] = [];
  protected actions: TurnActions | undefined;
  protected marks: TurnMarks | undefined;
  protected isReading = false;
  protected again = false;
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();
  readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;

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
    for (const verdict of ["keep", "undo"] as const) {
      const isHere = (argument: unknown): boolean => this.linesOf(argument) !== undefined;
      commands.registerCommand(patchbayCommands[`${verdict}Change`], {
        isEnabled: isHere,
        isVisible: isHere,
        execute: async (argument: unknown) => await this.decideLines(verdict, argument),
      });
    }
    commands.registerCommand(patchbayCommands.bringBack, { execute: async () => (await this.loaded()).bringBack() });
  }

  registerMenus(menus: MenuModelRegistry): void {
    const group = [...EDITOR_LINENUMBER_CONTEXT_MENU, "1_patchbay"];
    menus.registerMenuAction(group, { commandId: patchbayCommands.keepChange.id, order: "4" });
    menus.registerMenuAction(group, { commandId: patchbayCommands.undoChange.id, order: "5" });
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

  /** Lines of an editor with a marked change: of the menu on a line's number, else what is selected in the editor in front. */
  protected linesOf(argument: unknown): Omit<LinesPlace, "text"> | undefined {
    const widget = this.editors.currentEditor;
    if (widget === undefined) return undefined;
    const { selection, document } = widget.editor;
    const line = lineOf(argument);
    const [first, last] = line === undefined ? [selection.start.line + 1, selection.end.line + 1] : [line, line];
    const path = filePathOf(new URI(document.uri));
    return path !== undefined && this.marks?.isIn(widget, first, last) === true ? { path, first, last } : undefined;
  }

  protected async decideLines(verdict: "keep" | "undo", argument: unknown): Promise<void> {
    const place = this.linesOf(argument);
    const text = this.editors.currentEditor?.editor.document.getText();
    if (place === undefined || text === undefined) return;
    await (await this.loaded()).decideLines(verdict, { ...place, text }, this.listed);
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
    if (this.again) await this.read();
  }

  /** Where the code of the bars could not be loaded, it is tried again with the next change: the list does without. */
  protected async mark(): Promise<void> {
    if (this.listed.length > 0)
      this.marks ??= await this.later
        .get(async () => (await import("./turn-marks.ts")).TurnMarks)
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

/** The line of a menu on a line's number, from 1; undefined: the argument is none of that. */
function lineOf(argument: unknown): number | undefined {
  if (typeof argument !== "object" || argument === null || !("lineNumber" in argument)) return undefined;
  return typeof argument.lineNumber === "number" ? argument.lineNumber : undefined;
}
