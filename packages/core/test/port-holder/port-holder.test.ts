import { agentTokens } from "../../src/storage/endpoint-identity.ts";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, createServer as createListener } from "node:net";
import { join } from "node:path";
import {
  type AgentDriver,
  type AgentProposal,
  createClaudeDriver,
  createMemoryPlatform,
  type TestPlatform,
} from "@patchbay/testkit";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { holderNoteKey } from "../../src/port-holder/order.ts";
import { startPortHolder } from "../../src/port-holder/start.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { endPortHolders, openStreamsOn, portHolders, untilHeld } from "./holders.ts";
import { answers, createWorkspaceLab, type EditorRun, portOf, type WorkspaceLab } from "../workspace-lab.ts";

/** Short for a test, long enough for a process to start on a busy machine: an idle agent tries only once. */
const comeBackMs = 1_500;

const sessionOf = (driver: AgentDriver): string =>
  "sessionId" in driver && typeof driver.sessionId === "string" ? driver.sessionId : "";

interface PlainClient {
  readonly client: Client;
  /** Methods of all notifications, in order. */
  readonly told: readonly string[];
  /** Streams asked for so far. */
  streams(): number;
}

const secrets = z.object({ secret: z.string(), sessionKey: z.string() });

/** What a run keeps for the next one, once it is written, and Gemini CLI's token of it. */
async function keptSecrets(platform: TestPlatform): Promise<z.infer<typeof secrets> & { readonly token: string }> {
  const file = join(platform.root, "storage", "endpoint.json");
  await expect.poll(() => existsSync(file)).toBe(true);
  const kept = secrets.parse(JSON.parse(readFileSync(file, "utf8")));
  return { ...kept, token: agentTokens(kept, ["gemini"], platform.random)["gemini"] ?? "" };
}

/** The official client as it is, which notes everything that it is told. */
async function connectClient(platform: TestPlatform, port: number): Promise<PlainClient> {
  const { token } = await keptSecrets(platform);
  const told: string[] = [];
  let streams = 0;
  const client = new Client({ name: "streamable-http-client", version: "0.61.0" });
  client.fallbackNotificationHandler = async ({ method }) => void told.push(method);
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      if (init?.method === "GET") streams += 1;
      return await fetch(url, init);
    },
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, told, streams: () => streams };
}

interface Waiting extends WorkspaceLab {
  readonly first: EditorRun;
  readonly driver: AgentDriver;
  readonly proposal: AgentProposal;
  readonly port: number;
}

/** A companion that has gone with `reload` while an agent waits for a verdict. */
async function leave(typed?: string): Promise<Waiting> {
  const setup = createWorkspaceLab();
  const first = setup.build();
  await first.companion.start();
  const driver = await setup.agent();
  await driver.until("the first context", (status) => status.contexts > 0);
  const proposal = driver.propose({ path: setup.file, text: "one\n2\n" });
  const view = await first.editor.nextView();
  await proposal.asked;
  if (typed !== undefined) view.type(typed);
  const port = portOf(first.companion);
  await first.companion.stop({ reload: true, comeBackMs });
  onTestFinished(endPortHolders);
  return { ...setup, first, driver, proposal, port };
}

