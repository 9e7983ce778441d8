import http from "node:http";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { connectToService } from "../../src/endpoint/service-socket.ts";
import { nullLogger } from "../../src/support/logger.ts";

afterEach(() => vi.restoreAllMocks());

/** A service that says what it is sent. */
async function listen(): Promise<string> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-service-")));
  const path = join(directory, "a:b.sock");
  const server = http.createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(data, { binary: false })));
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(async () => {
    for (const socket of sockets.clients) socket.terminate();
    await new Promise((resolve) => void server.close(resolve));
    rmSync(directory, { recursive: true });
  });
  return path;
}

async function talk(path: string): Promise<unknown> {
  const heard: unknown[] = [];
  const options = { logger: nullLogger, path, onMessage: (said: unknown) => void heard.push(said), onClosed: () => {} };
  const socket = await connectToService(options);
  socket?.send({ say: "hello" });
  if (socket !== undefined) await expect.poll(() => heard).toHaveLength(1);
  socket?.close();
  return heard[0];
}

it("a service is reached by the path of its socket, whatever is in it", async () => {
  expect(await talk(await listen())).toEqual({ say: "hello" });
});

it("a service is reached where the editor sends requests by agents of its own, as VS Code does", async () => {
  const real = http.request;
  vi.spyOn(http, "request").mockImplementation(((options: http.RequestOptions, ...rest: []) =>
    real(
      options.socketPath == null ? { ...options, createConnection: undefined, agent: new http.Agent() } : options,
      ...rest,
    )) as typeof http.request);
  expect(await talk(await listen())).toEqual({ say: "hello" });
});
