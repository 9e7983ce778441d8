import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { serveControl } from "./control.ts";
import { EditorPicture } from "./editor-picture.ts";

/** A minimal companion as the SDK's examples build one: its engine and its transport, one of each for every session. */
const sessions = new Map<string, { readonly server: Server; readonly transport: StreamableHTTPServerTransport }>();
const picture = new EditorPicture((json) => {
  const { method, params } = JSON.parse(json);
  for (const { server } of sessions.values()) server.notification({ method, params }).catch(() => {});
});

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const server = new Server({ name: "sdk", version: "0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, { server, transport }),
  });
  transport.onclose = () => void sessions.delete(transport.sessionId ?? "");
  // The SDK's own declarations disagree under exactOptionalPropertyTypes.
  await Reflect.apply(server.connect, server, [transport]);
  return transport;
}

const http = createServer((request, response) => {
  const id = request.headers["mcp-session-id"];
  const known = typeof id === "string" ? sessions.get(id)?.transport : undefined;
  void (async () => {
    const transport = known ?? (await openSession());
    await transport.handleRequest(request, response);
    if (request.method === "GET") void sessions.get(String(id))?.server.notification(JSON.parse(picture.json()));
  })();
});

http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  serveControl(typeof address === "object" && address !== null ? address.port : 0, "none", {
    open: (path, text) => picture.open(path, text),
    cursor: (line, character) => picture.cursor(line, character),
    select: (bytes) => picture.select(bytes),
    stop: async () => {
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      http.close();
      http.closeAllConnections();
    },
  });
});
