import type { KeptText } from "@patchbay/core";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { inject, injectable } from "@theia/core/shared/inversify";
import { PatchbayServer } from "../common/protocol.ts";
import { fileUriOf } from "./file-paths.ts";
import { KeptTexts, keptItem } from "./kept-texts.ts";
import { proposalWords, stateWord, summaryOf } from "./status-words.ts";
import { type ListItem, Lists } from "./surfaces/lists.ts";
import { WindowAttachment } from "./window-attachment.ts";

interface ConnectionItem extends ListItem {
  readonly proposalId?: string;
  readonly text?: KeptText;
}

/** Lists who is connected and what waits for the user; choosing a proposal brings it to the front. */
@injectable()
export class ConnectionsView {
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(KeptTexts)
  protected readonly kept: KeptTexts;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;

  async show(): Promise<void> {
    const { sessions, proposals, keptTexts } = this.attachment.status;
    const items: ConnectionItem[] = sessions.map((session) => ({
      icon: "plug",
      label: session.agentName,
      description: [session.version ?? "", stateWord(session)].filter((part) => part !== "").join(" · "),
    }));
    for (const proposal of proposals.filter(({ state }) => state !== "kept")) {
      items.push({
        icon: "git-pull-request",
        label: fileUriOf(proposal.path).path.base,
        description: proposalWords(proposal),
        detail: proposal.path,
        proposalId: proposal.id,
      });
    }
    for (const text of keptTexts) items.push({ ...keptItem(text), text });
    const chosen = await this.lists.choose(items, summaryOf(this.attachment.status));
    if (chosen?.text !== undefined) await this.kept.offer(chosen.text);
    else if (chosen?.proposalId !== undefined) await this.server.reveal(chosen.proposalId);
  }
}
