import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { withoutSchemaValidator } from "../without-schema-validator.ts";

type Load = (file: { readonly path: string }) => Promise<{ readonly contents: string }>;

/** WebSockets as they are in a bundle. */
async function bundledWebSockets(): Promise<{ readonly ws: typeof import("ws"); readonly client: string }> {
  const root = mkdtempSync(join(tmpdir(), "patchbay-ws-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const core = createRequire(join(import.meta.dirname, "../../../packages/core/package.json"));
  cpSync(dirname(core.resolve("ws/package.json")), root, { recursive: true });
  const loads: { readonly filter: RegExp; readonly load: Load }[] = [];
  withoutSchemaValidator().setup({ onLoad: ({ filter }, load) => void loads.push({ filter, load }) });
  for (const name of ["event-target", "extension", "permessage-deflate", "stream", "websocket"]) {
    const path = join(root, "lib", `${name}.js`);
    // The folder has another name there.
    const found = loads.find(({ filter }) => filter.test(`/ws/lib/${name}.js`));
    writeFileSync(path, (await found?.load({ path }))?.contents ?? "");
  }
  return { ws: core(root), client: readFileSync(join(root, "lib", "websocket.js"), "utf8") };
}

it("leaves out of WebSockets what is not used, and a client still connects, and says what a server answers", async () => {
  const { ws, client } = await bundledWebSockets();
  expect(client).not.toMatch(
    /\bisSecure\b|if \(opts\.(?:followRedirects|perMessageDeflate|origin)\)|opts\.followRedirects &&|if \(!perMessageDeflate\)/u,
  );
  const http = createServer();
  onTestFinished(() => void http.close());
  const server = new ws.WebSocketServer({ noServer: true });
  http.on("upgrade", (request, socket, head) => {
    if (request.url === "/")
      server.handleUpgrade(request, socket, head, (peer) => peer.on("message", (data) => peer.send(data)));
    else socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const base = `ws://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  const agent = new ws.WebSocket(`${base}/`, { perMessageDeflate: false });
  onTestFinished(() => agent.terminate());
  agent.on("open", () => agent.send("hello"));
  expect(String(await new Promise((resolve) => agent.on("message", resolve)))).toBe("hello");
  const refused = new ws.WebSocket(`${base}/no`, { perMessageDeflate: false });
  refused.on("error", () => {});
  onTestFinished(() => refused.terminate());
  const status = await new Promise((resolve) => {
    refused.on("unexpected-response", (_request, response) => resolve(response.statusCode));
  });
  expect(status).toBe(401);
});

it("keeps a WebSocket's way to a socket by its path", async () => {
  const { ws } = await bundledWebSockets();
  const directory = mkdtempSync(join(tmpdir(), "patchbay-ws-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "socket");
  const http = createServer();
  const server = new ws.WebSocketServer({ server: http });
  server.on("connection", (peer) => peer.on("message", (data) => peer.send(data)));
  await new Promise<void>((resolve) => void http.listen(path, resolve));
  onTestFinished(() => void http.close());
  const agent = new ws.WebSocket(`ws+unix:${path}:/`, { perMessageDeflate: false });
  onTestFinished(() => agent.terminate());
  agent.on("open", () => agent.send("hello"));
  expect(String(await new Promise((resolve) => agent.on("message", resolve)))).toBe("hello");
});
