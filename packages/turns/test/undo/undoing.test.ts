import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, sep } from "node:path";
import { createTestPlatform, type TestPlatform, shownMode, isMissing } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toldOfUndo } from "../../src/ledger/undo-room.ts";
import type {
  FileReview,
  TurnEnd,
  TurnFile,
  TurnInfo,
  TurnTexts,
  UndoDoor,
  UndoEntry,
  UndoLedger,
  UndoNotice,
  UndoRequest,
} from "../../src/model.ts";
import { createDiskDoor } from "../../src/undo/disk-door.ts";
import { Undoing } from "../../src/undo/undoing.ts";

let platform: TestPlatform;
let ledger: MemoryLedger;
let undoing: Undoing;
let door: UndoDoor;

beforeEach(() => {
  platform = createTestPlatform();
  door = createDiskDoor({ platform, folders: [platform.workspace] });
  ledger = new MemoryLedger(platform, () => door);
  undoing = new Undoing(ledger, platform.clock);
});

afterEach(() => {
  undoing.dispose();
  platform.dispose();
});

const at = (name: string): string => join(platform.workspace, name);
const read = (name: string): string => readFileSync(at(name), "utf8");
const put = (name: string, text: string): void => writeFileSync(at(name), text);

/** What turns changed, in memory; the files are real. */
class MemoryLedger implements UndoLedger {
  readonly turns: Map<string, TurnInfo> = new Map();
  readonly held: Map<string, TurnTexts> = new Map();
  readonly queues: Map<string, readonly UndoRequest[]> = new Map();
  readonly notices: UndoNotice[] = [];
  readonly working: Set<string> = new Set();
  readonly #platform: TestPlatform;
  readonly #door: () => UndoDoor;
  #listener: (end: TurnEnd) => void = () => {};

  constructor(platform: TestPlatform, door: () => UndoDoor) {
    this.#platform = platform;
    this.#door = door;
  }

  get door(): UndoDoor {
    return this.#door();
  }

  add(id: string, files: Readonly<Record<string, TurnTexts | undefined>>, more: Partial<TurnInfo> = {}): void {
    const names = Object.keys(files);
    for (const [name, texts] of Object.entries(files)) {
      if (texts !== undefined) this.held.set(`${id} ${name}`, texts);
    }
    this.turns.set(id, {
      id,
      number: this.turns.size + 1,
      agents: ["Claude Code"],
      agent: "claude",
      session: "s",
      prompt: "",
      began: 1,
      ended: 2,
      border: "exact",
      undoes: undefined,
      headMoved: false,
      isPartial: false,
      ...more,
      files: names.map(
        (path): TurnFile => ({ path, kind: "changed", attribution: "exact", review: "unreviewed", lines: undefined }),
      ),
    });
  }

  reviewOf(id: string, path: string): FileReview | undefined {
    return this.turns.get(id)?.files.find((file) => file.path === path)?.review;
  }

  end(id: string): void {
    this.working.delete(id);
    this.#listener({ id, isHere: true });
  }

  turn = (id: string): TurnInfo | undefined => this.turns.get(id);
  texts = async (id: string, path: string): Promise<TurnTexts | undefined> => this.held.get(`${id} ${path}`);
  textOnDisk = async (path: string): Promise<{ readonly text: string | undefined } | undefined> => {
    const text = await this.#platform.files.readText(path, 1_000_000);
    return existsSync(path) && text === undefined ? undefined : { text };
  };
  queued = (id: string): readonly UndoRequest[] => this.queues.get(id) ?? [];
  queue = async (id: string, requests: readonly UndoRequest[]): Promise<void> => void this.queues.set(id, requests);
  isWorking = (id: string): boolean => this.working.has(id);
  undid = async (notice: UndoNotice): Promise<void> => void this.notices.push(notice);
  refresh = async (): Promise<void> => {};
  whole = async (): Promise<undefined> => undefined;
  undidWhole = async (): Promise<void> => {};
  keptWhole = async (id: string, path: string): Promise<void> => await this.review(id, path, "kept");
  isKept = (id: string, path: string): boolean => this.reviewOf(id, path) === "kept";
  broughtBack = async (): Promise<void> => {};
  modes = (): undefined => undefined;
  made = (): { readonly isNew: boolean; readonly folders: readonly string[] } => ({ isNew: false, folders: [] });

