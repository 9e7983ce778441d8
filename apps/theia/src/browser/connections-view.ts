import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { inject, injectable } from "@theia/core/shared/inversify";
import { PatchbayServer } from "../common/protocol.ts";
import { fileUriOf } from "./file-paths.ts";
import { stateWord, summaryOf } from "./status-words.ts";
import { type ListItem, Lists } from "./surfaces/lists.ts";
import { WindowAttachment } from "./window-attachment.ts";

interface ConnectionItem extends ListItem {
  readonly proposalId?: string;
}

/** Lists who is connected and what waits for the user; choosing a proposal brings it to the front. */
@injectable()
export class ConnectionsView {
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;

  async show(): Promise<void> {
    const { sessions, proposals } = this.attachment.status;
    const items: ConnectionItem[] = sessions.map((session) => ({
      icon: "plug",
      label: session.agentName,
      description: [session.version ?? "", stateWord(session)].filter((part) => part !== "").join(" · "),
    }));
    for (const { id, path, agentName } of proposals) {
      items.push({
        icon: "git-pull-request",
        label: fileUriOf(path).path.base,
        description: agentName,
        detail: path,
        proposalId: id,
      });
    }
    const chosen = await this.lists.choose(items, summaryOf(this.attachment.status));
    if (chosen?.proposalId !== undefined) await this.server.reveal(chosen.proposalId);
  }
}
