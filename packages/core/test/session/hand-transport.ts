import type { AgentTransport } from "../../src/endpoint/endpoint.ts";
import type { TcpPorts } from "../../src/platform/platform.ts";
import { Emitter, type Event } from "../../src/support/emitter.ts";

/** The end of a connection that tests open and close by hand. */
export class HandTransport implements AgentTransport {
  readonly kind = "streamable-http";
  isOpen = false;
  isClosed = false;
  ports: TcpPorts | undefined;
  readonly pushed: string[] = [];
  readonly #opened: Emitter<void> = new Emitter();
  readonly #lost: Emitter<void> = new Emitter();
  readonly onDidOpen: Event<void> = this.#opened.event;
  readonly onDidLoseStream: Event<void> = this.#lost.event;
  onclose?: () => void;
  onmessage?: NonNullable<AgentTransport["onmessage"]>;

  openStream(): void {
    this.isOpen = true;
    this.#opened.fire();
  }

  loseStream(): void {
    this.isOpen = false;
    this.#lost.fire();
  }

  pushLatest(_slot: string, json: string): void {
    this.pushed.push(json);
  }

  /** What the agent has not shown to have yet. */
  readonly unconfirmed: (() => void)[] = [];

  /** The agent shows that it has all it was sent. */
  confirm(): void {
    for (const delivered of this.unconfirmed.splice(0)) delivered();
  }

  pushReliable(json: string, onDelivered?: () => void): ReturnType<AgentTransport["pushReliable"]> {
    this.pushed.push(json);
    if (onDelivered !== undefined) this.unconfirmed.push(onDelivered);
    return { eventId: 0, isTaken: false, dispose: () => {} };
  }

  async start(): Promise<void> {}

  async send(): Promise<void> {}

  async close(): Promise<void> {
    this.isClosed = true;
    this.onclose?.();
  }
}