  async review(id: string, path: string, review: FileReview, undecided?: TurnTexts): Promise<void> {
    const turn = this.turns.get(id);
    if (turn === undefined) return;
    this.turns.set(id, { ...turn, files: turn.files.map((file) => (file.path === path ? { ...file, review } : file)) });
    if (undecided !== undefined) this.held.set(`${id} ${path}`, undecided);
  }

  /** What was about to happen, and what did. */
  readonly noted: string[] = [];

  openEntry(undoes: string): UndoEntry {
    const id = `undo ${this.turns.size}`;
    const wrote: Record<string, TurnTexts> = {};
    return {
      aboutTo: async (path, now) => void this.noted.push(`about ${path.slice(path.lastIndexOf(sep) + 1)} ${now}`),
      settle: async (path, texts) => {
        if (texts !== undefined) wrote[path] = texts;
      },
      aboutToTake: async () => true,
      settleTaken: async () => {},
      renamed: async () => {},
      end: async () => {
        if (Object.keys(wrote).length === 0) return undefined;
        this.add(id, wrote, { undoes });
        return id;
      },
    };
  }

  onDidEnd(listener: (end: TurnEnd) => void): { dispose(): void } {
    this.#listener = listener;
    return { dispose: () => {} };
  }
}

const before = "one\ntwo\nthree\nfour\n";
const after = "ONE\ntwo\nthree\nFOUR\n";

