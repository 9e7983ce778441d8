import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenOnKeptPort } from "../../src/companion/kept-port.ts";
import type { Endpoint, SessionAcceptor } from "../../src/endpoint/endpoint.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import { nullLogger } from "../../src/support/logger.ts";

/** A port on which another program listens. */
async function takenPort(): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function listen(kept: number, onlyPort?: number): Promise<Endpoint["address"] & Pick<Endpoint, "close">> {
  const identity = { secret: "secret", sessionKey: "key" };
  const acceptor: SessionAcceptor = {
    recognise: async () => "gemini",
    accept: async () => {},
    ended: () => {},
    mayForget: () => true,
  };
  const platform = createNodePlatform();
  const { endpoint } = await listenOnKeptPort({
    kept: kept === 0 ? undefined : { port: kept, identity },
    port: onlyPort,
    platform,
    logger: nullLogger,
    acceptor,
    hooks: { answerHook: async () => undefined },
    dialects: [{ id: "gemini" }],
  });
  onTestFinished(() => endpoint.close());
  return { ...endpoint.address, close: async () => await endpoint.close() };
}

describe("the port of the last run", () => {
  it("is taken again, and another one where somebody else has it", async () => {
    const first = await listen(0);
    const { port } = first;
    expect(port).toBeGreaterThan(0);
    await first.close();
    expect((await listen(port)).port).toBe(port);
    const taken = await takenPort();
    const other = (await listen(taken)).port;
    expect(other).not.toBe(taken);
    expect(other).toBeGreaterThan(0);
  });

  it("gives way to the only port that would do, and that one to none", async () => {
    const kept = await takenPort();
    const free = await listen(0);
    await free.close();
    expect((await listen(kept, free.port)).port).toBe(free.port);
    await expect(listen(0, await takenPort())).rejects.toMatchObject({ code: "port-unavailable" });
  });
});
