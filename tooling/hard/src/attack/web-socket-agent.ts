import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import * as z from "zod";
import { frame, opcodes, readFrames, type ReceivedFrame } from "./web-socket-frames.ts";

const incomingSchema = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

export type Incoming = z.infer<typeof incomingSchema>;

export interface WebSocketAgentOptions {
  readonly port: number;
  readonly token?: string | undefined;
  readonly headers?: readonly string[];
  readonly path?: string;
}

/** What an upgrade was answered with. */
export interface UpgradeAnswer {
  readonly status: number;
  readonly head: string;
}

/** An agent of the Claude protocol on a bare socket: it can send any frame, right or wrong. */
export class WebSocketAgent {
  readonly socket: Socket;
  readonly answer: UpgradeAnswer;
  readonly messages: Incoming[] = [];
  readonly frames: ReceivedFrame[] = [];
  /** Code of the close frame that came; 0 where the socket ended without one. */
  closeCode: number | undefined;
  isClosed = false;
  pongs = 0;
  readonly #waiting: Set<() => void> = new Set();
  /** What came of a frame that is not whole yet, and how many bytes are needed before it is looked at again. */
  #rest: Buffer[];
  /** Of a message whose last frame has not come. */
  readonly #fragments: Buffer[] = [];
  #restBytes: number;
  #neededBytes = 0;
  #nextId = 1;

  private constructor(socket: Socket, answer: UpgradeAnswer, rest: Buffer) {
    this.socket = socket;
    this.answer = answer;
    this.#rest = [rest];
    this.#restBytes = rest.length;
    // What follows a refusal are no frames.
    if (answer.status === 101) socket.on("data", (chunk: Buffer) => this.#take(chunk));
    else socket.resume();
    socket.on("close", () => {
      this.isClosed = true;
      this.closeCode ??= 0;
      this.#wake();
    });
    if (answer.status === 101) this.#take(Buffer.alloc(0));
  }

  /** Asks for the upgrade; a refusal is an answer, too. */
  static async dial(options: WebSocketAgentOptions): Promise<WebSocketAgent> {
    const socket = connect({ host: "127.0.0.1", port: options.port });
    socket.on("error", () => undefined);
    const lines = [
      `GET ${options.path ?? "/"} HTTP/1.1`,
      `Host: 127.0.0.1:${options.port}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      "Sec-WebSocket-Protocol: mcp",
      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
      ...(options.token === undefined ? [] : [`x-claude-code-ide-authorization: ${options.token}`]),
      ...(options.headers ?? []),
      "",
      "",
    ];
    socket.write(lines.join("\r\n"));
    let received = Buffer.alloc(0);
    const end = await new Promise<number>((resolve) => {
      const look = (): void => {
        const at = received.indexOf("\r\n\r\n");
        if (at >= 0) resolve(at + 4);
      };
      socket.on("data", function take(chunk: Buffer) {
        received = Buffer.concat([received, chunk]);
        if (received.includes("\r\n\r\n")) socket.off("data", take);
        look();
      });
      socket.once("close", () => resolve(-1));
    });
    const head = received.subarray(0, end < 0 ? received.length : end).toString("latin1");
    const status = Number(/^HTTP\/1\.1 (\d{3})/u.exec(head)?.[1] ?? 0);
    return new WebSocketAgent(socket, { status, head }, end < 0 ? Buffer.alloc(0) : received.subarray(end));
  }

  /** Dials and shakes hands as Claude Code does. */
  static async connect(options: WebSocketAgentOptions): Promise<WebSocketAgent> {
    const agent = await WebSocketAgent.dial(options);
    if (agent.answer.status !== 101) throw new Error(`The upgrade was refused: ${agent.answer.head}`);
    await agent.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "claude-code", version: "2.1.328" },
    });
    agent.notify("notifications/initialized");
    agent.notify("ide_connected", { pid: process.pid });
    await agent.request("tools/list");
    return agent;
  }

  send(bytes: Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  sendText(text: string): void {
    this.send(frame({ opcode: opcodes.text, payload: text }));
  }

  notify(method: string, params?: Readonly<Record<string, unknown>>): void {
    this.sendText(JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }));
  }

  async request(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: { readonly id?: string | number; readonly timeoutMs?: number } = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const id = options.id ?? this.#nextId++;
    const from = this.messages.length;
    this.sendText(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const message = await this.message(({ id: answered, method: asked }) => asked === undefined && answered === id, {
      from,
      timeoutMs: options.timeoutMs ?? 10_000,
    });
    if (message.error !== undefined) throw new Error(`${method}: ${message.error.code} ${message.error.message}`);
    return message.result ?? {};
  }

  /** Texts of a tool's answer, behind `isError: ` where it failed. */
  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: { readonly id?: string | number; readonly timeoutMs?: number },
  ): Promise<readonly string[]> {
    const result = await this.request("tools/call", { name, arguments: args }, options);
    const { content, isError } = z
      .object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() })
      .parse(result);
    return content.map(({ text }) => (isError === true ? `isError: ${text}` : text));
  }

  openDiff(path: string, text: string, tab = path): Promise<readonly string[]> {
    return this.callTool(
      "openDiff",
      { old_file_path: path, new_file_path: path, new_file_contents: text, tab_name: tab },
      { timeoutMs: 30_000 },
    );
  }

  async message(
    matches: (message: Incoming) => boolean,
    options: { readonly from?: number; readonly timeoutMs?: number } = {},
  ): Promise<Incoming> {
    let found: Incoming | undefined;
    await this.until(
      () => (found = this.messages.slice(options.from ?? 0).find(matches)) !== undefined,
      options.timeoutMs,
    );
    if (found === undefined) throw new Error(`The socket closed with ${this.closeCode} before the message.`);
    return found;
  }

  /** Waits until something holds or the socket is closed. */
  async until(holds: () => boolean, timeoutMs = 5_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!holds() && !this.isClosed) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Nothing within ${timeoutMs} ms; ${this.messages.length} messages came.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** The code with which the other side closes. */
  async closed(timeoutMs?: number): Promise<number> {
    await this.until(() => this.closeCode !== undefined, timeoutMs);
    return this.closeCode ?? 0;
  }

  crash(): void {
    this.socket.resetAndDestroy();
  }

  #take(chunk: Buffer): void {
    this.#rest.push(chunk);
    this.#restBytes += chunk.length;
    if (this.#restBytes < this.#neededBytes) return;
    const { frames, rest, neededBytes } = readFrames(Buffer.concat(this.#rest));
    this.#rest = [rest];
    this.#restBytes = rest.length;
    this.#neededBytes = neededBytes;
    for (const one of frames) {
      this.frames.push(one);
      if (one.opcode === opcodes.text || one.opcode === opcodes.continuation) {
        this.#fragments.push(one.payload);
        if (!one.isFinal) continue;
        const text = Buffer.concat(this.#fragments.splice(0)).toString("utf8");
        this.messages.push(incomingSchema.parse(JSON.parse(text)));
      } else if (one.opcode === opcodes.pong) this.pongs += 1;
      else if (one.opcode === opcodes.ping) this.send(frame({ opcode: opcodes.pong, payload: one.payload }));
      else if (one.opcode === opcodes.close) {
        this.closeCode = one.payload.length >= 2 ? one.payload.readUInt16BE(0) : 1005;
      }
    }
    this.#wake();
  }

  #wake(): void {
    for (const resolve of Array.from(this.#waiting)) resolve();
    this.#waiting.clear();
  }
}
