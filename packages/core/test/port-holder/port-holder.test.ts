import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createMemoryPlatform, type TestPlatform } from "@patchbay/testkit";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { holderNoteKey } from "../../src/port-holder/order.ts";
import { startPortHolder } from "../../src/port-holder/start.ts";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { endPortHolders, openStreamsOn, portHolders, untilHeld } from "./holders.ts";
import { answers, createWorkspaceLab, portOf } from "../workspace-lab.ts";
import { comeBackMs, keptSecrets, leave, sessionOf } from "./leaving-lab.ts";

interface PlainClient {
  readonly client: Client;
  /** Methods of all notifications, in order. */
  readonly told: readonly string[];
  /** Streams asked for so far. */
  streams(): number;
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
