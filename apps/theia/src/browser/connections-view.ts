import type { SessionInfo } from "@patchbay/core";
import { QuickInputService } from "@theia/core/lib/browser/quick-input/quick-input-service";
import { nls } from "@theia/core/lib/common/nls";
import type { QuickPickItem } from "@theia/core/lib/common/quick-pick-service";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { inject, injectable } from "@theia/core/shared/inversify";
import { PatchbayServer } from "../common/protocol.ts";
import { fileUriOf } from "./file-paths.ts";
import { WindowAttachment } from "./window-attachment.ts";

interface ConnectionItem extends QuickPickItem {
  readonly proposalId?: string;
}

/** Lists who is connected and what waits for the user; choosing a proposal brings it to the front. */
@injectable()
export class ConnectionsView {
  @inject(QuickInputService)
  protected readonly quickInput: QuickInputService;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;

  async show(): Promise<void> {
    const { sessions, proposals } = this.attachment.status;
    const items: ConnectionItem[] = sessions.map((session) => ({
      label: `$(plug) ${session.agentName}`,
      description: [session.version ?? "", stateWord(session)].filter((part) => part !== "").join(" · "),
    }));
    for (const { id, path, agentName } of proposals) {
      items.push({ label: `$(git-pull-request) ${fileUriOf(path).path.base}`, description: agentName, proposalId: id });
    }
    const chosen = await this.quickInput.showQuickPick(items, { placeholder: this.summary });
    if (chosen?.proposalId !== undefined) await this.server.reveal(chosen.proposalId);
  }

  /** How things stand, in one sentence. */
  get summary(): string {
    const { state, sessions } = this.attachment.status;
    switch (state.kind) {
      case "no-folder":
        return nls.localize("patchbay/state/noFolder", "Open a folder: agents find a window by its folders.");
      case "starting":
      case "stopped":
        return nls.localize("patchbay/state/starting", "Patchbay is starting.");
      case "failed":
        return state.message;
      case "listening":
        return sessions.length > 0
          ? nls.localize("patchbay/state/connected", "Connected agents and open proposals (port {0})", state.port)
          : nls.localize(
              "patchbay/state/waiting",
              "No agent is connected (port {0}). Start one in a new terminal of this window.",
              state.port,
            );
    }
  }
}

function stateWord(session: SessionInfo): string {
  switch (session.state) {
    case "connecting":
      return nls.localize("patchbay/session/connecting", "connecting");
    case "connected":
      return nls.localize("patchbay/session/connected", "connected");
    case "away":
      return nls.localize("patchbay/session/away", "away, may come back");
  }
}
