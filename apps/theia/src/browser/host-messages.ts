import type { HostMessage } from "@patchbay/core";
import { MessageService } from "@theia/core/lib/common/message-service";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";

/** Shows what core has to say as Theia's notifications: never modal, never with the focus. */
@injectable()
export class HostMessages {
  @inject(MessageService)
  protected readonly messages: MessageService;

  async show({ code, severity, text, actions }: HostMessage): Promise<string | undefined> {
    const labels = actions.map((action) => nls.localize(`patchbay/action/${action}`, action));
    const shown = nls.localize(`patchbay/message/${code}`, text);
    const show = { info: "info", warning: "warn", error: "error" } as const;
    const answered = this.messages[show[severity]](shown, ...labels);
    // A plain notice has no answer to wait for: Theia's promise ends only when the notice goes away.
    if (actions.length === 0) return undefined;
    const answer = await answered;
    return answer === undefined ? undefined : actions[labels.indexOf(answer)];
  }
}
