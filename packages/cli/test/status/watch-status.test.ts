import { getEventListeners } from "node:events";
import { createCompanion } from "@patchbay/core";
import { createGeminiDriver, createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { watchStatus } from "../../src/status/watch-status.ts";

interface Given {
  readonly json?: boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Of the editor. */
  readonly name?: string;
}

async function setUp(options: Given = {}) {
  const platform = createTestPlatform();
  const { name = "My Editor" } = options;
  const host = createMemoryEditor({ folders: [platform.workspace], identity: { name: "e", displayName: name } });
  const companion = createCompanion({ host, platform });
  await companion.start();
  const end = new AbortController();
  let written = "";
  const { json = false, isTTY = false, columns = 200 } = options;
  const output = { isTTY, columns, rows: 20, write: (text: string) => (written += text) };
  const watching = watchStatus({ platform, json, output, signal: end.signal });
  onTestFinished(async () => {
    end.abort();
    await watching;
    await companion.stop();
    platform.dispose();
  });
  const { workspace: cwd, home, tmp: temporaryDirectory } = platform;
  const agent = createGeminiDriver({ cwd, home, temporaryDirectory });
  const stop = async (): Promise<number> => {
    end.abort();
    return await watching;
  };
  return { agent, stop, companion, file: `${cwd}/new.txt`, written: () => written };
}

const patience = { timeout: 20_000 };

describe("patchbay status --watch", () => {
  it("writes a line for each change where there is no terminal, and ends when it is told to", async () => {
    const { agent, stop, companion, file, written } = await setUp();
    await agent.connect();
    await expect.poll(written, patience).toMatch(/Gemini CLI in My Editor \(port \d+\): connected\n$/u);
    agent.propose({ path: file, text: "new\n" });
    await expect.poll(written, patience).toMatch(/: waits for you: \S*new\.txt\n$/u);
    const [proposal] = companion.proposals;
    await companion.accept(proposal?.id ?? "");
    await expect.poll(written, patience).toMatch(/: connected\n[^\n]*: waits[^\n]*\n[^\n]*: connected\n$/u);
    expect(await stop()).toBe(0);
  });

  it("draws in place on a terminal, no line wider than it", async () => {
    const { agent, written } = await setUp({ isTTY: true, columns: 30 });
    await expect.poll(written, patience).toContain("No agent is connected.");
    await agent.connect();
    await expect.poll(written, patience).toContain("Gemini CLI  My Editor");
    // oxlint-disable-next-line no-control-regex -- what moves the cursor up, and clears what is below
    const frames = written().split(/(?:\u001b\[(?<up>\d+)A)?\r\u001b\[J/u);
    const [, , first = "", up, second = ""] = frames;
    expect(Number(up)).toBe(first.split("\n").length - 1);
    expect(second).toContain("editor");
    for (const line of first.split("\n")) expect(line.length).toBeLessThan(30);
  });

  it("says nothing to the terminal but what it means", async () => {
    const name = "\u009b31m\u202eMy\u2066 Editor";
    for (const json of [true, false]) {
      const { agent, written } = await setUp({ json, name });
      if (!json) await agent.connect();
      await expect.poll(written, patience).toContain("Editor");
      expect(written()).toMatch(/^[\n\u0020-\u007e]+$/u);
    }
  });

  it("tells programs what has changed, a JSON value a line", async () => {
    const { agent, written } = await setUp({ json: true });
    await expect.poll(written, patience).toContain('"sessions":[]');
    await agent.connect();
    await expect.poll(() => written().split("\n").length, patience).toBeGreaterThan(2);
    const states = written()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)[0].sessions.map(({ state }: { state: string }) => state));
    expect([states[0], states.at(-1)]).toEqual([[], ["connected"]]);
  });

  it("leaves no listener on the signal of whoever watches, however long they do", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const end = new AbortController();
    let looks = 0;
    const soon = (run: () => void, ms: number): unknown => {
      looks += 1;
      return platform.clock.setTimeout(run, Math.min(ms, 1));
    };
    const clock = Object.create(platform.clock, { setTimeout: { value: soon } });
    const output = { write: () => {} };
    const watching = watchStatus({ platform: { ...platform, clock }, json: true, output, signal: end.signal });
    await expect.poll(() => looks, patience).toBeGreaterThan(20);
    expect(getEventListeners(end.signal, "abort").length).toBeLessThanOrEqual(1);
    end.abort();
    expect(await watching).toBe(0);
  });
});
