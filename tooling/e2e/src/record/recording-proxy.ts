import { once } from "node:events";
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { keepHeaders, parseBody, type TranscriptLine } from "./transcript.ts";

/** Stands between one agent and the companion, and writes down what they say. */
export class RecordingProxy {
  readonly lines: TranscriptLine[] = [];
  readonly #target: number;
  readonly #server = createServer((request, reply) => this.#forward(request, reply));
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, handleProtocols: firstProtocol });

  constructor(target: number) {
    this.#target = target;
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  /** Listens on a port of the system's choice and returns it. */
  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the recording proxy has no port");
    return address.port;
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #forward(request: IncomingMessage, reply: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method = "GET", url: path = "/" } = request;
      this.#write({
        dir: "in",
        http: { method, path, headers: keepHeaders(request.headers) },
        body: parseBody(body.toString()),
      });
      // The companion checks Host: it must see its own.
      const headers = { ...request.headers, host: `127.0.0.1:${this.#target}` };
      const onward = httpRequest({ host: "127.0.0.1", port: this.#target, method, path, headers }, (answer) =>
        this.#answer(answer, reply),
      );
      onward.once("error", () => reply.destroy());
      reply.once("close", () => onward.destroy());
      onward.end(body);
    });
  }

  #answer(answer: IncomingMessage, reply: ServerResponse): void {
    const status = answer.statusCode ?? 0;
    reply.writeHead(status, answer.headers);
    reply.flushHeaders();
    const http = { status, headers: keepHeaders(answer.headers) };
    const isStream = answer.headers["content-type"]?.includes("text/event-stream") === true;
    if (isStream) this.#write({ dir: "out", http });
    let text = "";
    answer.setEncoding("utf8");
    answer.on("data", (chunk: string) => {
      reply.write(chunk);
      text += chunk;
      if (isStream) text = this.#writeEvents(text);
    });
    answer.once("end", () => {
      if (!isStream) this.#write({ dir: "out", http, body: parseBody(text) });
      reply.end();
    });
    answer.once("error", () => reply.destroy());
  }

  /** Writes the whole events of a stream down and returns the rest. */
  #writeEvents(text: string): string {
    const events = text.split(/\r?\n\r?\n/);
    const rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart());
      // Comments keep a stream alive; they say nothing.
      if (data.length > 0) this.#write({ dir: "out", http: { stream: true }, body: parseBody(data.join("\n")) });
    }
    return rest;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#write({
      dir: "in",
      http: { method: "GET", path: request.url ?? "/", headers: keepHeaders(request.headers) },
    });
    const protocols = (request.headers["sec-websocket-protocol"] ?? "").split(/,\s*/).filter((name) => name !== "");
    const handshake = /^(host|connection|upgrade|sec-websocket-.*)$/;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !handshake.test(name)));
    const companion = new WebSocket(`ws://127.0.0.1:${this.#target}${request.url ?? "/"}`, protocols, {
      headers,
      perMessageDeflate: false,
    });
    companion.once("upgrade", (answer) => {
      this.#write({ dir: "out", http: { status: answer.statusCode ?? 0, headers: keepHeaders(answer.headers) } });
    });
    companion.once("unexpected-response", (_request, answer) => {
      this.#write({ dir: "out", http: { status: answer.statusCode ?? 0, headers: keepHeaders(answer.headers) } });
      socket.destroy();
    });
    companion.on("error", () => socket.destroy());
    companion.once("open", () =>
      this.#sockets.handleUpgrade(request, socket, head, (agent) => this.#join(agent, companion)),
    );
  }

  #join(agent: WebSocket, companion: WebSocket): void {
    // As one Buffer per message: the other forms are for callers that ask for them.
    agent.binaryType = "nodebuffer";
    companion.binaryType = "nodebuffer";
    const relay = (from: WebSocket, to: WebSocket, dir: "in" | "out"): void => {
      from.on("message", (data) => {
        const text = Buffer.isBuffer(data) ? data.toString("utf8") : "";
        this.#write({ dir, ws: true, body: parseBody(text) });
        to.send(text);
      });
      from.once("close", () => to.close());
    };
    relay(agent, companion, "in");
    relay(companion, agent, "out");
  }

  #write(line: TranscriptLine): void {
    this.lines.push(line);
  }
}

function firstProtocol(protocols: Set<string>): string | false {
  const [first] = protocols;
  return first ?? false;
}
