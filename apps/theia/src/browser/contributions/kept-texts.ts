import type { KeptText } from "@patchbay/core";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import type { CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import type {
  TabBarToolbarContribution,
  TabBarToolbarRegistry,
} from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import { PatchbayServer } from "../../common/protocol.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { keptLabels, patchbayCommands } from "./patchbay-commands.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { keptWords } from "../surfaces/status-words.ts";
import { type ListItem, Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

type KeptAction = keyof typeof keptLabels;

const actions: readonly KeptAction[] = ["saveKept", "copyKept", "discardKept"];

/** Texts of the user that no agent takes any more: saved to their file, copied or discarded, in their view or from a list. */
@injectable()
export class KeptTexts implements CommandContribution, TabBarToolbarContribution {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(ClipboardService)
  protected readonly clipboard: ClipboardService;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(Notices)
  protected readonly notices: Notices;

  registerCommands(commands: CommandRegistry): void {
    const isEnabled = (): boolean => this.attachment.status.keptTexts.length > 0;
    for (const action of actions) {
      const execute = async (argument: unknown): Promise<void> => {
        const text = this.shownBy(argument) ?? (await this.choose());
        if (text !== undefined) await this.run(action, text);
      };
      commands.registerCommand(patchbayCommands[action], { isEnabled, execute });
    }
  }

  registerToolbarItems(toolbar: TabBarToolbarRegistry): void {
    const { onDidChange } = this.proposals;
    const isVisible = (widget?: Widget): boolean => this.shownBy(widget) !== undefined;
    for (const [place, action] of actions.entries()) {
      const { id } = patchbayCommands[action];
      toolbar.registerItem({ id, command: id, text: keptLabels[action], priority: place - 20, isVisible, onDidChange });
    }
  }

  /** Asks what becomes of a text. */
  async offer(text: KeptText): Promise<void> {
    const show = nls.localize("patchbay/notify/show", "Show");
    const items = [
      { label: show, run: async () => await this.server.reveal(text.id) },
      ...actions.map((action) => ({ label: keptLabels[action], run: async () => await this.run(action, text) })),
    ];
    await (await this.lists.choose(items, text.path))?.run();
  }

  protected shownBy(argument: unknown): KeptText | undefined {
    const proposal = argument instanceof Widget ? this.proposals.proposalOf(argument) : this.proposals.foreground;
    return this.attachment.status.keptTexts.find(({ id }) => id === proposal?.request.id);
  }

  protected async choose(): Promise<KeptText | undefined> {
    const placeholder = nls.localize("patchbay/kept/which", "Which text?");
    const items = this.attachment.status.keptTexts.map((text) => ({ ...keptItem(text), text }));
    return (await this.lists.choose(items, placeholder))?.text;
  }

  /** Does with a text what the user says. */
  async run(action: KeptAction, { id, path }: KeptText): Promise<void> {
    switch (action) {
      case "saveKept": {
        const saving = await this.server.saveKeptText(id);
        if (saving?.kind === "saved") this.notices.info(nls.localize("patchbay/kept/saved", "Saved to {0}.", path));
        else if (saving?.kind === "conflict") {
          this.notices.warn(
            nls.localize(
              "patchbay/kept/conflict",
              "{0} has changed in the same lines, so nothing was written. Copy your text instead.",
              path,
            ),
          );
        } else if (saving?.kind === "failed") this.notices.error(saving.reason);
        break;
      }
      case "copyKept": {
        const text = await this.server.readKeptText(id);
        if (text !== undefined) await this.clipboard.writeText(text);
        break;
      }
      case "discardKept": {
        const { DiscardDialog } = await import("../surfaces/careful-dialogs.ts");
        if ((await new DiscardDialog(fileUriOf(path).path.base).open()) === true) await this.server.discardKeptText(id);
        break;
      }
    }
  }
}

/** A kept text in a list. */
export function keptItem(text: KeptText): ListItem {
  const { path } = text;
  return { icon: "archive", label: fileUriOf(path).path.base, description: keptWords(text), detail: path };
}
