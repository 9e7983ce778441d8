import type { AgentSession, SessionCapabilities, SessionUpdate } from "@patchbay/conversations";
import { Emitter } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { LaterSession } from "../../src/agents/later-session.ts";

const capabilities: SessionCapabilities = {
  images: true,
  excerpts: false,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: false,
  rewind: false,
  resume: true,
  asksAhead: true,
};

/** A session that notes what it is asked. */
function createDriver() {
  const asked: unknown[] = [];
  const updates = new Emitter<SessionUpdate>(() => {});
  const note = async (...what: readonly unknown[]): Promise<void> => void asked.push(what);
  const driver: AgentSession = {
    onUpdate: updates.event,
    capabilities,
    start: async () => {
      updates.fire({ type: "title", title: "Begun" });
      await note("start");
    },
    prompt: async ({ id }) => {
      await note("prompt", id);
      return "done";
    },
    interrupt: async () => await note("interrupt"),
    answer: (id) => id === "open",
    setOption: async (id, value) => await note("option", id, value),
    rename: async (title) => await note("rename", title),
    close: async () => await note("close"),
  };
  return { asked, driver };
}

describe("a session whose driver is loaded later", () => {
  it("is the driver's once it is started", async () => {
    const { asked, driver } = createDriver();
    const session = new LaterSession(async () => await Promise.resolve(driver));
    const told: SessionUpdate[] = [];
    session.onUpdate((update) => told.push(update));
    expect(session.capabilities.editableChanges).toBe(false);
    expect(await session.prompt({ id: "p0", blocks: [] })).toBe("exited");
    expect(session.answer("open", { type: "cancel" })).toBe(false);
    await session.start();
    expect(session.capabilities).toBe(capabilities);
    expect(told).toEqual([{ type: "title", title: "Begun" }]);
    expect(await session.prompt({ id: "p1", blocks: [] })).toBe("done");
    expect(session.answer("open", { type: "cancel" })).toBe(true);
    await session.interrupt();
    await session.setOption("mode", "free");
    await session.rename("A name");
    await session.close();
    expect(asked).toEqual([
      ["start"],
      ["prompt", "p1"],
      ["interrupt"],
      ["option", "mode", "free"],
      ["rename", "A name"],
      ["close"],
    ]);
  });

  it("starts nothing where it was closed while its driver was loaded", async () => {
    const { asked, driver } = createDriver();
    let loaded = (_driver: AgentSession): void => {};
    const session = new LaterSession(() => new Promise((resolve) => (loaded = resolve)));
    const starting = session.start();
    await session.close();
    loaded(driver);
    await expect(starting).rejects.toThrow("The conversation was closed.");
    expect(asked).toEqual([]);
  });
});
