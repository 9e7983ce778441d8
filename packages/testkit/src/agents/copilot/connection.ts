import { type ClientRequest, type IncomingMessage, request } from "node:http";
import * as z from "zod";

export interface CopilotConnectionOptions {
  readonly socketPath: string;
  /** What the record says to send with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clientName: string;
  readonly version: string;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onClose: (problem: string) => void;
}

const messageSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** One session of Copilot CLI 1.0.102: HTTP over a socket, in the order in which the client was seen to ask. */
export class CopilotConnection {
  readonly #options: CopilotConnectionOptions;
  readonly #open: Set<ClientRequest> = new Set();
  #stream: ClientRequest | undefined;
  #session: string | undefined;
  #id = 0;
  #ended = false;

  private constructor(options: CopilotConnectionOptions) {
    this.#options = options;
  }

  static async open(options: CopilotConnectionOptions): Promise<CopilotConnection> {
    const connection = new CopilotConnection(options);
    // The newest revision's question comes first; a no makes the client go on as with older ones.
    await connection.request("server/discover", {}).catch(() => undefined);
    await connection.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: options.clientName, version: options.version },
    });
    await connection.#send("POST", { jsonrpc: "2.0", method: "notifications/initialized" });
    await connection.#listen();
    return connection;
  }

  /** The result; rejects with the message of an error. */
  async request(method: string, params: unknown): Promise<unknown> {
    this.#id += 1;
    const id = this.#id;
    const text = await this.#send("POST", { jsonrpc: "2.0", id, method, params });
    const answer = text.startsWith("{")
      ? messageSchema.parse(JSON.parse(text))
      : messagesIn(text).find((one) => one.id === id);
    if (answer?.error !== undefined) throw new Error(answer.error.message);
    return answer?.result;
  }

  cut(how: "clean" | "reset"): void {
    if (how === "reset") this.#stream?.socket?.resetAndDestroy();
    else this.#stream?.destroy();
  }

  end(): void {
    this.#ended = true;
    for (const call of this.#open) call.destroy();
  }

  #call(method: string, body: string | undefined): ClientRequest {
    const { socketPath, headers } = this.#options;
    const call = request({
      socketPath,
      method,
      path: "/mcp",
      agent: false,
      headers: {
        host: "localhost",
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        "x-copilot-pid": String(process.pid),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
        ...headers,
      },
    });
    this.#open.add(call);
    call.on("close", () => this.#open.delete(call));
    return call;
  }

  async #send(method: string, message: unknown): Promise<string> {
    const body = JSON.stringify(message);
    const call = this.#call(method, body);
    call.end(body);
    const response = await answerOf(call);
    const session = response.headers["mcp-session-id"];
    if (typeof session === "string") this.#session = session;
    let text = "";
    response.setEncoding("utf8");
    for await (const piece of response) text += String(piece);
    if ((response.statusCode ?? 0) === 401) throw new Error("The editor rejected the token.");
    return text;
  }

  async #listen(): Promise<void> {
    const call = this.#call("GET", undefined);
    call.end();
    const response = await answerOf(call);
    this.#stream = call;
    response.setEncoding("utf8");
    let text = "";
    response.on("data", (piece: string) => {
      text += piece;
      const end = text.lastIndexOf("\n\n");
      if (end === -1) return;
      for (const { method, params } of messagesIn(text.slice(0, end)))
        if (method !== undefined) this.#options.onNotification(method, params);
      text = text.slice(end + 2);
    });
    const lost = (): void => {
      if (!this.#ended) this.#options.onClose("IDE connection lost");
    };
    response.on("error", lost);
    response.on("end", lost);
  }
}

function answerOf(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.on("response", resolve);
    call.on("error", reject);
  });
}

/** The messages in the events of a stream. */
function messagesIn(text: string): readonly z.infer<typeof messageSchema>[] {
  return Array.from(text.matchAll(/^data: (.*)$/gmu), ([, json = ""]) => messageSchema.parse(JSON.parse(json)));
}
