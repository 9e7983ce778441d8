import { Emitter, type Event } from "@patchbay/core";
import * as z from "zod";

/** What an agent is told of its end; the same as of a process. */
export interface AcpAgentExit {
  readonly code?: number;
  readonly signal?: string;
  readonly lastErrors: string;
  readonly isExpected: boolean;
}

const messageSchema: z.ZodType<AcpMessage> = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** A message as it was received: a request has an id, an answer no method. */
export interface AcpMessage {
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

/** An error that a handler answers with. */
export class AcpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Answers a request of the client's; what it throws becomes an error. */
export type AcpHandler = (params: unknown) => unknown;

/**
 * An agent that speaks the Agent Client Protocol without a process: JSON-RPC and what a test makes of it. Its messages go
 * through JSON, one at a time and never within the call that sent them, as through a pipe.
 */
export class AcpAgent {
  /** Requests and notifications of the client, oldest first. */
  readonly received: AcpMessage[] = [];
  readonly #handlers: Map<string, AcpHandler> = new Map();
  readonly #messages: Emitter<unknown> = new Emitter();
  readonly #exits: Emitter<AcpAgentExit> = new Emitter();
  readonly #pending: Map<number, (message: AcpMessage) => void> = new Map();
  readonly #waiting: Set<() => void> = new Set();
  #nextId = 0;
  #exited: AcpAgentExit | undefined;
  #isStopping = false;

  /** The client's end: what a process of an agent offers. */
  readonly channel: AcpAgentChannel;

  constructor() {
    const exited = (): AcpAgentExit | undefined => this.#exited;
    this.channel = {
      onMessage: this.#messages.event,
      onExit: this.#exits.event,
      get exited() {
        return exited();
      },
      get lastErrors() {
        return exited()?.lastErrors ?? "";
      },
      start: () => Promise.resolve(),
      send: (message) => this.#take(message),
      stop: () => this.#stop(),
    };
  }

  /** How requests of a method are answered from now on. Others are answered with -32601. */
  answers(method: string, handler: AcpHandler): void {
    this.#handlers.set(method, handler);
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** Asks the client; resolves with its result, rejects with its error. */
  async ask(method: string, params: unknown): Promise<unknown> {
    const message = await this.askRaw(method, params).reply;
    if (message.error !== undefined) throw new AcpError(message.error.code, message.error.message);
    return message.result;
  }

  /** The same with the id of the request, for those who take it back. */
  askRaw(method: string, params: unknown): { readonly id: number; readonly reply: Promise<AcpMessage> } {
    const id = this.#nextId++;
    const reply = new Promise<AcpMessage>((resolve) => this.#pending.set(id, resolve));
    this.#send({ id, method, params });
    return { id, reply };
  }

  /** What the client has said by this method, oldest first. */
  saidBy(method: string): readonly unknown[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  /** Resolves when the client has said something by this method, `count` times in all. */
  async until(method: string, count = 1): Promise<void> {
    while (this.saidBy(method).length < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Ends by itself, as a crash does. */
  exit(exit: Partial<AcpAgentExit> = {}): void {
    if (this.#exited !== undefined) return;
    this.#exited = { code: 1, lastErrors: "", isExpected: this.#isStopping, ...exit };
    this.#exits.fire(this.#exited);
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.resolve();
    this.exit({ code: 0 });
  }

  async #take(value: unknown): Promise<boolean> {
    if (this.#exited !== undefined) return false;
    const message: unknown = JSON.parse(JSON.stringify(value));
    await Promise.resolve();
    this.take(message);
    return true;
  }

  /** A message of the client has arrived. */
  protected take(value: unknown): void {
    const message = messageSchema.parse(value);
    if (message.method === undefined) this.#settle(message);
    else void this.#serve(message.method, message);
  }

  /** Says something to the client, whatever it is. */
  protected deliver(message: unknown): void {
    if (this.#exited !== undefined) return;
    const text = JSON.stringify(message);
    queueMicrotask(() => {
      if (this.#exited === undefined) this.#messages.fire(JSON.parse(text));
    });
  }

  #settle(message: AcpMessage): void {
    if (typeof message.id !== "number") return;
    this.#pending.get(message.id)?.(message);
    this.#pending.delete(message.id);
  }

  async #serve(method: string, message: AcpMessage): Promise<void> {
    this.received.push(message);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
    const handler = this.#handlers.get(method);
    if (message.id === undefined) {
      await handler?.(message.params);
      return;
    }
    const { id } = message;
    if (handler === undefined) {
      this.#send({ id, error: { code: -32_601, message: "Method not found" } });
      return;
    }
    try {
      this.#send({ id, result: (await handler(message.params)) ?? {} });
    } catch (error) {
      if (!(error instanceof AcpError)) throw error;
      this.#send({ id, error: { code: error.code, message: error.message, data: error.data } });
    }
  }

  #send(message: object): void {
    this.deliver({ jsonrpc: "2.0", ...message });
  }
}

/** What a session talks to: the part of a process that it uses. */
export interface AcpAgentChannel {
  readonly onMessage: Event<unknown>;
  readonly onExit: Event<AcpAgentExit>;
  readonly exited: AcpAgentExit | undefined;
  readonly lastErrors: string;
  start(): Promise<void>;
  send(message: unknown): Promise<boolean>;
  stop(): Promise<void>;
}
