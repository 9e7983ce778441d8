import { MessageService } from "@theia/core/lib/common/message-service";
import { MessageClient, MessageType } from "@theia/core/lib/common/message-service-protocol";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { WindowMessage } from "../../common/protocol.ts";
import { messageText } from "./texts.ts";

const severities: Readonly<Record<"info" | "warn" | "error", MessageType>> = {
  info: MessageType.Info,
  warn: MessageType.Warning,
  error: MessageType.Error,
};

/** A notification that can be taken back. */
export interface Notice {
  /** The button that was pressed; undefined where it was closed, taken back or hid itself. */
  readonly answer: Promise<string | undefined>;
  /** Takes it away: what it was about is over. */
  withdraw(): void;
}

export interface NoticeOptions {
  readonly actions?: readonly string[];
  /** Hides itself after so many milliseconds; default: as Theia's preference says. */
  readonly timeout?: number;
}

/** The only place that shows notifications, so that no text comes to a person as it is. Actions are our own words. */
@injectable()
export class Notices {
  @inject(MessageService)
  protected readonly messages: MessageService;
  @inject(MessageClient)
  protected readonly client: MessageClient;

  info(text: string, options?: NoticeOptions): Notice {
    return this.show("info", text, options);
  }

  warn(text: string, options?: NoticeOptions): Notice {
    return this.show("warn", text, options);
  }

  error(text: string, options?: NoticeOptions): Notice {
    return this.show("error", text, options);
  }

  protected show(severity: keyof typeof severities, text: string, options: NoticeOptions = {}): Notice {
    const { actions = [], timeout } = options;
    const shown = messageText(text);
    const answer =
      timeout === undefined
        ? this.messages[severity](shown, ...actions)
        : this.messages[severity](shown, { timeout }, ...actions);
    return { answer, withdraw: () => this.clear(severities[severity], shown, actions) };
  }

  /** Theia's service cannot take a message back, its notifications can. An application with other ones keeps it. */
  protected clear(type: MessageType, text: string, actions: readonly string[]): void {
    const { client } = this;
    if (!("clear" in client) || typeof client.clear !== "function") return;
    if (!("getMessageId" in client) || typeof client.getMessageId !== "function") return;
    client.clear(client.getMessageId({ type, text, actions }));
  }
}

/** Said of conversations: the status bar counts what waits, and notices lie over a panel in the right side bar. */
const brief = "conversation";
const briefMs = 8_000;

/** Behind it stands what core says, in English with places for its values. */
const ofMessages = "patchbay/message/";

/** Shows what core has to say as Theia's notifications: never modal, never with the focus. */
@injectable()
export class HostMessages {
  @inject(Notices)
  protected readonly notices: Notices;

  /** What stands on the screen. */
  protected readonly asking: Map<number, Notice> = new Map();

  /** The question was answered elsewhere, or what was told is over. */
  withdraw(id: number): void {
    this.asking.get(id)?.withdraw();
  }

  async show({ id, code, severity, text, values, actions }: WindowMessage): Promise<string | undefined> {
    const labels = actions.map((action) => nls.localize(`${ofMessages}${action}`, action));
    // The values are in the sentence and apart, so that it can be looked up.
    const filled = (one: string): string => one.replace(/\{(\w+)\}/gu, (place, name: string) => values[name] ?? place);
    const key = Object.keys(nls.localization?.translations ?? {}).find((one) => filled(one) === ofMessages + text);
    const shown = key === undefined ? text : filled(nls.localize(key, text));
    const timeout = code === brief ? { timeout: briefMs } : {};
    const notice = this.notices[severity === "warning" ? "warn" : severity](shown, { actions: labels, ...timeout });
    this.asking.set(id, notice);
    const ended = notice.answer.finally(() => this.asking.delete(id));
    // A plain notice has no answer to wait for: Theia's promise ends only when the notice goes away.
    if (actions.length === 0) return undefined;
    const answer = await ended;
    return answer === undefined ? undefined : actions[labels.indexOf(answer)];
  }
}