describe.runIf(process.platform === "linux")("a companion that leaves with proposals undecided", () => {
  it("nobody comes back: the agent is told that its proposal was rejected, and the port holder ends", async () => {
    const { driver, proposal, port, build } = await leave();
    await untilHeld(port);
    expect(portHolders()).toHaveLength(1);
    expect(await proposal.outcome).toEqual({ kind: "rejected", by: "editor" });
    expect(driver.status.state).toBe("connected");
    await expect.poll(portHolders, { timeout: 5_000 }).toEqual([]);
    expect(await answers(port)).toBe(false);

    const { companion, editor } = build();
    await companion.start();
    await companion.restored;
    expect(portOf(companion)).toBe(port);
    expect(companion.proposals).toEqual([]);
    expect(editor.views).toEqual([]);
  });

  it("text the user typed stays, for the user", async () => {
    const { proposal, build } = await leave("mine\n");
    expect(await proposal.outcome).toEqual({ kind: "rejected", by: "editor" });
    await expect.poll(portHolders, { timeout: 5_000 }).toEqual([]);
    const { companion, editor } = build();
    await companion.start();
    expect((await editor.nextView()).request.draftText).toBe("mine\n");
    await companion.restored;
    expect(companion.proposals).toMatchObject([{ state: "kept", edited: true }]);
  });

  it("the new run is there in time: the port holder has nothing to do", async () => {
    const { driver, proposal, port, build } = await leave();
    const { companion, editor } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
    const view = await editor.nextView();
    await driver.until("connected again", (status) => status.contexts > 1);
    await expect.poll(portHolders, { timeout: 10_000 }).toEqual([]);
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "one\n2\n" });
  });

  it("a new run that is late has the port back when it asks, and the agent with it", async () => {
    const { driver, proposal, port, build } = await leave();
    await untilHeld(port);
    const { companion, editor } = build();
    await companion.start();
    // Who asks in vain gets another port, long before this port holder ends by itself.
    expect(portOf(companion)).toBe(port);
    await expect.poll(portHolders, { timeout: 5_000 }).toEqual([]);
    await driver.until("connected again", (status) => status.contexts > 1);
    (await editor.nextView()).accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "one\n2\n" });
  });

  it("an agent that has its verdict is not told again by the run after the port holder", async () => {
    const { build, platform, file } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const port = portOf(first.companion);
    const { client, told, streams } = await connectClient(platform, port);
    await client.callTool({ name: "openDiff", arguments: { filePath: file, newContent: "one\n2\n" } });
    (await first.editor.nextView()).accept();
    await expect.poll(() => told).toContain("ide/diffAccepted");
    // At once: for the companion, the verdict is still on its way.
    await first.companion.stop({ reload: true, comeBackMs });
    await untilHeld(port);
    await expect.poll(streams, { timeout: 5_000 }).toBe(2);
    const second = build();
    await second.companion.start();
    const since = told.length;
    await expect.poll(() => told.slice(since), { timeout: 10_000 }).toContain("ide/contextUpdate");
    expect(told.filter((method) => method === "ide/diffAccepted")).toHaveLength(1);
  });

  it("a window that is reloaded twice: an agent that had no time to come back in between is held all the same", async () => {
    const { port, driver, proposal, build } = await leave();
    const openStreams = openStreamsOn(port);
    const between = build();
    await between.companion.start();
    await between.companion.restored;
    await between.companion.stop({ reload: true, comeBackMs });
    expect(driver.status.contexts).toBe(1);
    await expect.poll(openStreams).toBe(1);
    const { companion, editor } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
    await driver.until("connected again", (status) => status.contexts > 1);
    (await editor.nextView()).accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "one\n2\n" });
  });

  it("a port holder that is held up is waited for: a new port would cut all agents off", async () => {
    const { port, build } = await leave();
    await untilHeld(port);
    const [holder] = portHolders();
    if (holder === undefined) throw new Error("there is no port holder");
    process.kill(holder, "SIGSTOP");
    setTimeout(() => process.kill(holder, "SIGCONT"), 1_200);
    const { companion } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
  });

  it("who comes in the moment of the handover has a clean end, not a broken connection", async () => {
    const { port, driver, platform, build } = await leave();
    await untilHeld(port);
    const { token } = await keptSecrets(platform);
    const late = connect(port, "127.0.0.1");
    let text = "";
    late.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    const closed = new Promise((resolve) => late.once("close", resolve));
    late.write(`GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`);
    const { companion } = build();
    await companion.start();
    late.write(`mcp-session-id: ${sessionOf(driver)}\r\nlast-event-id: 1234567\r\n\r\n`);
    await closed;
    expect(text).toContain("HTTP/1.1 200 OK");
    expect(text).toContain("id: 1234567\n");
    expect(text.endsWith("\r\n0\r\n\r\n")).toBe(true);
  });

  it("an answer in the terminal meanwhile stands, and the proposal is not open again", async () => {
    const { proposal, port, file, build } = await leave();
    await untilHeld(port);
    expect(await proposal.decideInTerminal("accept")).toMatchObject({ kind: "accepted", by: "terminal" });
    expect(readFileSync(file, "utf8")).toBe("one\n2\n");
    const { companion } = build();
    await companion.start();
    await companion.restored;
    expect(portOf(companion)).toBe(port);
    expect(companion.proposals).toEqual([]);
  });

  it("a port holder whose note is gone leaves the port alone", async () => {
    const { platform, port, build } = await leave();
    const { companion } = build();
    await companion.start();
    await companion.restored;
    expect(existsSync(join(platform.root, "storage", `${holderNoteKey}.json`))).toBe(false);
    await companion.stop();
    let isHeld = false;
    const look = async (): Promise<readonly number[]> => {
      isHeld ||= await answers(port);
      return portHolders();
    };
    await expect.poll(look, { timeout: 10_000 }).toEqual([]);
    expect(isHeld).toBe(false);
  });

  it("secrets stand neither in the port holder's arguments nor in its environment", async () => {
    const { platform, port } = await leave();
    await untilHeld(port);
    const [pid] = portHolders();
    const facts = ["cmdline", "environ"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1")).join("\0");
    const { secret, token, sessionKey } = await keptSecrets(platform);
    expect(facts).toContain("ELECTRON_RUN_AS_NODE=1");
    expect(facts).not.toContain(token);
    expect(facts).not.toContain(secret);
    expect(facts).not.toContain(sessionKey);
  });

  it("who has no token learns nothing and cannot have the port", async () => {
    const { port, proposal } = await leave();
    await untilHeld(port);
    const status = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers })).status;
    expect(await status("/give-back", {})).toBe(401);
    expect(await status("/mcp", { authorization: "Bearer wrong" })).toBe(401);
    expect(await answers(port)).toBe(true);
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
  });

  it("an agent that is between two streams is held, too", async () => {
    const { build, agent, file } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const driver = await agent();
    await driver.until("the first context", (status) => status.contexts > 0);
    const port = portOf(first.companion);
    const openStreams = openStreamsOn(port);
    // It comes back by itself, after a second or so.
    driver.cut("clean");
    await expect.poll(() => first.companion.sessions[0]?.state).toBe("away");
    await first.companion.stop({ reload: true, comeBackMs });
    await untilHeld(port);
    await expect.poll(openStreams).toBe(1);
    const second = build();
    second.editor.openFile(file);
    await second.companion.start();
    expect(portOf(second.companion)).toBe(port);
    await driver.until("the file again", (status) => status.view?.active === file, 10_000);
  });

  it("no port holder where no agent is connected", async () => {
    const { build } = createWorkspaceLab();
    const { companion } = build();
    await companion.start();
    await companion.stop({ reload: true, comeBackMs });
    expect(portHolders()).toEqual([]);
  });

  it("an idle agent is held, too, until the next companion is there", async () => {
    const { build, agent, file } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const driver = await agent();
    await driver.until("the first context", (status) => status.contexts > 0);
    const port = portOf(first.companion);
    await first.companion.stop({ reload: true, comeBackMs });
    await untilHeld(port);
    const second = build();
    second.editor.openFile(file);
    await second.companion.start();
    expect(portOf(second.companion)).toBe(port);
    await driver.until("the file again", (status) => status.view?.active === file, 10_000);
  });

  it("an idle agent is held longer than one that waits, and a slow editor finds both", async () => {
    const { build, agent, file } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const [asking, idle] = [await agent(), await agent()];
    for (const one of [asking, idle]) await one.until("the first context", (status) => status.contexts > 0);
    const port = portOf(first.companion);
    const proposal = asking.propose({ path: file, text: "one\n2\n" });
    await first.editor.nextView();
    await proposal.asked;
    await first.companion.stop({ reload: true, comeBackMs });
    onTestFinished(endPortHolders);
    expect(await proposal.outcome).toEqual({ kind: "rejected", by: "editor" });
    await untilHeld(port);
    const second = build();
    second.editor.openFile(file);
    await second.companion.start();
    expect(portOf(second.companion)).toBe(port);
    for (const one of [asking, idle]) await one.until("the file", (status) => status.view?.active === file, 10_000);
    expect(second.editor.views).toEqual([]);
    await expect.poll(portHolders, { timeout: 5_000 }).toEqual([]);
  });

  it("an idle agent is held for a minute, in a window that takes 4.5 s to reload", async () => {
    const memory = createMemoryPlatform();
    let program = "";
    const processes = { startDetached: async (text: string) => (program = text) !== "" };
    const session = { sessionId: "gemini.one", proposals: [] };
    const answered = await startPortHolder({
      platform: { ...memory, processes },
      storage: createPrivateStorage({ platform: memory, logger: nullLogger, directory: "/home/user/kept" }),
      listening: {
        endpoint: { address: { kind: "tcp", port: 4_000 }, descriptor: 12 },
        identity: { sessionKey: "key" },
        tokens: { gemini: "the token" },
      },
      comeBackMs: 4_500,
      agents: undefined,
      earlier: { text: JSON.stringify({ sessions: [session] }), readAtMs: memory.clock.monotonic() },
    });
    expect(answered).toBe(2_000);
    const order = z
      .object({ tellAt: z.number(), idleUntil: z.number(), endAt: z.number() })
      .parse(JSON.parse(/,(\{"address".*\})\)\n$/u.exec(program)?.[1] ?? ""));
    const now = memory.clock.now();
    expect(order).toEqual({ tellAt: now + 13_500, idleUntil: now + 27_000, endAt: now + 28_500 });
  });
});

