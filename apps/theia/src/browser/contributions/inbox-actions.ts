import { CommandRegistry } from "@theia/core/lib/common/command";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { inject, injectable } from "@theia/core/shared/inversify";
import { PatchbayServer } from "../../common/protocol.ts";
import { AgentChanges } from "./agent-changes.ts";
import { AgentTerminals } from "./agent-terminals.ts";
import { KeptTexts } from "./kept-texts.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { couldNotBeDone, decidableIds, type InboxAction } from "../inbox/inbox-row.ts";
import type { InboxRequest } from "../inbox/inbox-widget.ts";

/** Does what is wanted of the rows of the view "Review". */
@injectable()
export class InboxActions {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(KeptTexts)
  protected readonly kept: KeptTexts;
  @inject(AgentChanges)
  protected readonly changes: AgentChanges;
  @inject(AgentTerminals)
  protected readonly terminals: AgentTerminals;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;

  /** Rejects where it could not be done. */
  async fulfil({ row, action }: InboxRequest): Promise<void> {
    const { subject } = row;
    switch (subject.kind) {
      case "presence":
      case "folder":
        // Verdicts ask first.
        if (action === "showAll" || action === "acceptAll" || action === "rejectAll") {
          await this.commands.executeCommand(patchbayCommands[action].id, decidableIds(row.children));
          return;
        }
        if (subject.kind === "folder" || subject.presence === undefined) return;
        if (action === "terminal") await this.terminals.show(subject.presence);
        else await this.terminals.goTo(subject.presence);
        return;
      case "command":
        await this.server.showCommand(subject.command.id);
        return;
      case "turn":
        if (action === "open" || action === "keep" || action === "undo")
          await this.changes.act(action, subject.turn, subject.path);
        return;
      case "kept": {
        const done = { save: "saveKept", copy: "copyKept", discard: "discardKept" } as const;
        if (action === "save" || action === "copy" || action === "discard")
          await this.kept.run(done[action], subject.text);
        else if (action === "open") await this.kept.offer(subject.text);
        return;
      }
      case "proposal":
        if (action !== "terminal") await this.decide(subject.proposal.id, action);
        else if (subject.presence !== undefined) await this.terminals.show(subject.presence);
    }
  }

  protected async decide(id: string, action: InboxAction): Promise<void> {
    if (action === "accept" || action === "reject") {
      // What could not be accepted says why in its review.
      if ((await this.server.decideAll(action, [id])) === 0) await this.reveal(id);
    } else if (action === "hold") await this.server.hold(id);
    else await this.reveal(id);
  }

  protected async reveal(id: string): Promise<void> {
    const isThere = (): boolean => this.attachment.status.proposals.some((one) => one.id === id);
    // What has been decided meanwhile is no row any more, which says enough.
    if (!(await this.server.reveal(id)) && isThere()) this.notices.warn(couldNotBeDone);
  }
}
