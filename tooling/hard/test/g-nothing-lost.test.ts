import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { agents } from "@patchbay/core";
import { linesOf } from "@patchbay/core/json-input";
import { createAgentDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpAgent } from "../src/attack/http-agent.ts";
import * as ask from "../src/host/calls.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { connectHttp, connectWebSocket, makeSandbox, pause, startEditor } from "./editor.ts";

const isOutcome = ({ method }: { readonly method: string }): boolean => method.startsWith("ide/diff");

/** The agent of an earlier run, known by its session's id. */
function resumed(port: number, agent: HttpAgent): Promise<HttpAgent> {
  return HttpAgent.begin({ port, token: agent.token, sessionId: agent.sessionId });
}

function proposalFiles(sandbox: Sandbox): readonly string[] {
  if (!existsSync(sandbox.storage)) return [];
  return readdirSync(sandbox.storage)
    .filter((name) => name.startsWith("proposal-"))
    .map((name) => join(sandbox.storage, name));
}

describe("nothing lost", () => {
  it("L01 an outcome decided while the agent is away outlives kill -9 and is delivered once, to its owner", async () => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    const agent = await connectHttp(first);
    const path = sandbox.file("a.txt");
    await agent.openDiff(path, "one\r\ntwo 😀");
    const view = await first.view();
    agent.stream?.cut();
    await first.until("the stream is lost", async () =>
      (await first.call(ask.sessions)).every(({ state }) => state === "away"),
    );
    await first.call(ask.type, { id: view.id, text: "mine\r\ntwo 😀" });
    await first.call(ask.accept, { id: view.id });
    await pause(500);
    await first.kill();
    const second = await startEditor({ sandbox });
    expect(second.port).toBe(first.port);
    const other = await connectHttp(second);
    const again = await resumed(second.port, agent);
    const stream = await again.openStream();
    const event = await stream.next(isOutcome);
    expect(event.params).toEqual({ filePath: path, content: "mine\r\ntwo 😀" });
    await pause(1_500);
    await again.openStream({ resume: true });
    await pause(200);
    expect(again.told.filter(isOutcome)).toHaveLength(1);
    expect(other.told.filter(isOutcome)).toEqual([]);
    // Until the agent has written it, a next run is to know of it.
    writeFileSync(path, "mine\r\ntwo 😀");
    await second.until("nothing of it is kept", () => proposalFiles(sandbox).length === 0);
  });

  it("L07 serve --json takes every command whole, whatever characters its texts hold and however its bytes come", async () => {
    const sandbox = makeSandbox();
    const program = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
    const server = spawn(
      process.execPath,
      ["--conditions=@patchbay/source", program, "serve", sandbox.workspace, "--json"],
      {
        env: { PATH: "/usr/bin:/bin", HOME: sandbox.home, TMPDIR: sandbox.tmp },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    onTestFinished(() => void server.kill("SIGKILL"));
    const events = linesOf(server.stdout);
    const next = async (name: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const { value, done } = await events.next();
        if (done === true) throw new Error(`serve ended before ${name}.`);
        const event: Record<string, unknown> = JSON.parse(value);
        if (event["event"] === "error") throw new Error(String(event["message"]));
        if (event["event"] === name) return event;
      }
    };
    const { port } = await next("listening");
    const agent = await HttpAgent.connect({ port: Number(port), token: sandbox.token("gemini") });
    // Carriage returns are the file's matter: a text takes its line ends.
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).filter((one) => one !== "\r");
    for (const [index, text] of ["\u2028", "\u2029\u0085\v\f\n😀", all.join("")].entries()) {
      const path = sandbox.file(`${index}.txt`);
      await agent.openDiff(path, "proposed");
      const { id } = await next("proposal");
      const line = Buffer.from(`${JSON.stringify({ command: "accept", id, text })}\n`);
      for (let at = 0; at < line.length; at += 5) {
        server.stdin.write(line.subarray(at, at + 5));
        if (at % 500 === 0) await pause(0);
      }
      const accepted = await agent.stream?.next(({ params }) => params["filePath"] === path);
      expect(accepted?.params).toEqual({ filePath: path, content: text });
    }
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.stdin.end('{"command":"quit"}');
    expect(await ended).toBe(0);
  });

  it("L01 a decision outlives a kill -9 right after it, on a stream that nobody reads any more", async () => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    const agent = await connectHttp(first);
    const path = sandbox.file("a.txt");
    await agent.openDiff(path, "proposed\n");
    const view = await first.view();
    await first.call(ask.type, { id: view.id, text: "mine\n" });
    await pause(500);
    agent.stream?.response.socket.pause();
    await first.call(ask.accept, { id: view.id });
    await pause(300);
    await first.kill();
    agent.stream?.cut();
    const second = await startEditor({ sandbox });
    const again = await resumed(second.port, agent);
    const event = await (await again.openStream()).next(isOutcome);
    expect(event.params).toEqual({ filePath: path, content: "mine\n" });
    // Nor is the user asked again.
    expect(await second.openViews()).toEqual([]);
  });

  it("L01 an undelivered outcome can be fetched by closeDiff at once after kill -9", async () => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    const agent = await connectHttp(first);
    const path = sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    agent.stream?.cut();
    await first.until("the stream is lost", async () =>
      (await first.call(ask.sessions)).every(({ state }) => state === "away"),
    );
    await first.call(ask.accept, { id: (await first.view()).id });
    await pause(500);
    await first.kill();
    const second = await startEditor({ sandbox });
    // Its very first word is the question.
    const again = await resumed(second.port, agent);
    expect(await again.finalText(path)).toBe("x\n");
    expect(await again.finalText(path)).toBeUndefined();
  });

  it("L02 what was typed 500 ms before kill -9 is there again, private, and can be accepted", async ({ annotate }) => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    const agent = await connectHttp(first);
    const path = sandbox.file("a.txt");
    await agent.openDiff(path, "proposed\n");
    const view = await first.view();
    for (let key = 0; key < 20; key += 1) {
      await first.call(ask.type, { id: view.id, text: `typed ${key}\n` });
      await pause(30);
    }
    const typedAt = performance.now();
    await first.until("the last key is on disk", () =>
      proposalFiles(sandbox).some((file) => readFileSync(file, "utf8").includes("typed 19")),
    );
    const onDiskAfter = performance.now() - typedAt;
    expect(onDiskAfter).toBeLessThan(500);
    for (const file of proposalFiles(sandbox)) expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.kill();
    const second = await startEditor({ sandbox });
    const restored = await second.view();
    expect(restored).toMatchObject({ id: view.id, text: "typed 19\n", draft: true, path });
    const again = await resumed(second.port, agent);
    const stream = await again.openStream();
    await second.call(ask.accept, { id: restored.id });
    expect((await stream.next(isOutcome)).params["content"]).toBe("typed 19\n");
    await annotate(`on disk after ${onDiskAfter.toFixed(0)} ms`);
  });

  it("L02 the same for an agent whose answer dies with its connection: the text comes back, and its terminal answers", async () => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    const socket = await connectWebSocket(first);
    void socket.openDiff(sandbox.file("a.txt"), "proposed\n").catch(() => undefined);
    const view = await first.view();
    await first.call(ask.type, { id: view.id, text: "typed\n" });
    await pause(500);
    await first.kill();
    const second = await startEditor({ sandbox });
    const restored = await second.view();
    expect(restored).toMatchObject({ text: "typed\n", draft: true });
    await second.call(ask.accept, { id: restored.id });
    await second.until("it says where to answer", async () =>
      (await second.call(ask.messages)).some(({ code }) => code === "answer-in-terminal"),
    );
    expect((await second.call(ask.proposals)).map(({ state }) => state)).toEqual(["terminal"]);
    expect(await second.view()).toMatchObject({ text: "typed\n" });
  });

  it("L03 nothing is written to the user's files, whatever is decided", async () => {
    const editor = await startEditor();
    const path = editor.sandbox.file("mine.txt");
    writeFileSync(path, "untouched\r\n");
    const before = { hash: createHash("sha256").update(readFileSync(path)).digest("hex"), at: statSync(path).mtimeMs };
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    for (const how of ["accept", "reject", "edit"] as const) {
      await editor.call(ask.decide, { how });
      await agent.openDiff(path, `${how}\n`);
      await socket.openDiff(path, `${how}\n`, how);
      await editor.until("it is decided", async () => (await editor.openViews()).length === 0);
    }
    await editor.call(ask.decide, { how: "leave" });
    await agent.openDiff(path, "open at the end\n");
    await editor.call(ask.stop, {});
    expect(createHash("sha256").update(readFileSync(path)).digest("hex")).toBe(before.hash);
    expect(statSync(path).mtimeMs).toBe(before.at);
    expect(readdirSync(editor.sandbox.workspace)).toEqual(["mine.txt"]);
  });

  it("L04 an outcome never goes to an agent of another workspace", async () => {
    const sandbox = makeSandbox();
    const one = await startEditor({ sandbox });
    const otherWorkspace = join(sandbox.root, "other");
    mkdirSync(otherWorkspace);
    const two = await startEditor({
      sandbox,
      settings: { folders: [otherWorkspace], storage: join(sandbox.root, "other-storage") },
    });
    const agent = await connectHttp(one);
    const path = sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    agent.crash();
    await one.call(ask.accept, { id: (await one.view()).id });
    await one.call(ask.jumpClock, { ms: 60_000 });
    await two.call(ask.jumpClock, { ms: 60_000 });
    // The record's token of the one is no token of the other, and its session is not known there.
    const stranger = new HttpAgent(two.port, agent.token);
    stranger.sessionId = agent.sessionId;
    expect([401, 403, 404]).toContain((await stranger.exchange("GET")).status);
    const neighbour = await HttpAgent.connect({ port: two.port, token: tokenOf(two.port, sandbox) });
    expect(await neighbour.finalText(path)).toBeUndefined();
    expect(neighbour.told.filter(isOutcome)).toEqual([]);
  });

  // Claude Code dials again after a second, and hears 600 ms after its handshake (docs/protocols/claude.md).
  it.each(
    agents
      .filter(({ transport }) => transport !== "hook")
      .map(({ id, agentName, transport }) => [agentName, transport === "websocket" ? 2_500 : 1_500, id] as const),
  )("L05 %s gets context again within %i ms of a fast restart, by itself", async (_name, limitMs, id) => {
    const sandbox = makeSandbox();
    const editor = await startEditor({ sandbox });
    const file = sandbox.file("a.ts");
    writeFileSync(file, "one\n");
    const where = { cwd: sandbox.workspace, home: sandbox.home, temporaryDirectory: sandbox.tmp, idePid: editor.pid };
    const driver = createAgentDriver(id, where);
    onTestFinished(() => driver.end());
    await editor.call(ask.openFile, { path: file, text: "one\n" });
    await driver.connect();
    await driver.until("the file", ({ view }) => view?.active === file);
    const other = sandbox.file("b.ts");
    writeFileSync(other, "two\n");
    await editor.call(ask.stop, { reload: true, comeBackMs: 300 });
    await editor.start();
    const startedAt = performance.now();
    await editor.call(ask.openFile, { path: other, text: "two\n" });
    await driver.until("the new file", ({ view }) => view?.active === other, 4_000);
    const took = performance.now() - startedAt;
    expect(took).toBeLessThan(limitMs);
  });

  // Over a WebSocket the answer dies with the connection; Copilot CLI asks the next run again.
  const patient = agents.filter(({ transport, door }) => transport === "streamable-http" && door === undefined);
  describe.each(patient.map(({ id, agentName }) => [agentName, id] as const))(
    "%s waits for a verdict, and the editor is killed with -9",
    (_name, id) => {
      const waiting = async () => {
        const sandbox = makeSandbox();
        const editor = await startEditor({ sandbox });
        const file = sandbox.file("a.ts");
        writeFileSync(file, "one\n");
        const where = {
          cwd: sandbox.workspace,
          home: sandbox.home,
          temporaryDirectory: sandbox.tmp,
          idePid: editor.pid,
        };
        const driver = createAgentDriver(id, where);
        onTestFinished(() => driver.end());
        await driver.connect();
        const proposal = driver.propose({ path: file, text: "two\n" });
        await proposal.asked;
        await editor.view();
        // A second after the proposal something stands by.
        await pause(2_500);
        await editor.kill();
        return { sandbox, editor, file, proposal };
      };

      it("L06 the next run has the port and goes on: its verdict reaches the agent", async () => {
        const { sandbox, editor, file, proposal } = await waiting();
        await pause(2_000);
        const second = await startEditor({ sandbox });
        expect(second.port).toBe(editor.port);
        const view = await second.view();
        await second.call(ask.accept, { id: view.id });
        expect(await proposal.outcome).toMatchObject({ kind: "accepted", by: "editor" });
        expect(readFileSync(file, "utf8")).toBe("two\n");
      });

      it("L06 no run comes: the agent is told in the end, and nothing is left", async () => {
        const { sandbox, editor, file, proposal } = await waiting();
        expect(await proposal.outcome).toMatchObject({ kind: "rejected", by: "editor" });
        expect(readFileSync(file, "utf8")).toBe("one\n");
        await expect.poll(() => answers(editor.port), { timeout: 5_000 }).toBe(false);
        const second = await startEditor({ sandbox });
        expect(await second.openViews()).toEqual([]);
      }, 40_000);
    },
  );
});

/** Whether anybody listens on a port. */
async function answers(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

/** The token in Claude's lock of this port, which opens the companion for every transport. */
function tokenOf(port: number, sandbox: Sandbox): string {
  const lock: unknown = JSON.parse(readFileSync(join(sandbox.recordsOf("claude"), `${port}.lock`), "utf8"));
  const token: unknown = typeof lock === "object" && lock !== null ? Reflect.get(lock, "authToken") : undefined;
  return String(token);
}
