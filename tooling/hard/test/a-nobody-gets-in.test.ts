import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchange, RawConnection, requestBytes, sendRaw } from "../src/attack/raw-connection.ts";
import { HttpAgent, initializeMessage } from "../src/attack/http-agent.ts";
import { WebSocketAgent } from "../src/attack/web-socket-agent.ts";
import * as ask from "../src/host/calls.ts";
import { noSecondUser, squatAsAttacker } from "../src/attack/other-user.ts";
import { connectHttp, makeSandbox, startEditor } from "./editor.ts";

const mib = 1024 * 1024;

const methods = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "CONNECT", "BREW"];
const paths = ["/mcp", "/", "/mcp/", "/MCP", "/mcp?x=1", "//mcp", "/health", "/favicon.ico", "/../mcp", "*"];

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    setTimeout(() => resolve(false), 1_000);
  }).then((reached) => {
    socket.destroy();
    return reached === true;
  });
}

describe("nobody gets in", () => {
  it("A01 listens on loopback only", async () => {
    const editor = await startEditor();
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => address !== "127.0.0.1");
    for (const { address } of others) expect(await canConnect(address, editor.port), address).toBe(false);
    expect(await canConnect("127.0.0.2", editor.port)).toBe(false);
    // Each socket of the process that listens, as the kernel knows it: 0100007F is 127.0.0.1.
    const hexPort = editor.port.toString(16).toUpperCase().padStart(4, "0");
    const listening = ["tcp", "tcp6"].flatMap((table) =>
      readFileSync(`/proc/${editor.pid}/net/${table}`, "latin1")
        .split("\n")
        .filter((line) => line.includes(`:${hexPort} `) && line.trim().split(/\s+/u)[3] === "0A"),
    );
    expect(listening.map((line) => line.trim().split(/\s+/u)[1])).toEqual([`0100007F:${hexPort}`]);
  });

  it("A02 without, with a wrong, an empty or a truncated token, every method and path is 401 or 403 (HTTP)", async ({
    annotate,
  }) => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const attempts: readonly (readonly string[])[] = [
      [],
      ["Authorization: Bearer wrong"],
      ["Authorization: Bearer "],
      ["Authorization: Bearer"],
      ["Authorization: "],
      [`Authorization: Bearer ${token.slice(0, -1)}`],
      [`Authorization: Bearer ${token}x`],
      [`Authorization: Bearer ${token.toUpperCase()}`],
      [`Authorization: Basic ${Buffer.from(`x:${token}`).toString("base64")}`],
      [`Authorization: ${token}`],
      [`Cookie: token=${token}`],
      // The other transport's header does not open this one.
      [`x-claude-code-ide-authorization: ${token}`],
      ["mcp-session-id: gemini.x.y"],
    ];
    let asked = 0;
    for (const method of methods) {
      for (const path of paths) {
        for (const headers of attempts) {
          const { status } = await exchange(editor.port, { method, path, headers });
          expect([401, 403], `${method} ${path} ${headers.join()}`).toContain(status);
          asked += 1;
        }
      }
    }
    // The token in the query opens nothing either.
    const { status } = await exchange(editor.port, { method: "GET", path: `/mcp?token=${token}` });
    expect([401, 403]).toContain(status);
    await annotate(`${asked} requests`);
  });

  it("A02 the same for the upgrade (WebSocket)", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("claude");
    for (const told of [undefined, "", "wrong", token.slice(0, -1), `${token}x`, token.toLowerCase()]) {
      for (const path of ["/", "/mcp", "/x"]) {
        const agent = await WebSocketAgent.dial({ port: editor.port, token: told, path });
        expect([401, 403], `${path} ${told ?? "none"}`).toContain(agent.answer.status);
        agent.socket.destroy();
      }
    }
  });

  it("A02 a token that an agent has shown to another user on the port of before is a wrong one", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    const before = await startEditor({ sandbox });
    const { port } = before;
    const agent = await connectHttp(before);
    const token = sandbox.token("gemini");
    // The window is closed, and as nobody comes back, the port holder goes in the end.
    await before.call(ask.stop, { reload: true, comeBackMs: 300 });
    const stranger = await squatAsAttacker(port);
    onTestFinished(() => stranger.end());
    await agent.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }).catch(() => undefined);
    expect(stranger.heard()).toContain(token);

    const after = await startEditor({ sandbox });
    expect(after.port).not.toBe(port);
    expect(sandbox.token("gemini")).not.toBe(token);
    const answer = await exchange(after.port, { token, body: JSON.stringify(initializeMessage()) });
    expect(answer.status).toBe(401);
    const session = new HttpAgent(after.port, sandbox.token("gemini"));
    session.sessionId = agent.sessionId;
    expect((await session.exchange("GET")).status).toBe(404);

    // Also where he lets the port go, as if he had been the port holder.
    await after.kill();
    const kept = sandbox.token("gemini");
    const another = await squatAsAttacker(after.port);
    setTimeout(() => void another.end(), 300);
    const third = await startEditor({ sandbox });
    expect((await exchange(third.port, { token: kept, body: JSON.stringify(initializeMessage()) })).status).toBe(401);
  });

  it("A03 any Origin is refused, even with the right token (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const origins = [
      "http://evil.example",
      "null",
      "",
      `http://127.0.0.1:${editor.port}`,
      "http://localhost",
      "vscode-file://vscode-app",
      "file://",
    ];
    for (const origin of origins) {
      const body = JSON.stringify(initializeMessage());
      const post = await exchange(editor.port, { token, headers: [`Origin: ${origin}`], body });
      expect([401, 403], origin).toContain(post.status);
      expect(post.text.toLowerCase()).not.toContain("access-control-allow");
      const preflight = await exchange(editor.port, {
        method: "OPTIONS",
        headers: [`Origin: ${origin}`, "Access-Control-Request-Method: POST"],
      });
      expect([401, 403], origin).toContain(preflight.status);
      const socket = await WebSocketAgent.dial({
        port: editor.port,
        token: editor.sandbox.token("claude"),
        headers: [`Origin: ${origin}`],
      });
      expect([401, 403], origin).toContain(socket.answer.status);
      socket.socket.destroy();
    }
    expect(await editor.call(ask.sessions)).toEqual([]);
  });

  it("A04 a foreign Host is refused (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const { port } = editor;
    const hosts = [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `0.0.0.0:${port}`,
      `user@127.0.0.1:${port}`,
      `127.0.0.1:${port}.`,
      `127.0.0.1:0${port}`,
      "",
      undefined,
    ];
    for (const host of hosts) {
      const { status } = await exchange(port, { token, host, body: JSON.stringify(initializeMessage()) });
      expect([400, 401, 403], String(host)).toContain(status);
    }
    expect(await editor.call(ask.sessions)).toEqual([]);
    // An absolute target must not speak for another host either.
    const absolute = await exchange(port, { token, method: "GET", path: "http://evil.example/mcp" });
    expect(absolute.status).toBeGreaterThanOrEqual(400);
    const upgrade = await RawConnection.open(port);
    upgrade.write(
      `GET / HTTP/1.1\r\nHost: evil.example:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nx-claude-code-ide-authorization: ${editor.sandbox.token("claude")}\r\n\r\n`,
    );
    expect([401, 403]).toContain(await upgrade.status());
    upgrade.destroy();
  });

  it("A05 the token is checked before the body: headers of a 9 MB unauthenticated POST are answered within 500 ms", async ({
    annotate,
  }) => {
    const editor = await startEditor();
    let slowest = 0;
    for (const headers of [
      ["Content-Type: application/json", `Content-Length: ${9 * mib}`],
      ["Content-Type: application/json", "Transfer-Encoding: chunked"],
      ["Content-Type: application/json", `Content-Length: ${9 * mib}`, "Expect: 100-continue"],
    ]) {
      const startedAt = performance.now();
      const connection = await sendRaw(editor.port, { headers });
      expect(await connection.status(2_000)).toBe(401);
      slowest = Math.max(slowest, performance.now() - startedAt);
      connection.destroy();
    }
    expect(slowest).toBeLessThan(500);
    await annotate(`${slowest.toFixed(0)} ms`);
  });

  it("A06 unauthenticated malformed JSON gets 401", async () => {
    const editor = await startEditor();
    for (const body of ["{", "not json", "\0\0", "[[[[", '{"jsonrpc":"2.0","id":1', Buffer.from([0xff, 0xfe])]) {
      expect((await exchange(editor.port, { body })).status).toBe(401);
      expect((await exchange(editor.port, { token: "wrong", body })).status).toBe(401);
    }
  });

  it("A07 no stack, path or framework banner in errors", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const agent = await HttpAgent.begin({ port: editor.port, token });
    const session = [`mcp-session-id: ${agent.sessionId}`];
    const answers = [
      await exchange(editor.port, { method: "GET", path: "/" }),
      await exchange(editor.port, { method: "GET", path: "/nothing", token }),
      await exchange(editor.port, { method: "PUT", token }),
      await exchange(editor.port, { token, body: "{" }),
      await exchange(editor.port, { token, body: "[]" }),
      await exchange(editor.port, { token, headers: session, body: '{"jsonrpc":"2.0","id":1,"method":"no/such"}' }),
      await exchange(editor.port, {
        token,
        headers: session,
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}',
      }),
      await exchange(editor.port, {
        token,
        headers: session,
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"filePath":7}}}',
      }),
      await exchange(editor.port, {
        token,
        headers: session,
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}',
      }),
      await exchange(editor.port, {
        token,
        headers: ["mcp-session-id: nobody"],
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }),
      await exchange(editor.port, { token, headers: ["mcp-protocol-version: 1999-01-01"], body: "{}" }),
      await exchange(editor.port, "GET /mcp\r\n\r\n"),
      await exchange(editor.port, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
      await exchange(editor.port, `GET /mcp HTTP/1.1\r\nX: ${"a".repeat(40_000)}\r\n\r\n`),
    ];
    const failing: string[] = [];
    // The editor's own errors carry the stack of the other side of its RPC.
    for (const connected of [agent, await HttpAgent.connect({ port: editor.port, token, clientVersion: "1.0.0" })]) {
      await editor.call(ask.fail, { call: "diffs.open", times: 1 });
      failing.push(JSON.stringify(await connected.openDiff(editor.sandbox.file("a.ts"), "x")));
    }
    const socket = await WebSocketAgent.connect({ port: editor.port, token: editor.sandbox.token("claude") });
    await editor.call(ask.fail, { call: "diagnostics.read", times: 1 });
    const failed = await socket.callTool("getDiagnostics", {});
    expect(failed.join()).toContain("The editor broke.");
    failing.push(...failed, ...(await socket.callTool("openDiff", { tab_name: 7 })));
    for (const text of [...answers.map((answer) => answer.text), ...failing]) {
      expect(text).not.toMatch(/\bat [\w.<>]+ \(|node:internal|node_modules|\.ts:\d|\.js:\d+:\d+|\/packages\//u);
      expect(text).not.toMatch(/x-powered-by|\bexpress\b|^server:/imu);
      expect(text).not.toMatch(/ZodError|SyntaxError|TypeError|Unexpected token|invalid_type/u);
      expect(text).not.toContain(editor.sandbox.root);
    }
  });

  it("A08 40 unauthenticated 9.5 MB bodies, 8 at a time, grow memory by < 30 MB and block the loop < 150 ms", async ({
    annotate,
  }) => {
    const editor = await startEditor();
    const body = Buffer.alloc(9.5 * mib, 0x61);
    const head = requestBytes(editor.port, {
      token: "wrong",
      headers: ["Content-Type: application/json", `Content-Length: ${body.length}`],
    });
    const before = await editor.call(ask.weigh);
    await editor.call(ask.watchMemory, { on: true });
    await editor.call(ask.watchLoop, { on: true });
    let left = 40;
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (left > 0) {
          left -= 1;
          const connection = await RawConnection.open(editor.port);
          connection.write(head);
          connection.write(body);
          statuses.push(await connection.status());
          await connection.closed();
        }
      }),
    );
    const longest = await editor.call(ask.watchLoop, { on: false });
    const peak = await editor.call(ask.watchMemory, { on: false });
    // A connection that is reset before its answer was read is refused, too; most must have read it.
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(30);
    expect(statuses.every((status) => status === 401 || status === 0)).toBe(true);
    expect(peak - before.resident).toBeLessThan(30 * mib);
    expect(longest).toBeLessThan(150);
    await annotate(`+${((peak - before.resident) / mib).toFixed(1)} MB, ${longest.toFixed(0)} ms`);
  });

  it("A09 half-sent headers are cut within 15 s", async ({ annotate }) => {
    const editor = await startEditor();
    const silent = await RawConnection.open(editor.port);
    const half = await RawConnection.open(editor.port);
    half.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1");
    const trickle = await RawConnection.open(editor.port);
    trickle.write("POST /mcp HTTP/1.1\r\n");
    const timer = setInterval(() => trickle.write("X-A: b\r\n"), 500);
    await Promise.all([half.closed(), trickle.closed(), silent.closed(40_000)]);
    clearInterval(timer);
    const cutAfter = [half, trickle].map((one) => one.closedAt - one.openedAt);
    expect(Math.max(...cutAfter)).toBeLessThan(15_000);
    await annotate(`${cutAfter.map((ms) => (ms / 1000).toFixed(1)).join(" and ")} s`);
  });

  it("A10 an unauthenticated body at 1 byte/s is cut within 15 s", async ({ annotate }) => {
    const editor = await startEditor();
    const connection = await RawConnection.open(editor.port, { allowHalfOpen: true });
    connection.write(
      requestBytes(editor.port, { headers: ["Content-Type: application/json", "Content-Length: 1000"] }),
    );
    const timer = setInterval(() => connection.write("x"), 1_000);
    await connection.closed();
    clearInterval(timer);
    const cutAfter = connection.closedAt - connection.openedAt;
    expect(cutAfter).toBeLessThan(15_000);
    await annotate(`${(cutAfter / 1000).toFixed(1)} s`);
  });

  it("A11 CL+TE, double CL, bare LF are refused", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const { port } = editor;
    const start = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const body = JSON.stringify(initializeMessage());
    const smuggled = `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const attempts: Readonly<Record<string, string>> = {
      "CL and TE": `${start}Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}${smuggled}`,
      "TE and CL": `${start}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n${chunked}`,
      "two equal CL": `${start}Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      "two different CL": `${start}Content-Length: ${body.length}\r\nContent-Length: 0\r\n\r\n${body}`,
      "a list as CL": `${start}Content-Length: ${body.length}, ${body.length}\r\n\r\n${body}`,
      "a signed CL": `${start}Content-Length: +${body.length}\r\n\r\n${body}`,
      "bare LF ends": `${start.replaceAll("\r\n", "\n")}Content-Length: ${body.length}\n\n${body}`,
      "one bare LF": `${start}X: y\nContent-Length: ${body.length}\r\n\r\n${body}`,
      "TE with an unknown coding": `${start}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
      "TE chunked twice": `${start}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
      "TE in another case with CL": `${start}tRANSFER-ENCODING: Chunked\r\nContent-Length: 0\r\n\r\n${chunked}`,
      "a blank before the colon": `${start}Content-Length : ${body.length}\r\n\r\n${body}`,
      "a folded header": `${start}X: a\r\n Content-Length: 5\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      "LF in chunk sizes": `${start}Transfer-Encoding: chunked\r\n\r\n${chunked.replaceAll("\r\n", "\n")}`,
      "a NUL in a header": `${start}X: a\0b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    };
    for (const [what, text] of Object.entries(attempts)) {
      const { status, text: answer } = await exchange(port, text);
      expect([400, 401, 403, 0], what).toContain(status);
      expect(answer.match(/HTTP\/1\.1 2/u), what).toBeNull();
    }
    expect(await editor.call(ask.sessions)).toEqual([]);
  });

  it("A12 two Host or two Authorization headers are refused", async () => {
    const editor = await startEditor();
    const token = editor.sandbox.token("gemini");
    const body = JSON.stringify(initializeMessage());
    const own = `Host: 127.0.0.1:${editor.port}`;
    for (const headers of [
      [own],
      ["Host: evil.example"],
      ["hOST: evil.example"],
      [`Authorization: Bearer ${token}`],
      ["Authorization: Bearer wrong"],
      ["AUTHORIZATION: x"],
    ]) {
      const { status } = await exchange(editor.port, { token, headers, body });
      expect([400, 401, 403], headers.join()).toContain(status);
    }
    const claude = editor.sandbox.token("claude");
    for (const header of [
      `x-claude-code-ide-authorization: ${claude}`,
      "x-claude-code-ide-authorization: wrong",
      own,
    ]) {
      const agent = await WebSocketAgent.dial({ port: editor.port, token: claude, headers: [header] });
      expect([400, 401, 403], header).toContain(agent.answer.status);
      agent.socket.destroy();
    }
  });
});
