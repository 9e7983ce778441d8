import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import type { CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import type { MenuContribution, MenuModelRegistry } from "@theia/core/lib/common/menu";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EDITOR_LINENUMBER_CONTEXT_MENU } from "@theia/editor/lib/browser/editor-linenumber-contribution";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { proposalScheme } from "../review/proposal-resources.ts";
import { LaterServices } from "./later-services.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import type { HunkPlace, ReviewActions } from "./review-actions.ts";

const icons = {
  previousHunk: "arrow-up",
  nextHunk: "arrow-down",
  acceptHunk: "check",
  rejectHunk: "discard",
} as const;

/** Verdicts on single hunks of a review: by keys, by buttons, and by a menu on the line's number. */
@injectable()
export class HunkContribution
  implements CommandContribution, KeybindingContribution, MenuContribution, TabBarToolbarContribution
{
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(LaterServices)
  protected readonly later: LaterServices;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;

  registerCommands(commands: CommandRegistry): void {
    const isEnabled = (argument: unknown): boolean => this.reviewOf(argument) !== undefined;
    const at =
      (run: (actions: ReviewActions, place: HunkPlace) => Promise<void>) =>
      async (argument: unknown): Promise<void> => {
        const place = this.placeOf(argument);
        if (place === undefined) return;
        await run(await this.later.get(async () => (await import("./review-actions.ts")).ReviewActions), place);
      };
    const register = (
      name: keyof typeof icons | "undoHunk",
      run: (actions: ReviewActions, place: HunkPlace) => Promise<void>,
    ): void =>
      void commands.registerCommand(patchbayCommands[name], { isEnabled, isVisible: isEnabled, execute: at(run) });
    register("acceptHunk", (actions, place) => actions.decideHunk(place, "accept"));
    register("rejectHunk", (actions, place) => actions.decideHunk(place, "reject"));
    register("nextHunk", (actions, place) => actions.stepHunk(place, 1));
    register("previousHunk", (actions, place) => actions.stepHunk(place, -1));
    register("undoHunk", (actions, place) => actions.undoHunk(place));
  }

  registerKeybindings(keybindings: KeybindingRegistry): void {
    // The same keys as in our VS Code extension.
    const when = `resourceScheme == ${proposalScheme} && editorFocus`;
    keybindings.registerKeybindings(
      { command: patchbayCommands.acceptHunk.id, keybinding: "shift+alt+enter", when },
      { command: patchbayCommands.rejectHunk.id, keybinding: "shift+alt+backspace", when },
      { command: patchbayCommands.nextHunk.id, keybinding: "shift+alt+pagedown", when },
      { command: patchbayCommands.previousHunk.id, keybinding: "shift+alt+pageup", when },
      { command: patchbayCommands.undoHunk.id, keybinding: "shift+alt+delete", when },
    );
  }

  registerMenus(menus: MenuModelRegistry): void {
    const group = [...EDITOR_LINENUMBER_CONTEXT_MENU, "1_patchbay"];
    menus.registerMenuAction(group, { commandId: patchbayCommands.acceptHunk.id, order: "1" });
    menus.registerMenuAction(group, { commandId: patchbayCommands.rejectHunk.id, order: "2" });
    menus.registerMenuAction(group, { commandId: patchbayCommands.undoHunk.id, order: "3" });
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const { onDidChange } = this.proposals;
    const isVisible = (widget?: Widget): boolean => widget !== undefined && this.reviewOf(widget) !== undefined;
    for (const [order, name] of (["previousHunk", "nextHunk", "acceptHunk", "rejectHunk"] as const).entries()) {
      const { id, label = id } = patchbayCommands[name];
      const icon = `codicon codicon-${icons[name]}`;
      toolbar.registerItem({ id, command: id, icon, tooltip: label, priority: order - 29, isVisible, onDidChange });
    }
    const { id } = patchbayCommands.undoHunk;
    toolbar.registerItem({ id, command: id, group: "0_reject", isVisible, onDidChange });
  }

  protected placeOf(argument: unknown): HunkPlace | undefined {
    const review = this.reviewOf(argument);
    // An editor behind another one has no cursor.
    return review === undefined ? undefined : { ...review, line: review.line ?? review.widget.editor.cursor.line };
  }

  /**
   * `argument`: the widget of a button, the line of a menu, or nothing: then it is the review in front. The line is that of the menu; else
   * it is where the cursor is.
   */
  protected reviewOf(argument: unknown): (Omit<HunkPlace, "line"> & { readonly line: number | undefined }) | undefined {
    const line = lineOf(argument);
    const widget = argument instanceof Widget ? argument : this.widgetInFront();
    const proposal = this.proposals.proposalOf(widget);
    if (!(widget instanceof EditorWidget) || proposal === undefined) return undefined;
    if (line === "elsewhere" || proposal.phase !== "open" || proposal.isKept) return undefined;
    const { isReadOnly, decidedBy, standing } = proposal.request;
    if (isReadOnly === true || decidedBy !== undefined || standing === "conflict") return undefined;
    return { proposal, widget, line };
  }

  protected widgetInFront(): Widget | undefined {
    const active = this.shell.activeWidget;
    return this.proposals.proposalOf(active) === undefined ? this.shell.getCurrentWidget("main") : active;
  }
}

/** The line of a menu on a line's number; undefined where the argument is none of that. */
function lineOf(argument: unknown): number | "elsewhere" | undefined {
  if (typeof argument !== "object" || argument === null || !("lineNumber" in argument)) return undefined;
  const { lineNumber } = argument;
  const uri = "uri" in argument ? argument.uri : undefined;
  const isOurs = typeof uri === "object" && uri !== null && "scheme" in uri && uri.scheme === proposalScheme;
  return isOurs && typeof lineNumber === "number" ? lineNumber - 1 : "elsewhere";
}
