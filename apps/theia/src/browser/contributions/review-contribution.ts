import { CommonCommands } from "@theia/core/lib/browser/common-commands";
import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { SaveableService } from "@theia/core/lib/browser/saveable-service";
import { Saveable } from "@theia/core/lib/browser/saveable";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import type { CommandContribution, CommandHandler, CommandRegistry } from "@theia/core/lib/common/command";
import type { MenuContribution, MenuModelRegistry } from "@theia/core/lib/common/menu";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import type URI from "@theia/core/lib/common/uri";
import { UriAwareCommandHandler } from "@theia/core/lib/common/uri-command-handler";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { entriesIn, inboxOf } from "@patchbay/core/inbox";
import type { OpenProposal } from "../review/open-proposal.ts";
import { filePathOf } from "../documents/selection-text.ts";
import { LaterServices } from "./later-services.ts";
import { patchbayCommands, verdictLabels } from "./patchbay-commands.ts";
import type { ReviewActions } from "./review-actions.ts";
import { isDecidable } from "../inbox/inbox-row.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { proposalScheme } from "../review/proposal-resources.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

/** Everything by which the user decides: buttons, commands, keys and saving. */
@injectable()
export class ReviewContribution
  implements CommandContribution, KeybindingContribution, MenuContribution, TabBarToolbarContribution
{
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;
  @inject(SaveableService)
  protected readonly saveables: SaveableService;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(LaterServices)
  protected readonly later: LaterServices;
  @inject(SelectionService)
  protected readonly selection: SelectionService;

  registerCommands(commands: CommandRegistry): void {
    const any = (): boolean => this.proposals.ids.length > 0;
    commands.registerCommand(patchbayCommands.accept, {
      isEnabled: (argument: unknown) => this.undecided(argument) !== undefined,
      execute: (argument: unknown) => this.decide(argument, "accept"),
    });
    commands.registerCommand(patchbayCommands.reject, {
      isEnabled: (argument: unknown) => this.undecided(argument) !== undefined,
      execute: (argument: unknown) => this.decide(argument, "reject"),
    });
    commands.registerCommand(patchbayCommands.showConflict, {
      isEnabled: (argument: unknown) => this.undecided(argument)?.request.standing === "conflict",
      execute: (argument: unknown) => this.showConflict(argument),
    });
    commands.registerCommand(patchbayCommands.rejectWithReason, {
      isEnabled: (argument: unknown) => this.undecided(argument) !== undefined,
      execute: (argument: unknown) => this.rejectWithReason(argument),
    });
    const waiting = (): boolean => this.attachment.status.proposals.some(({ state }) => state !== "kept");
    commands.registerCommand(patchbayCommands.acceptAll, {
      isEnabled: waiting,
      execute: (some: unknown) => this.decideAll("accept", some),
    });
    commands.registerCommand(patchbayCommands.rejectAll, {
      isEnabled: waiting,
      execute: (some: unknown) => this.decideAll("reject", some),
    });
    const inFolder = (verdict: "accept" | "reject"): CommandHandler =>
      UriAwareCommandHandler.MonoSelect(this.selection, {
        isEnabled: (folder) => this.idsIn(folder).length > 0,
        isVisible: (folder) => this.idsIn(folder).length > 0,
        execute: (folder) => this.decideAll(verdict, this.idsIn(folder)),
      });
    commands.registerCommand(patchbayCommands.acceptFolder, inFolder("accept"));
    commands.registerCommand(patchbayCommands.rejectFolder, inFolder("reject"));
    // In a proposal "save" means accept; elsewhere these step aside for Theia's own handlers.
    commands.registerHandler(CommonCommands.SAVE.id, {
      isEnabled: () => this.proposals.focused !== undefined,
      execute: () => this.decide(this.shell.activeWidget, "accept"),
    });
    commands.registerHandler(CommonCommands.SAVE_ALL.id, { isEnabled: any, execute: () => this.saveAllFiles() });
  }

  registerKeybindings(keybindings: KeybindingRegistry): void {
    // The same keys as in our VS Code extension, and only while the user is in a proposal.
    const when = `resourceScheme == ${proposalScheme} && editorFocus`;
    keybindings.registerKeybindings(
      { command: patchbayCommands.accept.id, keybinding: "ctrlcmd+alt+enter", when },
      { command: patchbayCommands.reject.id, keybinding: "ctrlcmd+alt+shift+enter", when },
      { command: patchbayCommands.rejectWithReason.id, keybinding: "ctrlcmd+alt+r", when },
    );
  }

  registerMenus(menus: MenuModelRegistry): void {
    const inExplorer = ["navigator-context-menu", "9_patchbay"];
    menus.registerMenuAction(inExplorer, { commandId: patchbayCommands.acceptFolder.id, order: "1" });
    menus.registerMenuAction(inExplorer, { commandId: patchbayCommands.rejectFolder.id, order: "2" });
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const isVisible = (widget?: Widget): boolean => {
      const proposal = widget === undefined ? undefined : this.undecided(widget);
      // What only the agent's terminal can answer has no buttons; who tries by a key or a command is told so.
      return proposal !== undefined && proposal.request.decidedBy === undefined;
    };
    const { onDidChange } = this.proposals;
    toolbar.registerItem({
      id: patchbayCommands.rejectWithReason.id,
      command: patchbayCommands.rejectWithReason.id,
      group: "0_reject",
      isVisible,
      onDidChange,
    });
    const isInConflict = (widget?: Widget): boolean =>
      widget !== undefined && this.undecided(widget)?.request.standing === "conflict";
    toolbar.registerItem({
      id: patchbayCommands.accept.id,
      command: patchbayCommands.accept.id,
      text: verdictLabels.accept,
      priority: -20,
      isVisible: (widget) => isVisible(widget) && !isInConflict(widget),
      onDidChange,
    });
    toolbar.registerItem({
      id: patchbayCommands.showConflict.id,
      command: patchbayCommands.showConflict.id,
      text: nls.localize("patchbay/toolbar/showConflict", "Show Conflict"),
      priority: -20,
      isVisible: isInConflict,
      onDidChange,
    });
    toolbar.registerItem({
      id: patchbayCommands.reject.id,
      command: patchbayCommands.reject.id,
      text: verdictLabels.reject,
      priority: -19,
      isVisible,
      onDidChange,
    });
  }

  protected async rejectWithReason(argument: unknown): Promise<void> {
    const proposal = this.undecided(argument);
    if (proposal !== undefined) await (await this.actions()).rejectWithReason(proposal.request);
  }

  protected undecided(argument: unknown): OpenProposal | undefined {
    const proposal = argument instanceof Widget ? this.proposals.proposalOf(argument) : this.proposals.foreground;
    return proposal?.phase === "open" && !proposal.isKept ? proposal : undefined;
  }

  /** Puts the cursor where both versions of the same lines stand. */
  protected showConflict(argument: unknown): void {
    const widget = argument instanceof Widget ? argument : this.shell.getCurrentWidget("main");
    if (!(widget instanceof EditorWidget)) return;
    const { editor } = widget;
    const before = editor.document.getText().split(/^<{7} /mu, 2);
    if (before.length < 2) return;
    const position = { line: (before[0]?.split("\n").length ?? 1) - 1, character: 0 };
    editor.cursor = position;
    editor.revealPosition(position, { vertical: "center" });
    editor.focus();
  }

  protected decide(argument: unknown, verdict: "accept" | "reject"): void {
    const proposal = this.undecided(argument);
    if (proposal !== undefined) this.proposals[verdict](proposal);
  }

  /** The proposals in a folder and below it; none is in a file. */
  protected idsIn(folder: URI): readonly string[] {
    const path = filePathOf(folder);
    if (path === undefined) return [];
    const { proposals, sessions, activities } = this.attachment.status;
    const entries = entriesIn(inboxOf(proposals, sessions, activities), { folder: path });
    return entries.flatMap(({ id, proposal }) => (isDecidable(proposal) ? id : []));
  }

  protected async decideAll(verdict: "accept" | "reject", some: unknown): Promise<void> {
    await (await this.actions()).decideAll(verdict, some);
  }

  protected async actions(): Promise<ReviewActions> {
    return await this.later.get(async () => (await import("./review-actions.ts")).ReviewActions);
  }

  /** "Save All" is about files: a proposal is accepted by name. */
  protected async saveAllFiles(): Promise<void> {
    for (const widget of this.shell.widgets) {
      if (!Saveable.isDirty(widget) || this.proposals.proposalOf(widget) !== undefined) continue;
      if (this.saveables.canSaveNotSaveAs(widget)) await this.saveables.save(widget);
    }
  }
}

