import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import * as crypto from "node:crypto";
import * as files from "node:fs";
import * as http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HoldOrder } from "../../src/port-holder/order.ts";
import { holdPort } from "../../src/port-holder/program.ts";

const rejection = '{"jsonrpc":"2.0","method":"ide/diffRejected"}';
const proposal = { id: "p1", path: "/ws/a.ts", rejection };
const ticket = "ticket";

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The port holder's program in this process, which tells after half a second. */
async function start(changes: Partial<HoldOrder> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "patchbay-port-holder-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const noteFile = join(directory, "port-holder.json");
  writeFileSync(noteFile, JSON.stringify({ ticket, told: [] }));
  const now = Date.now();
  const order: HoldOrder = {
    address: { kind: "tcp", port: await freePort() },
    tokens: ["another token", "token"],
    giveBackSecret: "give-back",
    proofKey: "proof",
    descriptor: undefined,
    tellAt: now + 500,
    idleUntil: changes.tellAt ?? now + 500,
    endAt: now + 20_000,
    comeBackMs: 100,
    noteFile,
    ticket,
    sessions: [{ sessionId: "gemini.one", proposals: [proposal] }],
    ...changes,
  };
  const ended = new Promise<void>((resolve) => {
    holdPort({ http, crypto, files, exit: resolve }, order);
  });
  const ask = (method: string, body?: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${order.address.port}/mcp`, {
      method,
      headers: { authorization: "Bearer token", "mcp-session-id": "gemini.one" },
      ...(body === undefined ? {} : { body }),
    });
  const giveBack = (challenge: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${order.address.port}/give-back`, {
      method: "POST",
      headers: { authorization: "Bearer give-back", "patchbay-challenge": challenge },
    });
  /** An attempt to speak WebSocket; resolves when it is cut off. */
  const upgrade = (headers: Readonly<Record<string, string>>): Promise<"cut off"> =>
    new Promise((resolve) => {
      const request = http.request({
        host: "127.0.0.1",
        port: order.address.port,
        headers: { connection: "Upgrade", upgrade: "websocket", ...headers },
      });
      request.on("error", () => undefined);
      request.on("close", () => resolve("cut off"));
      request.end();
    });
  /** What an agent hears until its stream ends. */
  const listen = async (): Promise<string> => await (await ask("GET")).text();
  const answers = async (): Promise<boolean> =>
    await fetch(`http://127.0.0.1:${order.address.port}/`).then(
      () => true,
      () => false,
    );
  return { noteFile, ended, ask, giveBack, upgrade, listen, answers };
}

describe("the port holder's program", () => {
  it("is started late without a warning of Node's on the user's terminal", async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const late = Date.now() - 1_000;
    const { ended } = await start({ tellAt: late, endAt: late });
    await ended;
    expect(warnings).toEqual([]);
  });

  it("tells that nobody decided, after it has written that down", async () => {
    const { answers, ended, listen, noteFile } = await start();
    await expect.poll(answers).toBe(true);
    expect(await listen()).toContain(`data: ${rejection}\n\n`);
    expect(JSON.parse(readFileSync(noteFile, "utf8"))).toMatchObject({ ticket, told: [{ proposalId: "p1" }] });
    await ended;
  });

  it("tells nothing once the next run has taken its note away: that one asks the user again", async () => {
    const { answers, ended, listen, noteFile } = await start();
    await expect.poll(answers).toBe(true);
    unlinkSync(noteFile);
    expect(await listen()).not.toContain("diffRejected");
    await ended;
    expect(files.existsSync(noteFile)).toBe(false);
  });

  it("does not take the port where the note is another port holder's", async () => {
    const { answers, ended } = await start({ ticket: "of an earlier one" });
    await ended;
    expect(await answers()).toBe(false);
  });

  it("writes down what the terminal decided, and tells nothing of that", async () => {
    const { answers, ask, ended, listen, noteFile } = await start();
    await expect.poll(answers).toBe(true);
    const call = { name: "closeDiff", arguments: { filePath: proposal.path } };
    const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params: call };
    const answer: unknown = await (await ask("POST", JSON.stringify(message))).json();
    expect(answer).toMatchObject({ id: 7, result: { isError: true } });
    const { told } = JSON.parse(readFileSync(noteFile, "utf8"));
    expect(told).toEqual([{ proposalId: "p1", eventId: 0 }]);
    expect(await listen()).not.toContain("diffRejected");
    await ended;
  });

  it("lets the next run have the port, and does not vouch for a port that it had to take", async () => {
    const { answers, ended, giveBack } = await start();
    await expect.poll(answers).toBe(true);
    const response = await giveBack("challenge");
    expect(response.status).toBe(204);
    expect(response.headers.get("patchbay-proof")).toBeNull();
    await ended;
    expect(await answers()).toBe(false);
  });

  it("gives an agent that speaks WebSocket no answer until the next run has the port", async () => {
    const { answers, ended, giveBack, upgrade } = await start({ tellAt: Date.now() + 10_000 });
    await expect.poll(answers).toBe(true);
    let isCutOff = false;
    const attempt = upgrade({ "x-some-authorization": "token" }).then(() => (isCutOff = true));
    // Strangers have their end at once, and come after it: the agent's attempt has been seen by then.
    const host = "example.org";
    for (const headers of [
      {},
      { "x-some-authorization": "tokem" },
      { "x-some-authorization": "token", origin: "null" },
      { "x-some-authorization": "token", host },
    ]) {
      expect(await upgrade(headers)).toBe("cut off");
    }
    expect(isCutOff).toBe(false);
    expect((await giveBack("challenge")).status).toBe(204);
    await attempt;
    await ended;
  });

  it("cuts agents that speak WebSocket off when nobody came", async () => {
    const now = Date.now();
    const { answers, ended, upgrade } = await start({ tellAt: now + 400, endAt: now + 20_000, sessions: [] });
    await expect.poll(answers).toBe(true);
    await upgrade({ "x-some-authorization": "token" });
    await ended;
  });

  it("goes on listening for an agent that waits for nothing, and for the one that was told", async () => {
    const idleUntil = Date.now() + 2_000;
    const sessions = [
      { sessionId: "gemini.one", proposals: [proposal] },
      { sessionId: "gemini.two", proposals: [] },
    ];
    const { answers, ask, ended, listen, noteFile, upgrade } = await start({ idleUntil, sessions });
    await expect.poll(answers).toBe(true);
    const heard = listen();
    await expect.poll(() => readFileSync(noteFile, "utf8")).toContain('"p1"');
    expect(await answers()).toBe(true);
    const attempt = upgrade({ "x-some-authorization": "token" });
    expect((await ask("POST", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }))).status).toBe(200);
    expect(await heard).toContain(`data: ${rejection}\n\n`);
    await attempt;
    await ended;
    expect(Date.now()).toBeGreaterThanOrEqual(idleUntil);
    expect(await answers()).toBe(false);
  });

  it("does not go on listening once a run has taken its note and not its port", async () => {
    const started = Date.now();
    const { answers, ended, noteFile } = await start({
      idleUntil: started + 15_000,
      sessions: [{ sessionId: "gemini.one", proposals: [] }],
    });
    await expect.poll(answers).toBe(true);
    unlinkSync(noteFile);
    await ended;
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it("ends by itself although nobody came", async () => {
    const now = Date.now();
    const { ended } = await start({ tellAt: now + 100, endAt: now + 200 });
    await ended;
  });
});