describe("an undo", () => {
  it("notes what a file holds before it is written or removed", async () => {
    put("a.txt", after);
    put("b.txt", "new\n");
    ledger.add("t", {
      [at("a.txt")]: { before, after },
      [at("b.txt")]: { before: undefined, after: "new\n" },
      [at("c.txt")]: { before: "c\n", after: undefined },
    });
    const disk = door;
    door = {
      ...disk,
      replace: async (...given) => {
        ledger.noted.push("replace");
        return await disk.replace(...given);
      },
      remove: async (path) => {
        ledger.noted.push("remove");
        return await disk.remove(path);
      },
    };
    await undoing.undo("t", {});
    expect(ledger.noted).toEqual([
      `about a.txt ${after}`,
      "replace",
      "about b.txt new\n",
      "remove",
      "about c.txt undefined",
      "replace",
    ]);
  });

  it("takes one hunk back on disk, and the rest stays to be reviewed", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    const result = await undoing.undo("t", { path: at("a.txt"), hunk: { start: 3, end: 4 }, reason: "Not this" });
    expect(result.files).toEqual([{ path: at("a.txt"), outcome: "undone", conflicts: 0 }]);
    expect(read("a.txt")).toBe("ONE\ntwo\nthree\nfour\n");
    expect(ledger.reviewOf("t", at("a.txt"))).toBe("partly");
    await undoing.undo("t", { path: at("a.txt") });
    expect(read("a.txt")).toBe(before);
    expect(ledger.reviewOf("t", at("a.txt"))).toBe("undone");
    expect(ledger.notices.map(({ reason }) => reason)).toEqual(["Not this", undefined]);
  });

  it("is an entry of its own: undone, the change is there again, and is to be reviewed", async () => {
    put("a.txt", `${after}mine\n`);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    const { turn } = await undoing.undo("t", {});
    expect(read("a.txt")).toBe(`${before}mine\n`);
    await undoing.undo(turn ?? "", {});
    expect(read("a.txt")).toBe(`${after}mine\n`);
    expect(ledger.reviewOf("t", at("a.txt"))).toBe("unreviewed");
    await undoing.undo("t", {});
    expect(read("a.txt")).toBe(`${before}mine\n`);
  });

  it("leaves alone what was changed since, and says so", async () => {
    put("a.txt", "ONE, mine\ntwo\nthree\nFOUR\n");
    put("b.txt", "all mine\n");
    ledger.add("t", { [at("a.txt")]: { before, after }, [at("b.txt")]: { before: "b\n", after: "B\n" } });
    const { files } = await undoing.undo("t", {});
    expect(files.map(({ outcome, conflicts }) => [outcome, conflicts])).toEqual([
      ["partly", 1],
      ["conflict", 1],
    ]);
    expect(read("a.txt")).toBe("ONE, mine\ntwo\nthree\nfour\n");
    expect(read("b.txt")).toBe("all mine\n");
    expect(ledger.reviewOf("t", at("b.txt"))).toBe("unreviewed");
  });

  it("keeps or takes back some lines of a file that the turn created, without the rest", async () => {
    const created = "one\ntwo\nthree\nfour\n";
    const file = at("new.txt");
    put("new.txt", created);
    ledger.add("t", { [file]: { before: undefined, after: created } });
    expect(await undoing.keep("t", { path: file, hunk: { start: 1, end: 2, isPart: true } })).toBe(true);
    expect(ledger.held.get(`t ${file}`)).toEqual({ before: "two\n", after: created });
    const { files } = await undoing.undo("t", { path: file, hunk: { start: 2, end: 3, isPart: true } });
    expect(files).toEqual([{ path: file, outcome: "undone", conflicts: 0 }]);
    expect([read("new.txt"), ledger.reviewOf("t", file)]).toEqual(["one\ntwo\nfour\n", "partly"]);
    // Lines of it are kept by now: the file stays.
    await undoing.undo("t", { path: file });
    expect([read("new.txt"), ledger.reviewOf("t", file)]).toEqual(["two\n", "undone"]);
  });

  it("takes no other lines back where those that are meant are none that were added", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    const { files } = await undoing.undo("t", { path: at("a.txt"), hunk: { start: 3, end: 4, isPart: true } });
    expect(files).toEqual([{ path: at("a.txt"), outcome: "conflict", conflicts: 1 }]);
    expect(await undoing.keep("t", { path: at("a.txt"), hunk: { start: 3, end: 4, isPart: true } })).toBe(false);
    expect([read("a.txt"), ledger.reviewOf("t", at("a.txt"))]).toEqual([after, "unreviewed"]);
  });

  it("leaves the user's own lines in a created file, and takes back those around them", async () => {
    const created = "one\ntwo\nthree\n";
    const file = at("new.txt");
    put("new.txt", "one\nTWO, mine\nthree\n");
    ledger.add("t", { [file]: { before: undefined, after: created } });
    for (const start of [2, 0]) await undoing.undo("t", { path: file, hunk: { start, end: start + 1, isPart: true } });
    expect([read("new.txt"), ledger.reviewOf("t", file)]).toEqual(["TWO, mine\n", "partly"]);
  });

  it.skipIf(isMissing("a trash"))(
    "moves a file to the trash that the turn created, only if nothing was changed since",
    async () => {
      put("new.txt", "new\n");
      put("used.txt", "used\nmine\n");
      put("empty.txt", "");
      const texts = {
        [at("new.txt")]: { before: undefined, after: "new\n" },
        [at("used.txt")]: { before: undefined, after: "used\n" },
      };
      ledger.add("t", { ...texts, [at("empty.txt")]: { before: undefined, after: "" } });
      const { turn } = await undoing.undo("t", {});
      expect(readdirSync(platform.workspace)).toEqual(["used.txt"]);
      expect(read("used.txt")).toBe("mine\n");
      expect(readdirSync(join(platform.home, ".local/share/Trash/files")).sort()).toEqual(["empty.txt", "new.txt"]);
      expect(readFileSync(join(platform.home, ".local/share/Trash/info/new.txt.trashinfo"), "utf8")).toContain(
        at("new.txt"),
      );
      await undoing.undo(turn ?? "", {});
      expect([read("new.txt"), read("used.txt"), read("empty.txt")]).toEqual(["new\n", "used\nmine\n", ""]);
    },
  );

  it("brings a file back that the turn removed, with its folder, but not over another one", async () => {
    put("taken.txt", "somebody else's\n");
    ledger.add("t", {
      [at("gone/deep/file.txt")]: { before: "text\n", after: undefined },
      [at("taken.txt")]: { before: "old\n", after: undefined },
    });
    const { files } = await undoing.undo("t", {});
    expect(files.map(({ outcome }) => outcome)).toEqual(["undone", "conflict"]);
    expect(read("gone/deep/file.txt")).toBe("text\n");
    expect(read("taken.txt")).toBe("somebody else's\n");
  });

  it("keeps the mode, and writes through no link that leads out of the folder", async () => {
    put("run.sh", after);
    chmodSync(at("run.sh"), 0o755);
    const outside = join(platform.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), after);
    symlinkSync(outside, at("link"));
    symlinkSync(join(outside, "a.txt"), at("file-link.txt"));
    const texts = { before, after };
    ledger.add("t", { [at("run.sh")]: texts, [at("link/a.txt")]: texts, [at("file-link.txt")]: texts });
    ledger.textOnDisk = async () => ({ text: after });
    const { files } = await undoing.undo("t", {});
    expect(files.map(({ outcome }) => outcome)).toEqual(["undone", "stale", "stale"]);
    expect(statSync(at("run.sh")).mode & 0o777).toBe(shownMode(0o755));
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe(after);
  });

  it("edits unsaved text as such, and leaves the disk alone", async () => {
    put("a.txt", after);
    let buffer = "ONE\r\ntwo\r\nthree, typed\r\nFOUR\r\n";
    const disk = door;
    door = {
      ...disk,
      unsavedText: async () => buffer,
      replace: async (_path, held, text) => {
        if (held !== buffer) return "stale";
        buffer = text;
        return "written";
      },
    };
    ledger.add("t", { [at("a.txt")]: { before: `\ufeff${before}`, after: `\ufeff${after}` } });
    await undoing.undo("t", {});
    expect(buffer).toBe("one\r\ntwo\r\nthree, typed\r\nfour\r\n");
    expect(read("a.txt")).toBe(after);
  });

  it("tries again when the file changes just then, and gives up after a few times", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    const disk = door;
    let writes = 0;
    door = {
      ...disk,
      replace: async (path, held, text) => {
        writes += 1;
        if (writes === 1) put("a.txt", `${after}late\n`);
        return await disk.replace(path, held, text);
      },
    };
    expect((await undoing.undo("t", {})).files[0]?.outcome).toBe("undone");
    expect(read("a.txt")).toBe(`${before}late\n`);
    put("b.txt", after);
    ledger.add("u", { [at("b.txt")]: { before, after } });
    door = { ...disk, replace: async () => "stale" };
    expect((await undoing.undo("u", {})).files[0]?.outcome).toBe("stale");
    door = { ...disk, replace: async () => await Promise.reject(new Error("The disk is full.")) };
    expect((await undoing.undo("u", {})).files[0]?.outcome).toBe("failed");
    expect([read("b.txt"), ledger.reviewOf("u", at("b.txt"))]).toEqual([after, "unreviewed"]);
  });

  it("says so where no text is kept, or there is no such turn", async () => {
    ledger.add("t", { [at("big.bin")]: undefined });
    ledger.add("mode", { [at("run.sh")]: { before, after: before } });
    const mode = ledger.turns.get("mode");
    if (mode !== undefined)
      ledger.turns.set("mode", { ...mode, files: mode.files.map((file) => ({ ...file, kind: "mode" })) });
    expect((await undoing.undo("mode", {})).files[0]?.outcome).toBe("unknown");
    expect(await undoing.undo("t", {})).toEqual({
      files: [{ path: at("big.bin"), outcome: "unknown", conflicts: 0 }],
      turn: undefined,
    });
    expect(await undoing.undo("none", {})).toEqual({ files: [], turn: undefined });
    expect(ledger.notices).toEqual([]);
  });
});

