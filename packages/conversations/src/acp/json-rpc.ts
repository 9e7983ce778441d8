import { type Logger, messageOf } from "@patchbay/core";
import * as z from "zod";
import type { AgentProcess } from "../process/agent-process.ts";

/** The way to an agent: messages in, messages out. An `AgentProcess` is one; tests have agents without a process. */
export type AgentChannel = Pick<
  AgentProcess,
  "onMessage" | "onExit" | "exited" | "lastErrors" | "start" | "send" | "stop"
>;

/** An error of JSON-RPC 2.0. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What came of a request. `closed`: the agent's process ended before it answered. */
export type Reply =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "closed" };

/** What we answer to a request of the agent's. */
export type Answered =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: RpcError };

/** What we do with what an agent sends by itself. */
export interface PeerHandlers {
  /** Undefined: a method that is not known. `withdrawn` is aborted where the agent takes its request back. */
  onRequest(method: string, params: unknown, withdrawn: AbortSignal): Promise<Answered> | undefined;
  onNotification(method: string, params: unknown): void;
}

const errorCodes = { methodNotFound: -32601, internal: -32603 } as const;

const id = z.union([z.string(), z.number()]);

/** Requests, notifications and answers in one: which it is shows by what is there. */
const messageSchema = z.object({
  id: id.nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number().catch(errorCodes.internal),
      message: z.string().catch(""),
      data: z.unknown().optional(),
    })
    .nullish(),
});

const cancelSchema = z.object({ requestId: id });

/** One side of JSON-RPC 2.0 over messages. What cannot be understood is logged and ignored, as agents send things of their own. */
export class JsonRpcPeer {
  readonly #channel: AgentChannel;
  readonly #handlers: PeerHandlers;
  readonly #logger: Logger;
  readonly #pending: Map<string | number, (reply: Reply) => void> = new Map();
  readonly #served: Map<string | number, AbortController> = new Map();
  #nextId = 0;
  #isClosed = false;

  constructor(channel: AgentChannel, handlers: PeerHandlers, logger: Logger) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#logger = logger;
    channel.onMessage((message) => this.#receive(message));
    channel.onExit(() => this.#close());
  }

  /** Never rejects. */
  async request(method: string, params: unknown): Promise<Reply> {
    if (this.#isClosed || this.#channel.exited !== undefined) return { kind: "closed" };
    const requestId = this.#nextId++;
    const reply = new Promise<Reply>((resolve) => this.#pending.set(requestId, resolve));
    // Where nobody reads, the process has ended or is about to: its end answers.
    void this.#channel.send({ jsonrpc: "2.0", id: requestId, method, params });
    return await reply;
  }

  notify(method: string, params: unknown): void {
    void this.#channel.send({ jsonrpc: "2.0", method, params });
  }

  #receive(value: unknown): void {
    const message = messageSchema.safeParse(value).data;
    if (message === undefined) {
      this.#logger.warn("A message of an agent is not JSON-RPC and was ignored");
    } else if (message.method === undefined) {
      if (message.id != null) this.#settle(message.id, message.error ?? undefined, message.result);
    } else if (message.id != null) {
      void this.#serve(message.id, message.method, message.params);
    } else if (message.method === "$/cancel_request") {
      const cancelled = cancelSchema.safeParse(message.params).data;
      if (cancelled !== undefined) this.#served.get(cancelled.requestId)?.abort();
    } else {
      this.#notified(message.method, message.params);
    }
  }

  #notified(method: string, params: unknown): void {
    try {
      this.#handlers.onNotification(method, params);
    } catch (error) {
      this.#logger.error("A notification of an agent could not be handled", { method, reason: messageOf(error) });
    }
  }

  #settle(requestId: string | number, error: RpcError | undefined, value: unknown): void {
    const resolve = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    resolve?.(error === undefined ? { kind: "result", value } : { kind: "error", error });
  }

  async #serve(requestId: string | number, method: string, params: unknown): Promise<void> {
    const withdrawn = new AbortController();
    this.#served.set(requestId, withdrawn);
    const answered = await this.#answer(method, params, withdrawn.signal);
    this.#served.delete(requestId);
    const outcome = answered.kind === "result" ? { result: answered.value } : { error: answered.error };
    void this.#channel.send({ jsonrpc: "2.0", id: requestId, ...outcome });
  }

  async #answer(method: string, params: unknown, withdrawn: AbortSignal): Promise<Answered> {
    try {
      const answered = this.#handlers.onRequest(method, params, withdrawn);
      if (answered !== undefined) return await answered;
      return { kind: "error", error: { code: errorCodes.methodNotFound, message: `Method not found: ${method}` } };
    } catch (error) {
      this.#logger.error("A request of an agent could not be handled", { method, reason: messageOf(error) });
      return { kind: "error", error: { code: errorCodes.internal, message: messageOf(error) } };
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pending = Array.from(this.#pending.values());
    this.#pending.clear();
    for (const resolve of pending) resolve({ kind: "closed" });
    for (const withdrawn of this.#served.values()) withdrawn.abort();
  }
}
