import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, turnsDirectory, type TurnSource, type TurnWitness } from "@patchbay/core";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WindowService } from "../../src/node/window-service.ts";
import { createTestBackend, settle, type TestBackend } from "../support/backend.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";

let folder: string;
let state: string;
let backend: TestBackend;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-work-")));
  state = mkdtempSync(join(tmpdir(), "patchbay-state-"));
  vi.stubEnv("XDG_STATE_HOME", state);
  backend = createTestBackend();
});

afterEach(async () => {
  await backend.workspaces.stop();
  vi.unstubAllEnvs();
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const claude = (): TurnSource => ({ agent: "claude", agentName: "Claude Code", session: "s1", folder });

async function open(from: TestBackend = backend, windowId = "one") {
  const window = new SimulatedWindow({ windowId, roots: [folder], readDisk: (path) => readFileSync(path, "utf8") });
  const service = from.connect(window);
  await window.attach(service);
  await settle();
  return { window, service };
}

/** What agents do, as core tells it. */
function witness(from: TestBackend = backend): TurnWitness {
  const turns = from.companions[0]?.turns;
  if (turns === undefined) throw new Error("nobody follows the turns");
  return turns;
}

async function write(name: string, before: string | undefined, after: string): Promise<void> {
  const told = witness();
  if (before !== undefined) writeFileSync(at(name), before);
  told.turnBegan(claude(), "Change it");
  told.aboutToWrite(claude(), [{ path: at(name), before }]);
  await told.ready();
  writeFileSync(at(name), after);
  told.wrote(claude());
  await told.ready();
}

const list = async (service: WindowService): Promise<unknown> =>
  (await service.turns()).map(({ prompt, files, lines, undecided }) => ({
    prompt,
    files: files.map(({ path, review }) => [path.slice(folder.length + 1), review]),
    lines,
    undecided,
  }));

const oneTurn = {
  prompt: "Change it",
  files: [["a.txt", "unreviewed"]],
  lines: { added: 1, removed: 1 },
  undecided: 1,
};

describe("what agents change in a workspace", () => {
  it("is listed, and windows are told that the list has changed", async () => {
    const { window, service } = await open();
    expect(await service.turns()).toEqual([]);
    await write("a.txt", "one\n", "two\n");
    await expect.poll(() => list(service)).toEqual([oneTurn]);
    backend.clock.advance(200);
    expect(window.turnChanges).toBe(1);
  });

  it("is listed, and the user hears once, where nothing can be kept", async () => {
    const { window, service } = await open();
    writeFileSync(join(state, "patchbay"), "no directory");
    await write("a.txt", "one\n", "two\n");
    await write("b.txt", "one\n", "two\n");
    await expect.poll(async () => (await service.turns()).length).toBe(2);
    expect(window.editor.shownMessages.map(({ message: { code, text } }) => [code, text])).toEqual([
      [
        "turns-not-kept",
        expect.stringMatching(/cannot be kept for an undo just now.*patchbay is not a directory\). Remove it\.$/u),
      ],
    ]);
  });

  it("is undone when the agent has finished, at once where the user wants that, and brought back", async () => {
    const { service } = await open();
    await write("a.txt", "one\n", "two\n");
    const [turn] = await service.turns();
    const waits = await service.undoTurn(turn?.id ?? "", { reason: "No" });
    expect(waits).toMatchObject({ files: [{ outcome: "queued" }], isTold: false });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("two\n");
    const done = await service.undoWaitingTurn(turn?.id ?? "", waits?.waiting ?? {});
    expect(done).toMatchObject({ files: [{ outcome: "undone" }], isTold: true });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("one\n");
    expect(await service.turns()).toEqual([]);
    expect(await witness().notes?.(claude())).toMatchObject([{ text: expect.stringContaining("No") }]);
    expect(await service.bringBack()).toMatchObject({ files: [{ outcome: "undone" }] });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("two\n");
    expect(await service.bringBack()).toBeUndefined();
  });

  it("is kept, and can be read as it was before", async () => {
    const { service } = await open();
    await write("a.txt", "one\n", "two\n");
    const id = (await service.turns())[0]?.id ?? "";
    expect(await service.textBeforeTurn(id, at("a.txt"))).toBe("one\n");
    expect(await service.keepTurn(id, at("a.txt"))).toBe(true);
    expect(await service.turns()).toEqual([]);
  });

  it("is undone in the unsaved text of a window, not below it", async () => {
    const { window, service } = await open();
    await write("a.txt", "one\nmiddle\nthree\n", "ONE\nmiddle\nthree\n");
    witness().turnEnded(claude());
    window.editor.openFile(at("a.txt"));
    window.editor.makeDirty(at("a.txt"), "ONE\nmiddle\nthree and mine\n");
    await settle();
    const [turn] = await service.turns();
    expect(await service.undoTurn(turn?.id ?? "", {})).toMatchObject({ files: [{ outcome: "undone" }] });
    expect(await window.readUnsaved(at("a.txt"))).toBe("one\nmiddle\nthree and mine\n");
    expect(readFileSync(at("a.txt"), "utf8")).toBe("ONE\nmiddle\nthree\n");
  });

  it("is marked in the text that a window holds, and kept or undone by its lines", async () => {
    const { window, service } = await open();
    const before = "one\ntwo\nthree\nfour\nfive\nsix\n";
    await write("a.txt", before, "ONE\ntwo\nthree\nnew\nfour\nfive\n");
    witness().turnEnded(claude());
    const path = at("a.txt");
    const shown = "mine\nONE\ntwo\nthree\nnew\nfour\nfive\n";
    window.editor.openFile(path);
    window.editor.makeDirty(path, shown);
    await settle();
    expect(await service.turnMarks(path, shown)).toEqual([
      { kind: "delete", first: 7, last: 7 },
      { kind: "add", first: 5, last: 5 },
      { kind: "change", first: 2, last: 2 },
    ]);
    expect(await service.turnMarks(path, shown.replaceAll("\n", "\r\n"))).toHaveLength(3);
    expect(await service.turnMarks(at("b.txt"), shown)).toEqual([]);
    expect(
      await service.decideLines("undo", { path, text: shown, first: 3, last: 4, isSelected: false }),
    ).toBeUndefined();
    const [turn] = await service.turns();
    const done = await service.decideLines("undo", { path, text: shown, first: 5, last: 5, isSelected: false });
    expect(done).toMatchObject([{ of: turn?.id, result: { files: [{ outcome: "undone" }], isTold: true } }]);
    const now = "mine\nONE\ntwo\nthree\nfour\nfive\n";
    expect(await window.readUnsaved(path)).toBe(now);
    expect(await service.decideLines("keep", { path, text: now, first: 1, last: 2, isSelected: false })).toEqual([]);
    expect(await window.readUnsaved(path)).toBe(now);
    expect(await service.turns()).toMatchObject([{ files: [{ path, review: "partly" }] }]);
    expect(await service.turnMarks(path, now)).toEqual([{ kind: "delete", first: 6, last: 6 }]);
    await service.decideLines("keep", { path, text: now, first: 1, last: 6, isSelected: false });
    expect(await service.turns()).toEqual([]);
  });

  it("is undone in some of the lines of a file that the turn created, and the rest stays to be reviewed", async () => {
    const { service } = await open();
    await write("new.txt", undefined, "one\ntwo\nthree\nfour\n");
    witness().turnEnded(claude());
    const path = at("new.txt");
    const text = "one\ntwo\nthree\nfour\n";
    expect(await service.turnMarks(path, text)).toEqual([{ kind: "add", first: 1, last: 4 }]);
    const done = await service.decideLines("undo", { path, text, first: 2, last: 2, isSelected: true });
    expect(done).toMatchObject([{ result: { files: [{ outcome: "undone" }] } }]);
    const now = readFileSync(path, "utf8");
    expect(now).toBe("one\nthree\nfour\n");
    expect(await service.turnMarks(path, now)).toEqual([{ kind: "add", first: 1, last: 3 }]);
    await service.decideLines("keep", { path, text: now, first: 1, last: 1, isSelected: true });
    expect(await service.textBeforeTurn((await service.turns())[0]?.id ?? "", path)).toBe("one\n");
    expect(await service.turnMarks(path, now)).toEqual([{ kind: "add", first: 2, last: 3 }]);
    // Without a selection it is the whole change.
    await service.decideLines("undo", { path, text: now, first: 3, last: 3, isSelected: false });
    expect(readFileSync(path, "utf8")).toBe("one\n");
    expect(await service.turns()).toEqual([]);
  });

  it("is there again after a restart of the backend", async () => {
    await open();
    await write("a.txt", "one\n", "two\n");
    await backend.workspaces.stop();
    const next = createTestBackend();
    const { service } = await open(next);
    await expect.poll(() => list(service)).toEqual([oneTurn]);
    await next.workspaces.stop();
  });

  it("is neither listed nor noted where the user wants no list", async () => {
    const { window, service } = await open();
    await window.attach(service, { settings: { ...window.facts.settings, agentChanges: false } });
    await write("a.txt", "one\n", "two\n");
    expect(await service.turns()).toEqual([]);
    await window.attach(service, { settings: { ...window.facts.settings, agentChanges: true } });
    expect(await service.turns()).toEqual([]);
  });

  it("is seen and undone by another program that opens the same ledger, as the terminal's, and windows hear of it", async () => {
    const { service } = await open();
    await write("a.txt", "one\n", "two\n");
    witness().turnEnded(claude());
    await expect.poll(async () => (await service.turns())[0]?.ended).toBeDefined();
    const platform = createNodePlatform();
    const terminal = new FolderLedgers({
      platform,
      storageDirectory: turnsDirectory(platform, [folder]),
      folders: [folder],
      mayKeep: () => true,
      door: createDiskDoor({ platform, folders: [folder] }),
    });
    await terminal.settled();
    const [turn] = terminal.turns();
    expect(turn).toMatchObject({ prompt: "Change it", files: [{ path: at("a.txt"), kind: "changed" }] });
    await terminal.undo(turn?.id ?? "");
    await terminal.settled();
    terminal.dispose();
    expect(readFileSync(at("a.txt"), "utf8")).toBe("one\n");
    await expect
      .poll(async () => {
        backend.clock.advance(1_000);
        return await service.turns();
      })
      .toEqual([]);
  });

  it("is undone on disk where no window is left", async () => {
    const { window, service } = await open();
    await write("a.txt", "one\n", "two\n");
    witness().turnEnded(claude());
    const [turn] = await service.turns();
    window.editor.openFile(at("a.txt"));
    window.editor.makeDirty(at("a.txt"), "mine\n");
    await settle();
    const turns = (await backend.workspaces.companionOf(window))?.turns;
    service.dispose();
    await settle();
    expect(await turns?.undo(turn?.id ?? "", {})).toMatchObject({ files: [{ outcome: "undone" }] });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("one\n");
  });
});
