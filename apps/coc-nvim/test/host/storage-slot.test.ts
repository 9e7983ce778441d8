import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimStorageSlot, type SlotOwner } from "../../src/host/storage-slot.ts";

describe("the storage of an editor in a workspace", () => {
  let root = "";
  const running = new Set<number>();

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "patchbay-slots-"));
    running.clear();
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const claim = (pid: number, workspace = "/w"): Promise<string | undefined> => {
    running.add(pid);
    return claimStorageSlot({
      root,
      workspace,
      editor: { pid, mark: `mark-${pid}` },
      isRunning: async (owner: SlotOwner) => running.has(owner.pid) && owner.mark === `mark-${owner.pid}`,
    });
  };

  it("is the same one after coc was restarted in the same editor", async () => {
    expect(await claim(10)).toBe(await claim(10));
  });

  it("is another one for a second editor and for another workspace", async () => {
    const places = [await claim(10), await claim(11), await claim(10, "/other")];
    expect(new Set(places).size).toBe(3);
  });

  it("is taken over from an editor that is gone, also where its number lives on in another process", async () => {
    const first = await claim(10);
    running.delete(10);
    expect(await claim(11)).toBe(first);
    const owner = join(dirname(first ?? ""), "0.owner");
    writeFileSync(owner, JSON.stringify({ pid: 11, mark: "another start" }));
    expect(await claim(12)).toBe(first);
  });

  it("is taken over where the note of the owner is damaged", async () => {
    const first = await claim(10);
    writeFileSync(join(dirname(first ?? ""), "0.owner"), "{");
    expect(await claim(11)).toBe(first);
  });

  it("goes to each of many editors that start at once", async () => {
    const places = await Promise.all([20, 21, 22, 23, 24].map((pid) => claim(pid)));
    expect(new Set(places).size).toBe(5);
  });

  it("is readable by nobody else", async () => {
    const place = await claim(10);
    expect(statSync(dirname(place ?? "")).mode & 0o777).toBe(0o700);
    expect(statSync(`${place}.owner`).mode & 0o777).toBe(0o600);
  });
});
