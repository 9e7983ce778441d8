import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRpc } from "../../src/endpoint/json-rpc.ts";
import { eventually, startEndpoint, token } from "./endpoint-under-test.ts";
import { beginSession, call, initializeMessage, post } from "./http-agent.ts";
import { openRaw, type RawConnection, requestText, sendRaw } from "./raw-connection.ts";

const session = (id: string): Record<string, string> => ({ "mcp-session-id": id });
const megabyte = 1024 * 1024;

describe("messages over Streamable HTTP", () => {
  it.each([
    ["no JSON", "{not json", -32700],
    ["nothing", "", -32700],
    ["a batch", JSON.stringify([initializeMessage]), -32600],
    ["an empty batch", "[]", -32600],
    ["another jsonrpc", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ["a fractional id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ["params that are a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ["a strange _meta", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":1}}', -32600],
    ["an initialize without params", '{"jsonrpc":"2.0","id":1,"method":"initialize"}', -32602],
    [
      "an initialize without a client's version",
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x"}}}',
      -32602,
    ],
    ["a byte order mark", `\uFEFF${JSON.stringify(initializeMessage)}`, -32700],
  ])("answers %s with 400 and a JSON-RPC error", async (_name, body, code) => {
    const under = await startEndpoint();
    const response = await post(under, body);
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
    expect(under.served).toEqual([]);
  });

  it("has no session for an initialize that the engine refuses", async () => {
    const under = await startEndpoint();
    const message: unknown = JSON.parse(JSON.stringify(initializeMessage));
    Object.assign(Object(Reflect.get(Object(message), "params")), { capabilities: { roots: 5 } });
    const response = await post(under, message);
    expect(await response.json()).toHaveProperty("error");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(under.ended.map(({ why }) => why)).toEqual(["closed"]);
  });

  it("takes members that JSON-RPC does not know", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const response = await post(under, { ...call(1, "echo", "x"), extra: true }, session(id));
    expect(await response.json()).toMatchObject({ id: 1, result: {} });
  });

  it("answers notifications and responses with 202", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 99, result: {} },
      { jsonrpc: "2.0", id: 99, error: { code: 1, message: "no" } },
    ]) {
      const response = await post(under, message, session(id));
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    }
  });

  it("answers a cancelled request with an empty 202, and only the one that was meant", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const meant = post(under, call("a", "hold", "meant"), session(id));
    const other = post(under, call("b", "hold", "other"), session(id));
    await eventually(() => under.held.size).toBe(2);
    const cancel = (requestId: unknown): Promise<Response> =>
      post(under, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }, session(id));
    // Neither an id of ours nor a foreign one cancels anything.
    for (const requestId of [1, 2, 3, "c", null]) expect((await cancel(requestId)).status).toBe(202);
    expect((await cancel("a")).status).toBe(202);
    expect((await meant).status).toBe(202);
    expect(under.cancelled).toEqual(["meant"]);
    under.held.get("meant")?.();
    under.held.get("other")?.();
    expect(await (await other).json()).toMatchObject({ id: "b", result: {} });
  });

  it("answers an unknown method and a tool that throws with JSON-RPC errors", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const unknown = await post(under, { jsonrpc: "2.0", id: 1, method: "no/such" }, session(id));
    expect(await unknown.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    const broken = await post(under, call(2, "throw", "x"), session(id));
    expect(await broken.json()).toMatchObject({ id: 2, error: { code: -32603 } });
  });

  it.each(["text/plain", "application/json-seq", "multipart/form-data"])(
    "answers a body of %s with 415",
    async (type) => {
      const under = await startEndpoint();
      expect((await post(under, initializeMessage, { "content-type": type })).status).toBe(415);
    },
  );

  it("takes a content type with parameters, and chunked bodies with an expectation", async () => {
    const under = await startEndpoint();
    const body = JSON.stringify(initializeMessage);
    const response = await post(under, body, { "content-type": "Application/JSON; charset=utf-8" });
    expect(response.status).toBe(200);
    const connection = await sendRaw(under.port, {
      headers: ["Content-Type: application/json", "Transfer-Encoding: chunked", "Expect: 100-continue"],
    });
    await connection.until(() => connection.text.includes("100 Continue"));
    connection.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    await connection.untilText('"result"');
  });

  it("takes characters that are cut by chunks, and refuses a byte order mark there too", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const send = async (text: string): Promise<RawConnection> => {
      const connection = await openRaw(under.port);
      connection.write(
        requestText(under.port, {
          headers: [`mcp-session-id: ${id}`, "Content-Type: application/json", "Transfer-Encoding: chunked"],
        }),
      );
      for (const byte of Buffer.from(text)) {
        connection.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]));
      }
      connection.write("0\r\n\r\n");
      return connection;
    };
    // More chunks than are kept apart.
    const text = "ä€😀 \uFEFF".repeat(700);
    const good = await send(JSON.stringify(call(1, "echo", text)));
    await good.untilText("}}");
    expect(good.received.toString("utf8")).toContain(JSON.stringify([{ type: "text", text }]));
    expect(await (await send(`\uFEFF${JSON.stringify(call(1, "echo", "x"))}`)).status()).toBe(400);
  });

  it("D11 works with 10 MB and 50 MB", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    for (const size of [10, 50]) {
      const text = `${`${"é".repeat(39)}\n`.repeat((size * megabyte) / 79)}end`;
      const response = await post(under, call(size, "echo", text), session(id));
      const answer: unknown = await response.json();
      expect(response.status).toBe(200);
      expect(answer).toEqual({ jsonrpc: "2.0", id: size, result: { content: [{ type: "text", text }] } });
    }
  });

  it("D11 refuses what is over the limit with a JSON-RPC error, told or not", async () => {
    const under = await startEndpoint({ limits: { maximumMessageBytes: 100_000 } });
    const told = await sendRaw(under.port, { headers: ["Content-Type: application/json", "Content-Length: 100001"] });
    expect(await told.status()).toBe(413);
    const chunked = await sendRaw(under.port, {
      headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"],
    });
    for (let sent = 0; sent < 30; sent += 1) chunked.write(`1000\r\n${"x".repeat(4096)}\r\n`);
    expect(await chunked.status()).toBe(413);
    for (const connection of [told, chunked]) {
      await connection.closed();
      expect(connection.text).toContain('"jsonrpc":"2.0"');
    }
  });

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a cut character", [0xe2, 0x82]],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
  ])("D12 refuses invalid UTF-8: %s", async (_name, bytes) => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const [before = "", after = ""] = JSON.stringify(call(1, "echo", "|")).split("|");
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const whole = await sendRaw(under.port, { headers: [`mcp-session-id: ${id}`], body });
    // Chunk by chunk, so that the bytes are decoded apart from each other.
    const cut = await openRaw(under.port);
    cut.write(
      requestText(under.port, {
        headers: [`mcp-session-id: ${id}`, "Content-Type: application/json", "Transfer-Encoding: chunked"],
      }),
    );
    for (const byte of body) cut.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]));
    cut.write("0\r\n\r\n");
    for (const connection of [whole, cut]) {
      expect(await connection.status()).toBe(400);
      await connection.untilText("-32700");
    }
  });

  it("D12 takes the characters of a long text apart wherever its chunks end, and refuses invalid ones in it", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const text = "€uro 😀\n".repeat(150_000);
    const answer = await post(under, call(1, "echo", text), { "mcp-session-id": id });
    expect(await answer.json()).toMatchObject({ result: { content: [{ text }] } });
    const whole = Buffer.from(JSON.stringify(call(1, "echo", text)));
    for (const place of [700_000, whole.length - 100]) {
      const body = Buffer.from(whole);
      body[place] = 0xff;
      const connection = await sendRaw(under.port, { headers: [`mcp-session-id: ${id}`], body });
      expect(await connection.status()).toBe(400);
      await connection.untilText("}}");
      expect(connection.text).toContain("not valid UTF-8");
    }
  });

  it("D13 is not moved by __proto__ anywhere", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const bodies = [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"text":"polluted","isAdmin":true}}}}',
      '{"__proto__":{"isAdmin":true},"jsonrpc":"2.0","id":"__proto__","method":"__proto__","params":{"__proto__":{"isAdmin":true}}}',
      '{"jsonrpc":"2.0","id":"constructor","method":"tools/call","params":{"name":"__proto__","arguments":{"constructor":{"prototype":{"isAdmin":true}}}}}',
      '{"jsonrpc":"2.0","id":3,"method":"toString","params":{"_meta":{"__proto__":{"isAdmin":true}}}}',
    ];
    for (const body of bodies) expect((await post(under, body, session(id))).status).toBeLessThan(500);
    for (const name of ["__proto__", "constructor", "hasOwnProperty"]) {
      expect((await post(under, call(1, "echo", "x"), session(name))).status).toBe(404);
    }
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
    expect("isAdmin" in {}).toBe(false);
  });

  it("D14 refuses JSON that is 100,000 deep before it is collected, and lives", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    for (const body of ["[".repeat(100_000), `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`]) {
      const connection = await sendRaw(under.port, { headers: [`mcp-session-id: ${id}`], body });
      expect(await connection.status()).toBe(400);
    }
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(200);
  });

  it("D14 does not count brackets in strings", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const text = `${'[{"\\'.repeat(1_000)}`;
    expect(await (await post(under, call(1, "echo", text), session(id))).json()).toMatchObject({
      result: { content: [{ text }] },
    });
  });

  it("F01 answers 3,000 random JSON-RPC bodies without a crash or a 5xx", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => {
      rejections.push(reason);
    };
    process.on("unhandledRejection", onRejection);
    const methods = fc.constantFrom(
      "initialize",
      "ping",
      "tools/list",
      "tools/call",
      "notifications/cancelled",
      "notifications/initialized",
      "__proto__",
    );
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom("2.0", 1, "a"));
    const rpc = fc.record(
      {
        jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant("2.0") }, { weight: 1, arbitrary: member }),
        id: fc.oneof(fc.integer(), fc.string(), member),
        method: fc.oneof({ weight: 5, arbitrary: methods }, { weight: 1, arbitrary: member }),
        params: fc.oneof(
          fc.record(
            { name: fc.constantFrom("echo", "throw", "x"), arguments: member, _meta: member },
            { requiredKeys: [] },
          ),
          member,
        ),
        result: member,
        error: member,
      },
      { requiredKeys: ["jsonrpc"] },
    );
    const body = fc.oneof(
      { weight: 6, arbitrary: rpc.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: fc.string() },
    );
    const bodies = fc.sample(body, { numRuns: 3_000, seed: 20_261_120 });
    try {
      for (let at = 0; at < bodies.length; at += 50) {
        await Promise.all(
          bodies.slice(at, at + 50).map(async (text, index) => {
            const response = await post(under, text, index % 10 === 0 ? {} : session(id));
            await response.text();
            expect(response.status, text).toBeLessThan(500);
          }),
        );
      }
    } finally {
      process.off("unhandledRejection", onRejection);
    }
    expect(rejections).toEqual([]);
    expect(under.logLines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("passes on nothing that the engine would drop without an answer", () => {
    const meta = fc.oneof(
      fc.constant(undefined),
      fc.record(
        { progressToken: fc.jsonValue(), "io.modelcontextprotocol/related-task": fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    );
    const value = fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: fc.oneof(fc.string(), fc.jsonValue()),
        params: fc.oneof(fc.record({ _meta: meta }, { requiredKeys: [] }), fc.jsonValue()),
        result: fc.oneof(fc.record({ _meta: meta }, { requiredKeys: [] }), fc.jsonValue()),
        error: fc.oneof(
          fc.record(
            { code: fc.oneof(fc.integer(), fc.double()), message: fc.string(), data: fc.jsonValue() },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
        extra: fc.jsonValue(),
      },
      { requiredKeys: ["jsonrpc"] },
    );
    fc.assert(
      fc.property(value, (candidate) => {
        const read = readRpc(JSON.stringify(candidate));
        if (read.kind !== "invalid") expect(JSONRPCMessageSchema.safeParse(read.message).error).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it("F02 survives 1,000 connections of random bytes", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const noise = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), { numRuns: 1_000, seed: 7 });
    for (let at = 0; at < noise.length; at += 50) {
      await Promise.all(
        noise.slice(at, at + 50).map(async (bytes, index) => {
          const connection = await openRaw(under.port);
          if (index % 3 === 0) connection.write(requestText(under.port, { headers: ["Transfer-Encoding: chunked"] }));
          connection.write(bytes);
          connection.socket.end();
          await connection.closed();
        }),
      );
    }
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(200);
  });

  it("F03 survives 50 resets inside a 5 MB POST", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    for (let index = 0; index < 50; index += 1) {
      const connection = await sendRaw(under.port, {
        headers: [`mcp-session-id: ${id}`, "Content-Type: application/json", `Content-Length: ${5 * megabyte}`],
      });
      connection.write(Buffer.alloc(index * 20_000, " "));
      await new Promise((resolve) => setImmediate(resolve));
      connection.socket.resetAndDestroy();
      await connection.closed();
    }
    expect((await post(under, call(1, "echo", "x"), session(id))).status).toBe(200);
    expect(under.logLines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("answers pipelined requests in their order, a refused one among them", async () => {
    const under = await startEndpoint();
    const id = await beginSession(under);
    const connection = await openRaw(under.port);
    const ask = (text: string, given?: string): Buffer =>
      requestText(under.port, {
        headers: [`mcp-session-id: ${id}`],
        body: JSON.stringify(call(text, "echo", text)),
        token: given ?? token,
      });
    connection.write(Buffer.concat([ask("first"), ask("second"), ask("third", "wrong")]));
    await connection.closed();
    expect(
      Array.from(connection.text.matchAll(/HTTP\/1\.1 (\d+)|"text":"(\w+)"/g), ([, status, text]) => status ?? text),
    ).toEqual(["200", "first", "200", "second", "401"]);
  });
});