describe("while the agent works", () => {
  it("an undo waits for the end of the turn, and finds its hunk where the agent has moved it", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    ledger.working.add("t");
    const hunk = { start: 0, end: 1 };
    const { files } = await undoing.undo("t", { path: at("a.txt"), hunk, reason: "No" });
    expect(files).toEqual([{ path: at("a.txt"), outcome: "queued", conflicts: 0 }]);
    expect([read("a.txt"), ledger.reviewOf("t", at("a.txt"))]).toEqual([after, "queued"]);
    // The agent goes on: line 1 of the change is another one now.
    const later = "NEW\nAND NEW\none\ntwo\nthree\nFOUR\n";
    put("a.txt", later);
    ledger.held.set(`t ${at("a.txt")}`, { before, after: later });
    ledger.end("t");
    await undoing.settled();
    expect(read("a.txt")).toBe(later);
    expect([ledger.queued("t"), ledger.reviewOf("t", at("a.txt"))]).toEqual([[], "unreviewed"]);
    ledger.working.add("t");
    await undoing.undo("t", { path: at("a.txt"), hunk: { start: 5, end: 6 }, reason: "No" });
    put("a.txt", `MORE\n${later}`);
    ledger.held.set(`t ${at("a.txt")}`, { before, after: `MORE\n${later}` });
    ledger.end("t");
    await undoing.settled();
    expect(read("a.txt")).toBe("MORE\nNEW\nAND NEW\none\ntwo\nthree\nfour\n");
    expect(ledger.notices.map(({ reason }) => reason)).toEqual(["No"]);
  });

  it("an undo of added lines waits, and finds them where the agent has moved them", async () => {
    const created = "one\ntwo\nthree\n";
    const file = at("new.txt");
    put("new.txt", created);
    ledger.add("t", { [file]: { before: undefined, after: created } });
    ledger.working.add("t");
    await undoing.undo("t", { path: file, hunk: { start: 1, end: 2, isPart: true } });
    // The agent goes on.
    const moved = "zero\none\ntwo\nthree\n";
    put("new.txt", moved);
    ledger.held.set(`t ${file}`, { before: undefined, after: moved });
    ledger.end("t");
    await undoing.settled();
    expect(read("new.txt")).toBe("zero\none\nthree\n");
    // Where they are gone, nothing else goes.
    ledger.add("u", { [file]: { before: undefined, after: "zero\none\nthree\n" } });
    ledger.working.add("u");
    await undoing.undo("u", { path: file, hunk: { start: 1, end: 2, isPart: true } });
    put("new.txt", "zero\n1\nthree\n");
    ledger.held.set(`u ${file}`, { before: undefined, after: "zero\n1\nthree\n" });
    ledger.end("u");
    await undoing.settled();
    expect([read("new.txt"), ledger.reviewOf("u", file)]).toEqual(["zero\n1\nthree\n", "unreviewed"]);
  });

  it("a queued undo that is wanted now after all finds its own lines, and does not run again at the end", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    ledger.working.add("t");
    const path = at("a.txt");
    const { waiting } = await undoing.undo("t", { path, hunk: { start: 0, end: 1 } });
    await undoing.undo("t", { path, hunk: { start: 3, end: 4 } });
    const moved = `NEW\n${after}`;
    put("a.txt", moved);
    ledger.held.set(`t ${path}`, { before: `NEW\n${before}`, after: moved });
    const done = await undoing.undoWaiting("t", waiting ?? {});
    expect(done?.files).toEqual([{ path, outcome: "undone", conflicts: 0 }]);
    expect(read("a.txt")).toBe("NEW\none\ntwo\nthree\nFOUR\n");
    expect(ledger.queued("t").map(({ hunk }) => hunk)).toEqual([{ start: 3, end: 4 }]);
    ledger.end("t");
    await undoing.settled();
    expect(read("a.txt")).toBe(`NEW\n${before}`);
    expect(ledger.notices).toHaveLength(2);
  });

  it("a queued undo that was carried out is not carried out again, nor does it hit its neighbour", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    ledger.working.add("t");
    const { waiting } = await undoing.undo("t", { path: at("a.txt"), hunk: { start: 0, end: 1 } });
    ledger.end("t");
    await undoing.settled();
    const left = "one\ntwo\nthree\nFOUR\n";
    expect(read("a.txt")).toBe(left);
    expect(await undoing.undoWaiting("t", waiting ?? {})).toBeUndefined();
    expect(read("a.txt")).toBe(left);
    expect(ledger.notices).toHaveLength(1);
  });

  it("an undo happens now if that is wanted, or where the end of the turn is a guess", async () => {
    for (const name of ["a.txt", "b.txt"]) put(name, after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    ledger.add("guess", { [at("b.txt")]: { before, after } }, { border: "estimated" });
    for (const id of ["t", "guess"]) ledger.working.add(id);
    await undoing.undo("t", { now: true });
    await undoing.undo("guess", {});
    expect([read("a.txt"), read("b.txt")]).toEqual([before, before]);
  });

  it("an undo waits for another agent that works on its files", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    ledger.add("other", {});
    ledger.working.add("t");
    await undoing.undo("t", {});
    ledger.working.delete("t");
    ledger.end("other");
    await undoing.settled();
    expect(read("a.txt")).toBe(before);
  });
});