/** Makes the two words of a review look like the buttons they are, in the theme's own colours. */
@injectable()
export class VerdictButtons implements StylingParticipant {
  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    const accept = [patchbayCommands.accept, patchbayCommands.showConflict, patchbayCommands.saveKept]
      .map(({ id }) => buttonSelector(id))
      .join(", ");
    const reject = [patchbayCommands.reject, patchbayCommands.copyKept, patchbayCommands.discardKept]
      .map(({ id }) => buttonSelector(id))
      .join(", ");
    const hovered = (selector: string): string => selector.replaceAll("]", "]:hover");
    const shape = "width: auto; height: 20px; line-height: 20px; padding: 0 10px; border-radius: 3px;";
    collector.addRule(`
      ${accept}, ${reject} { ${shape} }
      ${accept} { background: var(--theia-button-background); color: var(--theia-button-foreground); }
      ${hovered(accept)} { background: var(--theia-button-hoverBackground); }
      ${reject} { background: var(--theia-secondaryButton-background); color: var(--theia-secondaryButton-foreground); }
      ${besideTheActive}:has([id="${patchbayCommands.reject.id}"], [id="${patchbayCommands.saveKept.id}"]) { display: flex; }
      ${hovered(reject)} { background: var(--theia-secondaryButton-hoverBackground); }
    `);
  }
}

/** Theia hides the toolbars of all groups of editors but the one that has the keys; a proposal beside it must show its buttons. */
const besideTheActive = "#theia-main-content-panel .lm-TabBar:not(.theia-tabBar-active) .lm-TabBar-toolbar";

function buttonSelector(id: string): string {
  return `.lm-TabBar-toolbar .item > .action-label[id="${id}"]`;
}
