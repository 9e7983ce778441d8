import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { Server as SdkServer } from "@modelcontextprotocol/sdk/server/index.js";
import type { StreamableHTTPServerTransport as SdkTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { memoryNow, serveControl } from "./control.ts";
import { EditorPicture } from "./editor-picture.ts";

const before = memoryNow();
const beforeLoad = performance.now();
const { Server } = await import("@modelcontextprotocol/sdk/server/index.js");
const { StreamableHTTPServerTransport } = await import("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
const loadMs = performance.now() - beforeLoad;

/** A minimal companion as the SDK's examples build one: its engine and its transport, one of each for every session. */
const sessions = new Map<string, { readonly server: SdkServer; readonly transport: SdkTransport }>();
const picture = new EditorPicture((json) => {
  const { method, params } = JSON.parse(json);
  for (const { server } of sessions.values()) server.notification({ method, params }).catch(() => {});
});

async function openSession(): Promise<SdkTransport> {
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
    const handled = transport.handleRequest(request, response);
    // The answer to a GET ends with its stream: what is to be said at once is said when it stands.
    if (request.method === "GET") {
      setTimeout(() => void sessions.get(String(id))?.server.notification(JSON.parse(picture.json())), 5);
    }
    await handled;
  })();
});

http.listen(0, "127.0.0.1", () => {
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const after = memoryNow();
  const start = { loadMs, addedRss: after.rss - before.rss, addedHeap: after.heap - before.heap };
  serveControl(
    { port, token: "none" },
    {
      open: (path, text) => picture.open(path, text),
      cursor: (line, character) => picture.cursor(line, character),
      select: (line, character) => picture.select(line, character),
      stop: async () => {
        await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
        http.close();
        http.closeAllConnections();
      },
    },
    start,
  );
});