describe("keeping", () => {
  it("takes a hunk out of what is to be reviewed, and changes no file", async () => {
    put("a.txt", after);
    ledger.add("t", { [at("a.txt")]: { before, after } });
    expect(await undoing.keep("t", { path: at("a.txt"), hunk: { start: 0, end: 1 } })).toBe(true);
    expect(ledger.reviewOf("t", at("a.txt"))).toBe("partly");
    expect(ledger.held.get(`t ${at("a.txt")}`)).toEqual({ before: "ONE\ntwo\nthree\nfour\n", after });
    await undoing.undo("t", {});
    expect(read("a.txt")).toBe("ONE\ntwo\nthree\nfour\n");
    expect(await undoing.keep("t", { path: at("a.txt"), hunk: { start: 2, end: 2 } })).toBe(false);
    expect(await undoing.keep("none", {})).toBe(false);
  });

  it("takes a whole turn", async () => {
    ledger.add("t", { [at("a.txt")]: { before: undefined, after }, [at("big.bin")]: undefined });
    expect(await undoing.keep("t", {})).toBe(true);
    expect([ledger.reviewOf("t", at("a.txt")), ledger.reviewOf("t", at("big.bin"))]).toEqual(["kept", "kept"]);
    expect((await undoing.undo("t", { path: at("a.txt") })).turn).toBeUndefined();
  });
});

it("tells the agent which files were taken back, and why", async () => {
  put("a.txt", after);
  ledger.add("t", { [at("a.txt")]: { before, after } });
  await undoing.undo("t", { reason: " Keep the old names. " });
  const [notice] = ledger.notices;
  const told =
    notice === undefined
      ? undefined
      : toldOfUndo(notice, (path) => path.slice(platform.workspace.length + 1).replaceAll(sep, "/"));
  expect(told).toContain("took back changes of yours in a.txt.");
  expect(told).toContain("They say: Keep the old names.");
});
