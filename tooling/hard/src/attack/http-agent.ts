import { Agent, type IncomingMessage, request } from "node:http";
import * as z from "zod";
import { EventReader, type StreamEvent } from "./event-reader.ts";

const messageSchema = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const toolResultSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
});

export type ToolResult = z.infer<typeof toolResultSchema>;

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage["headers"];
}

export interface HttpAgentOptions {
  readonly port: number;
  readonly token: string;
  readonly clientVersion?: string;
  readonly protocolVersion?: string;
  /** An id from before: no handshake. */
  readonly sessionId?: string;
}

/** An agent of the Gemini family, made of nothing but node:http: it can be as wrong as a test wants. */
export class HttpAgent {
  readonly port: number;
  readonly token: string;
  /** Everything told on any of its streams, in order. */
  readonly told: StreamEvent[] = [];
  sessionId = "";
  stream: EventReader | undefined;
  readonly #agent: Agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #nextId = 1;

  constructor(port: number, token: string) {
    this.port = port;
    this.token = token;
  }

  /** Initializes, opens the stream and lists the tools, in the order in which the real clients do. */
  static async connect(options: HttpAgentOptions): Promise<HttpAgent> {
    const agent = await HttpAgent.begin(options);
    await agent.openStream();
    await agent.request("tools/list");
    return agent;
  }

  /** Only the handshake. */
  static async begin(options: HttpAgentOptions): Promise<HttpAgent> {
    const agent = new HttpAgent(options.port, options.token);
    if (options.sessionId !== undefined) {
      agent.sessionId = options.sessionId;
      return agent;
    }
    const answer = await agent.post(initializeMessage(options));
    agent.sessionId = String(answer.headers["mcp-session-id"] ?? "");
    if (answer.status !== 200 || agent.sessionId === "") throw new Error(`initialize: ${answer.status} ${answer.text}`);
    await agent.notify("notifications/initialized");
    return agent;
  }

  post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    return this.exchange("POST", headers, bytes);
  }

  exchange(method: string, headers: Readonly<Record<string, string>> = {}, body?: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path: "/mcp",
          method,
          agent: this.#agent,
          headers: {
            ...this.#headers(),
            ...(body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(chunks).toString("utf8"),
              headers: response.headers,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async request(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    id: string | number = this.#nextId++,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.post({ jsonrpc: "2.0", id, method, params });
    if (answer.status !== 200) throw new Error(`${method}: ${answer.status} ${answer.text.slice(0, 300)}`);
    const message = messageSchema.parse(JSON.parse(answer.text));
    if (message.id !== id) throw new Error(`${method}: asked with id ${id}, answered with ${String(message.id)}`);
    if (message.error !== undefined) throw new Error(`${method}: ${message.error.code} ${message.error.message}`);
    return message.result ?? {};
  }

  async notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void> {
    await this.post({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, id?: string | number): Promise<ToolResult> {
    return toolResultSchema.parse(await this.request("tools/call", { name, arguments: args }, id));
  }

  openDiff(path: string, text: string): Promise<ToolResult> {
    return this.callTool("openDiff", { filePath: path, newContent: text });
  }

  closeDiff(path: string, suppressNotification = true): Promise<ToolResult> {
    return this.callTool("closeDiff", { filePath: path, suppressNotification });
  }

  /** The final text that closeDiff tells, or undefined where it says that there is no diff. */
  async finalText(path: string): Promise<string | undefined> {
    const { content, isError } = await this.closeDiff(path);
    if (isError === true) return undefined;
    return z.object({ content: z.string() }).parse(JSON.parse(content[0]?.text ?? "")).content;
  }

  /** Opens the stream on a connection of its own; `resume` tells the last event id, as the SDK's client does. */
  async openStream(options: { readonly resume?: boolean } = {}): Promise<EventReader> {
    const last = options.resume === true ? this.stream?.lastEventId : undefined;
    const startedAt = performance.now();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.port,
          path: "/mcp",
          method: "GET",
          agent: false,
          headers: {
            ...this.#headers(),
            accept: "text/event-stream",
            ...(last === undefined ? {} : { "last-event-id": last }),
          },
        },
        resolve,
      );
      sent.on("error", reject);
      sent.end();
    });
    if (response.statusCode !== 200) {
      response.resume();
      throw new Error(`The stream was refused with ${response.statusCode}.`);
    }
    const reader = new EventReader(response, startedAt, (event) => this.told.push(event));
    reader.lastEventId = last;
    this.stream = reader;
    return reader;
  }

  /** Outcomes told so far of one path. */
  outcomes(path: string): readonly StreamEvent[] {
    return this.told.filter((event) => event.method.startsWith("ide/diff") && event.params["filePath"] === path);
  }

  /** Ends without a goodbye, as all agents do. */
  crash(): void {
    this.stream?.cut();
    this.#agent.destroy();
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.token}`,
      accept: "application/json, text/event-stream",
      ...(this.sessionId === "" ? {} : { "mcp-session-id": this.sessionId, "mcp-protocol-version": "2025-06-18" }),
    };
  }
}

/** What the clients of the family send first. */
export function initializeMessage(
  options: { readonly clientVersion?: string; readonly protocolVersion?: string } = {},
): object {
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: options.protocolVersion ?? "2025-06-18",
      capabilities: {},
      clientInfo: { name: "streamable-http-client", version: options.clientVersion ?? "0.61.0" },
    },
  };
}
