import { type Presence, presencesOf, promptPaste } from "@patchbay/core/presences";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { inject, injectable } from "@theia/core/shared/inversify";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import type { TerminalWidget } from "@theia/terminal/lib/browser/base/terminal-widget";
import { PatchbayServer } from "../../common/protocol.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

/** How long an agent takes to close its question and show its prompt again, ms. */
const promptBackMs = 500;

/** The terminals of this window in which agents run, and their prompts. */
@injectable()
export class AgentPrompts {
  @inject(TerminalService)
  protected readonly terminals: TerminalService;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;

  /** Where an agent runs; undefined where that is in no terminal of this window. */
  async terminalOf({ processes }: Pick<Presence, "processes">): Promise<TerminalWidget | undefined> {
    const { all } = this.terminals;
    if (processes.length === 0 || all.length === 0) return undefined;
    const above = await this.server.withParents(processes);
    for (const terminal of all) if (above.includes(await terminal.processId)) return terminal;
    return undefined;
  }

  /** Puts a text into the prompt of an agent once its question is gone from there, and does not send it. False: it went nowhere. */
  async pasteOnceFree({ id }: Pick<Presence, "id">, text: string): Promise<boolean> {
    await new Promise<void>((resolve) => setTimeout(resolve, promptBackMs));
    const presence = presencesOf(this.attachment.status).find((one) => one.id === id);
    return presence !== undefined && (await this.paste(presence, text));
  }

  /** Puts a text into the prompt of the agent that was active last, of those that take one now. Its name; undefined: it went nowhere. */
  async pasteIntoLatest(text: string): Promise<string | undefined> {
    for (const presence of presencesOf(this.attachment.status)) {
      if (await this.paste(presence, text)) return presence.agentName;
    }
    return undefined;
  }

  protected async paste(presence: Presence, text: string): Promise<boolean> {
    const paste = promptPaste(text, presence);
    const terminal = paste === undefined ? undefined : await this.terminalOf(presence);
    if (terminal === undefined || paste === undefined) return false;
    terminal.sendText(paste);
    return true;
  }
}
