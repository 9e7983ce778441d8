import { getEventListeners } from "node:events";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { askHook } from "../../src/endpoint/ask-hook.ts";
import type { HookCall } from "../../src/endpoint/endpoint.ts";
import { hookBeatMs } from "../../src/endpoint/agent-service.ts";
import { type EndpointUnderTest, eventually, startEndpoint, token } from "./endpoint-under-test.ts";

const event = JSON.stringify({ session_id: "s" });

function ask(
  under: EndpointUnderTest,
  changes: Partial<Parameters<typeof askHook>[0]> = {},
): ReturnType<typeof askHook> {
  return askHook({ port: under.port, token, event, pid: 4_711, limitMs: 50_000, ...changes });
}

function post(
  under: EndpointUnderTest,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(new URL("/hook", under.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body,
  });
}

/** Hooks that wait until the test answers them. */
function held() {
  const calls: HookCall[] = [];
  let answer: (output: string | undefined) => void = () => {};
  const answerHook = (call: HookCall): Promise<string | undefined> => {
    calls.push(call);
    call.waiting("nobody decided");
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  return { calls, hooks: { answerHook }, answer: (output: string | undefined) => answer(output) };
}

describe("the door for hooks", () => {
  it("hands the event over as it came, and brings back what to print", async () => {
    const { calls, hooks, answer } = held();
    const under = await startEndpoint({ hooks, tokens: { claude: "claude-token" } });
    const asked = ask(under, { token: "claude-token", event: '{"a":["ü"]}' });
    await eventually(() => calls.length).toBe(1);
    expect(calls[0]).toMatchObject({ tokenName: "claude", event: { a: ["ü"] }, pid: 4_711 });
    answer("printed\n\u{1f600}");
    expect(await asked).toEqual({ kind: "answered", output: "printed\n\u{1f600}" });
  });

  it("has no opinion where nobody answers hooks, or the answer fails", async () => {
    expect(await ask(await startEndpoint())).toEqual({ kind: "answered", output: undefined });
    const broken = await startEndpoint({ hooks: { answerHook: () => Promise.reject(new Error("It broke.")) } });
    expect(await ask(broken)).toEqual({ kind: "answered", output: undefined });
  });

  it("says that it lives while the user is asked", async () => {
    const { hooks, answer } = held();
    const clock = createFakeClock();
    const under = await startEndpoint({ hooks, clock });
    const response = await post(under, event);
    const reader = response.body?.getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe(`${JSON.stringify({ state: "waiting", late: "nobody decided" })}\n`);
    clock.advance(hookBeatMs);
    expect(await read()).toBe("\n");
    clock.advance(hookBeatMs);
    expect(await read()).toBe("\n");
    answer("yes");
    expect(await read()).toBe(`${JSON.stringify({ state: "done", output: "yes" })}\n`);
  });

  it("says nothing of the kind in the middle of an answer, however slowly that is read", async () => {
    const { hooks, answer } = held();
    const clock = createFakeClock();
    const under = await startEndpoint({ hooks, clock });
    const response = await post(under, event);
    const output = "x".repeat(32 * 1024 * 1024);
    answer(output);
    const read: Buffer[] = [];
    for await (const chunk of response.body ?? []) {
      read.push(Buffer.from(chunk));
      // The rest is yet to be written: buffers on the way do not hold as much.
      if (read.length === 3) clock.advance(hookBeatMs);
    }
    const lines = Buffer.concat(read).toString().split("\n");
    expect(read.length).toBeGreaterThan(3);
    expect(lines.length).toBe(3);
    expect(lines[1] === JSON.stringify({ state: "done", output })).toBe(true);
  });

  it("prints what the companion left for it when its time is up, and the companion hears of it", async () => {
    const { calls, hooks } = held();
    const under = await startEndpoint({ hooks });
    expect(await ask(under, { limitMs: 300 })).toEqual({ kind: "answered", output: "nobody decided" });
    await eventually(() => calls[0]?.signal.aborted).toBe(true);
  });

  it("is cut off with the endpoint", async () => {
    const { calls, hooks } = held();
    const under = await startEndpoint({ hooks });
    const asked = ask(under);
    await eventually(() => calls.length).toBe(1);
    await under.endpoint.close();
    expect(await asked).toEqual({ kind: "cut", output: "nobody decided" });
    expect(await ask(under)).toEqual({ kind: "refused" });
  });

  it("takes nothing but JSON", async () => {
    const { hooks } = held();
    const under = await startEndpoint({ hooks });
    expect((await post(under, "{")).status).toBe(400);
    expect((await post(under, "[".repeat(10_000))).status).toBe(400);
    expect((await post(under, event, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(under, event, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await post(under, event, { origin: "http://localhost" })).status).toBe(403);
  });

  it("prints what whoever answers hooks has for an event that nobody can read", async () => {
    const { hooks } = held();
    const answering = { ...hooks, answerUnreadable: async (call: { tokenName: string }) => `no to ${call.tokenName}` };
    const under = await startEndpoint({ hooks: answering, tokens: { claude: "claude-token" } });
    for (const unread of ["{", "[".repeat(10_000)])
      expect(await ask(under, { token: "claude-token", event: unread })).toEqual({
        kind: "answered",
        output: "no to claude",
      });
    expect((await post(under, "{", { authorization: "Bearer claude-token" })).status).toBe(400);
    const other = await startEndpoint({ hooks });
    expect(await ask(other, { event: "{" })).toEqual({ kind: "refused" });
  });

  it("takes a proposal of some megabytes", async () => {
    const { calls, hooks, answer } = held();
    const under = await startEndpoint({ hooks });
    const text = "ä\n".repeat(2_000_000);
    const asked = ask(under, { event: JSON.stringify({ text }) });
    await eventually(() => calls.length).toBe(1);
    expect(calls[0]?.event).toEqual({ text });
    answer(text);
    expect(await asked).toEqual({ kind: "answered", output: text });
  });
});

describe("a hook", () => {
  it.each([
    ["of another program", 404, "nothing"],
    ["that does not take its token", 401, "{}"],
  ])("goes on to the next companion after an answer %s", async (_whose, status, text) => {
    const port = await listen(createServer((_request, response) => response.writeHead(status).end(text)));
    expect(await askHook({ port, token, event, pid: 1, limitMs: 50_000 })).toEqual({ kind: "refused" });
  });

  it("does not give up a companion for what holds up the hook itself: a busy machine is no reason to write unreviewed", async () => {
    const port = await listen(createServer((_request, response) => response.end('{"state":"done","output":"yes"}\n')));
    const asking = askHook({ port, token, event, pid: 1, limitMs: 50_000 });
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200);
    expect(await asking).toEqual({ kind: "answered", output: "yes" });
  });

  it.each([
    ["waits for an editor that is busy for ten seconds", false, 10, { kind: "answered", output: "yes" }],
    ["waits no longer than twenty seconds for one that says nothing", false, 25, { kind: "refused" }],
    ["does not wait for an editor that is not busy", true, 10, { kind: "refused" }],
  ])("%s", async (_which, isIdle, busySeconds, reply) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked: ServerResponse | undefined;
    const server = createServer((_request, response) => (asked = response));
    const port = await listen(server);
    const requested = once(server, "request");
    const ended = vi.fn();
    const asking = askHook({
      port,
      token,
      event,
      pid: 1,
      limitMs: 3_600_000,
      mayBeBusy: async () => !isIdle,
    }).finally(ended);
    await requested;
    await vi.advanceTimersByTimeAsync(Math.min(busySeconds, 20) * 1_000 - 100);
    expect(ended).toHaveBeenCalledTimes(isIdle ? 1 : 0);
    if (busySeconds < 20) asked?.end('{"state":"done","output":"yes"}\n');
    else await vi.advanceTimersByTimeAsync(200);
    expect(await asking).toEqual(reply);
  });

  it("listens to the signal of whoever asks until it has its answer, and is refused where that is over", async () => {
    const port = await listen(createServer((_request, response) => response.writeHead(404).end()));
    const ended = new AbortController();
    const { signal } = ended;
    const rounds = Array.from(
      { length: 20 },
      async () => await askHook({ port, token, event, pid: 1, limitMs: 50_000, signal }),
    );
    expect(getEventListeners(signal, "abort")).toHaveLength(20);
    await Promise.all(rounds);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    ended.abort();
    expect(await askHook({ port, token, event, pid: 1, limitMs: 50_000, signal })).toEqual({ kind: "refused" });
  });

  it("has no opinion after nonsense, and knows an answer that is cut off", async () => {
    const nonsense = await listen(createServer((_request, response) => response.end('<html>\n{"state":"done"}\n7\n')));
    expect(await askHook({ port: nonsense, token, event, pid: 1, limitMs: 50_000 })).toEqual({
      kind: "answered",
      output: undefined,
    });
    const cut = await listen(
      createServer((_request, response) => {
        response.write('{"state":"waiting","late":"late"}\n{"state":"done","out');
        setImmediate(() => response.destroy());
      }),
    );
    expect(await askHook({ port: cut, token, event, pid: 1, limitMs: 50_000 })).toEqual({
      kind: "cut",
      output: "late",
    });
  });
});

describe("once the user was asked", () => {
  it.each([
    ["that says that it has nothing to say", '{"state":"none"}\n', "answered"],
    ["that ends its answer", "", "cut"],
    ["whose line is longer than any answer", "x".repeat(70_000_000), "cut"],
  ])("a companion %s does not let the agent go on", async (_which, rest, kind) => {
    const server = createServer((_request, response) => {
      response.write('{"state":"waiting","late":"late","gone":"gone"}\n');
      response.end(rest);
    });
    const port = await listen(server);
    expect(await askHook({ port, token, event, pid: 1, limitMs: 50_000 })).toEqual({ kind, output: "gone" });
  });
});

describe("a hook does not wait for a companion", () => {
  it.each([
    ["that says nothing after its headers", "", 16],
    ["that never ends a line", "x", 16],
    ["that says what no companion says", "x\n{}\n", 16],
    ["that is silent in the middle of it", '{"state":"waiting","late":"late","gone":"gone"}\n', 92],
  ])("%s", async (which, first, mostSeconds) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let begun: ServerResponse | undefined;
    const server = createServer((request, response) => {
      if (request.url !== "/hook") response.end();
      else begun = response.writeHead(200);
    });
    const port = await listen(server);
    const ended = vi.fn();
    const requested = once(server, "request");
    void askHook({ port, token, event, pid: 1, limitMs: 3_600_000 }).then(ended);
    await requested;
    begun?.flushHeaders();
    for (let second = 0; second < mostSeconds; second += 1) {
      if (second === 0 || !first.startsWith("{")) begun?.write(first);
      // What was written before this was answered has arrived.
      await (await fetch(`http://127.0.0.1:${port}/other`)).text();
      expect(ended).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      if (ended.mock.calls.length > 0) break;
      await new Promise((resolve) => setImmediate(resolve));
      if (ended.mock.calls.length > 0) break;
    }
    const isAsked = which === "that is silent in the middle of it";
    expect(ended).toHaveBeenCalledWith(
      isAsked ? { kind: "cut", output: "gone" } : { kind: "answered", output: undefined },
    );
  });

  it("whose line is longer than any answer", async () => {
    const piece = Buffer.alloc(8_388_608, "x");
    const server = createServer((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    });
    expect(await askHook({ port: await listen(server), token, event, pid: 1, limitMs: 3_600_000 })).toEqual({
      kind: "answered",
      output: undefined,
    });
  });
});

it("a hook whose companion is killed knows that it was cut off", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => {
    response.write('{"state":"waiting","late":"late"}\n');
    setTimeout(() => {
      for (const socket of sockets) socket.resetAndDestroy();
    }, 50);
  });
  server.on("connection", (socket) => sockets.add(socket));
  const port = await listen(server);
  expect(await askHook({ port, token, event, pid: 1, limitMs: 50_000 })).toEqual({ kind: "cut", output: "late" });
});

async function listen(server: Server): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
