import { PatchbayError } from "@patchbay/core";
import { WebSocket } from "ws";
import type { CompanionAddress } from "./companion-address.ts";
import { parseIncoming } from "./claude-messages.ts";

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