/** Whether this process can have a port. */
async function canBind(port: number): Promise<boolean> {
  const server = createListener();
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** What a token opens. */
async function statusWith(port: number, token: string, sessionId = ""): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "mcp-session-id": sessionId };
  return (await fetch(`http://127.0.0.1:${port}/mcp`, { method: "DELETE", headers })).status;
}

describe.runIf(process.platform === "linux")("the token and the key of session ids", () => {
  it("stay where a port holder gives the port back, which nobody else could have meanwhile", async () => {
    const { build, agent, platform } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const driver = await agent();
    await driver.until("the first context", (status) => status.contexts > 0);
    const port = portOf(first.companion);
    const before = await keptSecrets(platform);
    let isOver = false;
    const everFree = (async () => {
      while (!isOver) {
        if (await canBind(port)) return true;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return false;
    })();
    await first.companion.stop({ reload: true, comeBackMs });
    await untilHeld(port);
    isOver = true;
    expect(await everFree).toBe(false);

    const { companion } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
    await driver.until("connected again", (status) => status.contexts > 1);
    await companion.stop();
    expect(await keptSecrets(platform)).toEqual(before);
  });

  it("are new once the port holder has gone, though the port is still free", async () => {
    const { platform, driver, port, build, proposal } = await leave();
    const before = await keptSecrets(platform);
    await proposal.outcome;
    await expect.poll(portHolders, { timeout: 5_000 }).toEqual([]);
    const { companion, editor } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
    await expect.poll(async () => (await keptSecrets(platform)).token).not.toBe(before.token);
    const after = await keptSecrets(platform);
    expect(after.sessionKey).not.toBe(before.sessionKey);
    expect(await statusWith(port, before.token, sessionOf(driver))).toBe(401);
    // Who has the new token from the record is not let into the session of before either.
    expect(await statusWith(port, after.token, sessionOf(driver))).toBe(404);
    const { message } = await editor.messages.next("port-lost");
    expect(message.text).toMatch(/Gemini CLI cannot reconnect.*\/ide enable/u);
  });

  it("are new after a stop that is for good, and after a kill", async () => {
    for (const how of ["stopped", "killed"] as const) {
      const { build, agent, platform } = createWorkspaceLab();
      const first = build();
      await first.companion.start();
      await agent();
      const before = await keptSecrets(platform);
      const port = portOf(first.companion);
      await first.companion.stop(how === "stopped" ? {} : { reload: true, comeBackMs });
      if (how === "killed") {
        await untilHeld(port);
        await endPortHolders();
      }
      const { companion } = build();
      await companion.start();
      await expect.poll(async () => (await keptSecrets(platform)).token).not.toBe(before.token);
      expect(await statusWith(portOf(companion), before.token)).toBe(401);
    }
  });

  it("are new where a stranger who had the port lets it go when asked, whatever he answers", async () => {
    const { platform, port, build } = await leave();
    const before = await keptSecrets(platform);
    await untilHeld(port);
    await endPortHolders();
    const stranger = createServer((request, response) => {
      stranger.close();
      const challenge = request.headers["patchbay-challenge"];
      response.writeHead(204, { "patchbay-proof": String(challenge), connection: "close" }).end();
    });
    await new Promise<void>((resolve) => stranger.listen(port, "127.0.0.1", resolve));
    const { companion } = build();
    await companion.start();
    expect(portOf(companion)).toBe(port);
    expect(await statusWith(port, before.token)).toBe(401);
  });

  it("stay for Claude Code, too, which is alone and only ever dials the old port", async () => {
    const { build, agent, platform } = createWorkspaceLab();
    const first = build();
    await first.companion.start();
    const driver = await agent(createClaudeDriver);
    await driver.until("the first context", (status) => status.contexts > 0, 10_000);
    const before = await keptSecrets(platform);
    const port = portOf(first.companion);
    await first.companion.stop({ reload: true, comeBackMs });
    await untilHeld(port);
    const { companion } = build();
    await companion.start();
    await expect.poll(() => companion.sessions.map(({ state }) => state), { timeout: 15_000 }).toEqual(["connected"]);
    expect(await keptSecrets(platform)).toEqual(before);
  });

  it("stay on a port that was named, which the port holder gives back as well", async () => {
    const { build, agent, platform, file } = createWorkspaceLab();
    const named = build();
    await named.companion.start();
    const port = portOf(named.companion);
    await named.companion.stop();
    const first = build([platform.workspace], port);
    await first.companion.start();
    const driver = await agent();
    await driver.until("the first context", (status) => status.contexts > 0);
    await first.companion.stop({ reload: true, comeBackMs });
    const second = build([platform.workspace], port);
    second.editor.openFile(file);
    await second.companion.start();
    await driver.until("the file", (status) => status.view?.active === file, 10_000);
  });
});

it("a stranger on the port is told neither the token nor the session key", async () => {
  const { build, platform } = createWorkspaceLab();
  const first = build();
  await first.companion.start();
  const port = portOf(first.companion);
  await first.companion.stop({ reload: true });
  const heard: string[] = [];
  const stranger: Server = createServer((request, response) => {
    heard.push(JSON.stringify(request.rawHeaders));
    response.end();
  });
  await new Promise<void>((resolve) => stranger.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const second = build();
  await second.companion.start();
  expect(portOf(second.companion)).not.toBe(port);
  const { secret, token, sessionKey } = await keptSecrets(platform);
  expect(heard).toHaveLength(1);
  expect(heard.join()).not.toContain(token);
  expect(heard.join()).not.toContain(secret);
  expect(heard.join()).not.toContain(sessionKey);
});
