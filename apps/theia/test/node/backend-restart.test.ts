import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion, nullLogger } from "@patchbay/core";
import { type AgentDriver, createGeminiDriver, createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LeftWorkspaces } from "../../src/node/workspace-storage.ts";
import { createTestBackend, type TestBackend } from "../support/backend.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";

let platform: TestPlatform;
let file: string;
let driver: AgentDriver;
const running: TestBackend[] = [];

/** A backend with real companions; the one before it has ended. */
function startBackend(): TestBackend {
  const storage = join(platform.root, "storage");
  const backend = createTestBackend({
    createCompanion: (options) => createCompanion({ ...options, platform }),
    storageFor: async () => storage,
    clock: platform.clock,
    handover: new LeftWorkspaces(platform.root, () => platform.clock.now(), nullLogger),
  });
  running.push(backend);
  return backend;
}

async function openWindow(backend: TestBackend): Promise<SimulatedWindow> {
  const window = new SimulatedWindow({ windowId: "one", roots: [platform.workspace] });
  await window.attach(backend.connect(window));
  return window;
}

beforeEach(() => {
  platform = createTestPlatform();
  file = join(platform.workspace, "a.txt");
  writeFileSync(file, "one\ntwo\n");
});

afterEach(async () => {
  await driver.end();
  for (const backend of running.splice(0)) await backend.workspaces.stop();
  platform.dispose();
});

async function startAgent(): Promise<void> {
  driver = createGeminiDriver({
    cwd: platform.workspace,
    home: platform.home,
    temporaryDirectory: platform.tmp,
    idePid: process.pid,
  });
  await driver.connect();
  await driver.until("the first context", ({ contexts }) => contexts > 0);
}

describe("an orderly restart of the backend", () => {
  it("decides nothing: the agent is held without a window, and has the verdict of the next run's window", async () => {
    const first = startBackend();
    const before = await openWindow(first);
    await startAgent();
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    await expect.poll(() => before.shown, { timeout: 5_000 }).toHaveLength(1);
    before.shown[0]?.type("one\n2 typed\n");
    let decided = false;
    void proposal.outcome.then(() => (decided = true));

    await first.workspaces.stop();
    expect(before.shown).toHaveLength(1);
    const second = startBackend();
    await second.workspaces.resume();
    // No window has come yet, and the agent is connected.
    await driver.until("connected again", ({ contexts }) => contexts > 1);
    expect(decided).toBe(false);

    const after = await openWindow(second);
    await expect.poll(() => after.shown, { timeout: 5_000 }).toHaveLength(1);
    expect(after.shown[0]?.text).toBe("one\n2 typed\n");
    after.shown[0]?.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "one\n2 typed\n", by: "editor" });
  });
});
