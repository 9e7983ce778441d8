import { createServer, type Server } from "node:http";
import { createServer as createListener } from "node:net";
import { createClaudeDriver } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { endPortHolders, portHolders, untilHeld } from "./holders.ts";
import { createWorkspaceLab, portOf } from "../workspace-lab.ts";
import { comeBackMs, keptSecrets, leave, sessionOf } from "./leaving-lab.ts";

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
