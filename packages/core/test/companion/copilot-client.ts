import { type IncomingMessage, request } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What Copilot CLI 1.0.102 reads of a record. */
export interface CopilotRecord {
  readonly socketPath: string;
  readonly scheme: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly workspaceFolders: readonly string[];
  readonly ideName: string;
}

/** The records in a directory, as the client looks for them: any file that ends so. */
export function recordsIn(directory: string): readonly CopilotRecord[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".lock"))
    .map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
}

/** Copilot CLI on the wire, as it was seen: over the socket of a record, with its headers and in its order. */
export class CopilotClient {
  readonly #record: CopilotRecord;
  #session: string | undefined;
  #id = 0;
  /** What came on the stream. */
  readonly told: unknown[] = [];

  constructor(record: CopilotRecord) {
    this.#record = record;
  }

  async send(method: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const call = request(
        {
          socketPath: this.#record.socketPath,
          method,
          path: "/mcp",
          headers: {
            host: "localhost",
            accept: "application/json, text/event-stream",
            "x-copilot-session-id": "81ede61e-0a98-4bfa-a3cf-ea6e3c8061b4",
            "x-copilot-pid": String(process.pid),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
            ...this.#record.headers,
            ...headers,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => (text += piece));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          );
          response.on("error", reject);
        },
      );
      call.on("error", reject);
      onTestFinished(() => void call.destroy());
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async request(method: string, params: unknown): Promise<Answer> {
    this.#id += 1;
    return await this.send("POST", { jsonrpc: "2.0", id: this.#id, method, params });
  }

  /** The JSON in the one text of a tool's answer. */
  async call(name: string, args: unknown): Promise<unknown> {
    const { body } = await this.request("tools/call", { name, arguments: args });
    const json = body.startsWith("{") ? body : (/^data: (.*)$/mu.exec(body)?.[1] ?? "");
    return JSON.parse(JSON.parse(json).result.content[0].text);
  }

  /** First the newest revision's question, and what is known to it after a no. */
  async connect(): Promise<number> {
    const discovered = await this.request("server/discover", {});
    const { headers } = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "copilot-cli", version: "1.0.102" },
    });
    const session = headers["mcp-session-id"];
    this.#session = typeof session === "string" ? session : undefined;
    await this.send("POST", { jsonrpc: "2.0", method: "notifications/initialized" });
    this.#listen();
    await this.request("tools/list", {});
    return discovered.status;
  }

  #listen(): void {
    const { socketPath, headers } = this.#record;
    const stream = request({
      socketPath,
      path: "/mcp",
      headers: { host: "localhost", accept: "text/event-stream", "mcp-session-id": this.#session ?? "", ...headers },
    });
    stream.on("response", (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (piece: string) => {
        text += piece;
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          const [, json] = /^data: (.*)$/mu.exec(text.slice(0, end)) ?? [];
          if (json !== undefined) this.told.push(JSON.parse(json));
          text = text.slice(end + 2);
        }
      });
      response.on("error", () => undefined);
    });
    stream.on("error", () => undefined);
    onTestFinished(() => void stream.destroy());
    stream.end();
  }
}
