import { type PresenceNews, PresenceWatch } from "@patchbay/core/presences";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { AgentPrompts } from "./agent-prompts.ts";
import { AgentTerminals } from "./agent-terminals.ts";

/** Tells the user of an agent that begins to wait, or has finished, where they do not see its terminal. A preference; off by default. */
@injectable()
export class AgentNotices implements FrontendApplicationContribution {
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(AgentTerminals)
  protected readonly agentTerminals: AgentTerminals;
  @inject(Notices)
  protected readonly notices: Notices;
  protected readonly watch: PresenceWatch = new PresenceWatch();

  onStart(): void {
    this.attachment.onDidChangeStatus((status) => {
      const news = this.watch.look(status);
      if (preferenceOf<string>(this.preferences, preferenceNames.notify, "never") !== "hiddenTerminal") return;
      for (const one of news) void this.tell(one);
    });
  }

  protected async tell({ presence, what }: PresenceNews): Promise<void> {
    const terminal = await this.prompts.terminalOf(presence);
    if (terminal?.isVisible === true && globalThis.document.hasFocus()) return;
    const show = nls.localize("patchbay/notify/show", "Show");
    if ((await this.notices.info(sentenceFor({ presence, what }), { actions: [show] }).answer) === show) {
      await this.agentTerminals.goTo(presence);
    }
  }
}

function sentenceFor({ presence: { agentName, title }, what }: PresenceNews): string {
  const about = title ?? nls.localize("patchbay/notify/untitled", "a session without a prompt");
  if (what === "waits") {
    return nls.localize("patchbay/notify/waits", "{0} is waiting for your answer: {1}", agentName, about);
  }
  return what === "finished"
    ? nls.localize("patchbay/notify/finished", "{0} has finished: {1}", agentName, about)
    : nls.localize("patchbay/notify/ended", "{0} has ended: {1}", agentName, about);
}
