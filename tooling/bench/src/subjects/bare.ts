import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { serveControl } from "./control.ts";
import { EditorPicture } from "./editor-picture.ts";

/** The least a server does: no checks, no sessions, no protocol engine. What is slower than this is what correctness costs. */
const streams = new Set<ServerResponse>();
const picture = new EditorPicture((json) => {
  const event = `data: ${json}\n\n`;
  for (const stream of streams) stream.write(event);
});
let sessions = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${picture.json()}\n\n`);
    streams.add(response);
    response.on("close", () => streams.delete(response));
    return;
  }
  collect(request, (body) => {
    const message: { readonly id?: number; readonly method?: string } = JSON.parse(body);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result =
      message.method === "initialize"
        ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "bare", version: "0" } }
        : { content: [] };
    const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
    sessions += message.method === "initialize" ? 1 : 0;
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "mcp-session-id": String(sessions),
    });
    response.end(text);
  });
});

function collect(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => done(Buffer.concat(chunks).toString("utf8")));
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  serveControl(
    { port, token: "none" },
    {
      open: (path, text) => picture.open(path, text),
      cursor: (line, character) => picture.cursor(line, character),
      select: (line, character) => picture.select(line, character),
      stop: async () => {
        server.close();
        server.closeAllConnections();
      },
    },
  );
});
