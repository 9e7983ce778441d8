import { PatchbayError } from "@patchbay/core";
import { WebSocket } from "ws";
import * as z from "zod";
import type { CompanionAddress } from "../records.ts";

export interface ClaudeSocketOptions {
  readonly address: CompanionAddress;
  readonly version: string;
  readonly onNotification: (method: string, params: unknown) => void;
  /** The connection ended; `problem` says how. Not called after `end`. */
  readonly onClose: (problem: string) => void;
}

/** Notifications that come this soon after the connection opened are lost in the real client. */
const deafMs = 200;

/** One WebSocket of Claude Code with its JSON-RPC calls. */
export class ClaudeSocket {
  readonly #socket: WebSocket;
  readonly #calls: Map<number, { resolve(result: unknown): void; reject(error: Error): void }> = new Map();
  readonly #openedAt: number = performance.now();
  #nextId = 0;
  #ended = false;

  private constructor(socket: WebSocket, options: ClaudeSocketOptions) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => {
      if (!isBinary && Buffer.isBuffer(data)) this.#receive(data.toString("utf8"), options.onNotification);
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => this.#closed(`The connection closed with code ${code}.`, options.onClose));
  }

  static async open(options: ClaudeSocketOptions): Promise<ClaudeSocket> {
    const { port, token } = options.address;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, ["mcp"], {
      headers: {
        "user-agent": `claude-code/${options.version} (cli)`,
        ...(token === undefined ? {} : { "x-claude-code-ide-authorization": token }),
      },
      perMessageDeflate: true,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return new ClaudeSocket(socket, options);
  }

  notify(method: string, params?: Readonly<Record<string, unknown>>): void {
    this.#send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  async request(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const id = this.#nextId++;
    return await new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      const progress = method === "tools/call" ? { _meta: { progressToken: id } } : {};
      this.#send({
        method,
        ...(params === undefined ? {} : { params: { ...params, ...progress } }),
        jsonrpc: "2.0",
        id,
      });
    });
  }

  cut(how: "clean" | "reset"): void {
    if (how === "clean") this.#socket.close();
    else this.#socket.terminate();
  }

  end(): void {
    this.#ended = true;
    this.#socket.terminate();
  }

  #send(message: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #receive(text: string, onNotification: (method: string, params: unknown) => void): void {
    const message = parseIncoming(text);
    if (message.method !== undefined) {
      if (message.id !== undefined) this.#send({ jsonrpc: "2.0", id: message.id, result: {} });
      else if (performance.now() - this.#openedAt >= deafMs) onNotification(message.method, message.params);
      return;
    }
    const call = this.#calls.get(Number(message.id));
    this.#calls.delete(Number(message.id));
    if (message.error === undefined) call?.resolve(message.result);
    else call?.reject(new PatchbayError("host-failed", message.error.message));
  }

  #closed(problem: string, onClose: (problem: string) => void): void {
    for (const call of this.#calls.values()) call.reject(new PatchbayError("stopped", problem));
    this.#calls.clear();
    if (!this.#ended) onClose(problem);
  }
}

/** One message of the companion: an answer, a request or a notification. */
interface IncomingMessage {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string } | undefined;
}

interface Place {
  readonly line: number;
  readonly character: number;
}

/** `selection_changed`, 0-based. */
export interface SelectionTold {
  readonly text: string;
  readonly filePath: string;
  readonly selection?: { readonly start: Place; readonly end: Place; readonly isEmpty: boolean } | null | undefined;
}

/** `at_mentioned`, 0-based. */
export interface MentionTold {
  readonly filePath: string;
  readonly lineStart?: number | undefined;
  readonly lineEnd?: number | undefined;
}

const incomingSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const place = z.object({ line: z.number(), character: z.number() });

const selectionSchema = z.object({
  text: z.string(),
  filePath: z.string(),
  selection: z.object({ start: place, end: place, isEmpty: z.boolean() }).nullable().optional(),
});

const mentionSchema = z.object({
  filePath: z.string(),
  lineStart: z.number().optional(),
  lineEnd: z.number().optional(),
});

const toolListSchema = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });

function parseIncoming(text: string): IncomingMessage {
  return incomingSchema.parse(JSON.parse(text));
}

/** Undefined where it does not fit: the client ignores it. */
export function parseSelection(params: unknown): SelectionTold | undefined {
  return selectionSchema.safeParse(params).data;
}

/** Undefined where it does not fit: the client ignores it. */
export function parseMention(params: unknown): MentionTold | undefined {
  return mentionSchema.safeParse(params).data;
}

/** Names of the tools in an answer to tools/list. */
export function parseToolNames(result: unknown): readonly string[] {
  return toolListSchema.parse(result).tools.map((tool) => tool.name);
}
