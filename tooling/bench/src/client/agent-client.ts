import { Agent, type IncomingMessage, request } from "node:http";

/** Longest wait for an update or an answer, ms. */
const patienceMs = 10_000;

/** The least an agent is: raw requests over one kept connection, so that the client costs every subject the same. */
export class AgentClient {
  readonly #agent: Agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #token: string;
  #sessionId: string | undefined;
  #stream: IncomingMessage | undefined;
  #nextId = 1;
  #events = 0;
  #buffer = "";
  readonly #waiting: Set<() => void> = new Set();
  readonly #answerMs: number;

  constructor(port: number, token: string, answerMs: number = patienceMs) {
    this.#port = port;
    this.#token = token;
    this.#answerMs = answerMs;
  }

  get events(): number {
    return this.#events;
  }

  async initialize(): Promise<void> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "streamable-http-client", version: "0.61.0" },
    };
    await this.call("initialize", params);
    await this.#post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }

  async openStream(): Promise<void> {
    this.#stream = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port: this.#port,
        path: "/mcp",
        method: "GET",
        headers: { ...this.#headers(), accept: "text/event-stream" },
      });
      outgoing.on("response", resolve);
      outgoing.on("error", reject);
      outgoing.end();
    });
    this.#stream.setEncoding("utf8");
    this.#stream.on("error", () => {});
    this.#stream.on("data", (chunk: string) => this.#received(chunk));
  }

  async call(method: string, params: unknown): Promise<string> {
    const id = this.#nextId;
    this.#nextId += 1;
    return this.#post(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  openDiff(filePath: string, newContent: string): Promise<string> {
    return this.call("tools/call", { name: "openDiff", arguments: { filePath, newContent } });
  }

  closeDiff(filePath: string): Promise<string> {
    return this.call("tools/call", { name: "closeDiff", arguments: { filePath, suppressNotification: true } });
  }

  /** Resolves when that many messages have come on the stream; rejects when they do not come. */
  async received(count: number): Promise<void> {
    while (this.#events < count) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error("No update came.")), patienceMs);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  end(): void {
    this.#stream?.destroy();
    this.#agent.destroy();
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#token}`,
      "mcp-protocol-version": "2025-06-18",
      ...(this.#sessionId === undefined ? {} : { "mcp-session-id": this.#sessionId }),
    };
  }

  #post(body: string): Promise<string> {
    const data = Buffer.from(body);
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port: this.#port,
        path: "/mcp",
        method: "POST",
        agent: this.#agent,
        headers: {
          ...this.#headers(),
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": data.length,
        },
      });
      outgoing.on("error", reject);
      outgoing.setTimeout(this.#answerMs, () => outgoing.destroy(new Error("No answer came.")));
      outgoing.on("response", (response) => {
        const id = response.headers["mcp-session-id"];
        if (typeof id === "string") this.#sessionId ??= id;
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          if (response.statusCode !== undefined && response.statusCode >= 400)
            reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`));
          else resolve(text);
        });
      });
      outgoing.end(data);
    });
  }

  #received(chunk: string): void {
    this.#buffer += chunk;
    const events = this.#buffer.split("\n\n");
    this.#buffer = events.pop() ?? "";
    this.#events += events.filter((event) => /^data: ?\{/mu.test(event)).length;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
