import { once } from "node:events";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import type { TestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { probePort, trySession } from "../../src/endpoint/try-session.ts";
import { createWorkspaceLab, portOf } from "../workspace-lab.ts";

/** The token in the record that Claude Code reads. */
async function tokenOf({ files, home }: TestPlatform, port: number): Promise<string> {
  const text = await files.readText(join(home, ".claude", "ide", `${port}.lock`), 100_000);
  const token: unknown = Reflect.get(Object(JSON.parse(text ?? "{}")), "authToken");
  return String(token);
}

const transports = ["streamable-http", "websocket", "hook"] as const;

async function portOfServer(
  server: { address(): ReturnType<Server["address"]> } & NodeJS.EventEmitter,
): Promise<number> {
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** Nobody in this process gets a turn for so long, ms. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe.each(transports)("a session that is tried over %s", (transport) => {
  it("is opened with the token, leaves nobody connected, and is refused with another", async () => {
    const { build, platform } = createWorkspaceLab();
    const { companion } = build();
    await companion.start();
    const port = portOf(companion);
    const token = await tokenOf(platform, port);
    expect(await trySession({ port, token, transport })).toBe("opened");
    await expect.poll(() => companion.sessions).toEqual([]);
    expect(await trySession({ port, token: `${token}x`, transport })).toBe("refused");
    expect(await trySession({ port, token: undefined, transport })).toBe("refused");
  });

  it.each([
    [401, "refused"],
    [403, "refused"],
    [503, "full"],
    [404, "other-program"],
    [200, "other-program"],
  ])("tells by the answer %i: %s", async (status, trial) => {
    const server = createHttpServer((_request, response) => response.writeHead(status).end("{}"));
    server.on("upgrade", (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    onTestFinished(() => void server.close());
    const port = await portOfServer(server.listen(0, "127.0.0.1"));
    expect(await trySession({ port, token: "t", transport })).toBe(trial);
  });

  it("is not given up for what holds up this process itself: what has come meanwhile is read first", async () => {
    const server = createHttpServer((_request, response) => response.writeHead(401).end());
    server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 No\r\n\r\n"));
    onTestFinished(() => void server.close());
    const port = await portOfServer(server.listen(0, "127.0.0.1"));
    // What is loaded with the first one does not count here.
    await trySession({ port, token: "t", transport });
    const trial = trySession({ port, token: "t", transport, timeoutMs: 500 });
    const probe = probePort(port, 500);
    await new Promise((resolve) => setImmediate(resolve));
    holdUp(700);
    expect(await trial).toBe("refused");
    expect((await probe).state).toBe("answers");
  });

  it("tells who says nothing, who speaks otherwise, and where nobody is", async () => {
    const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
    const other = createServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    onTestFinished(() => void silent.close());
    onTestFinished(() => void other.close());
    const port = await portOfServer(silent.listen(0, "127.0.0.1"));
    expect(await trySession({ port, token: "t", transport, timeoutMs: 100 })).toBe("silent");
    expect(await probePort(port, 100)).toEqual({ state: "silent", waitedMs: 100 });
    const otherPort = await portOfServer(other.listen(0, "127.0.0.1"));
    expect(await trySession({ port: otherPort, token: "t", transport })).toBe("other-program");
    expect((await probePort(otherPort)).state).toBe("answers");
    expect(await trySession({ port: 9, token: "t", transport })).toBe("nobody");
    expect((await probePort(9)).state).toBe("nobody");
  });
});

it("an agent that asks by its hook alone is tried at the door of the hooks", async () => {
  const server = createHttpServer((request, response) => {
    if (request.url !== "/hook") response.writeHead(404).end();
    else response.end('{"state":"none"}\n');
  });
  onTestFinished(() => void server.close());
  const port = await portOfServer(server.listen(0, "127.0.0.1"));
  expect(await trySession({ port, token: "token", transport: "hook" })).toBe("opened");
});
