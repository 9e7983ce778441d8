import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { WindowMessage } from "../common/protocol.ts";
import { type Notice, Notices } from "./surfaces/notices.ts";

/** Shows what core has to say as Theia's notifications: never modal, never with the focus. */
@injectable()
export class HostMessages {
  @inject(Notices)
  protected readonly notices: Notices;

  protected readonly asking: Map<number, Notice> = new Map();

  /** The question was answered elsewhere. */
  withdraw(id: number): void {
    this.asking.get(id)?.withdraw();
  }

  async show({ id, code, severity, text, actions }: WindowMessage): Promise<string | undefined> {
    const labels = actions.map((action) => nls.localize(`patchbay/action/${action}`, action));
    const shown = nls.localize(`patchbay/message/${code}`, text);
    const show = { info: "info", warning: "warn", error: "error" } as const;
    const notice = this.notices[show[severity]](shown, { actions: labels });
    // A plain notice has no answer to wait for: Theia's promise ends only when the notice goes away.
    if (actions.length === 0) return undefined;
    this.asking.set(id, notice);
    const answer = await notice.answer;
    this.asking.delete(id);
    return answer === undefined ? undefined : actions[labels.indexOf(answer)];
  }
}
