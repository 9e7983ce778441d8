import { execFileSync } from "node:child_process";
import {
  chmodSync,
  constants,
  existsSync,
  promises,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { turnsDirectory } from "@patchbay/core";
import { createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { parseCommandLine } from "../../src/command-line.ts";
import { createPaint } from "../../src/terminal/paint.ts";
import { openLedgers, runTurns } from "../../src/turns/turn-commands.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "ONE\ntwo\nthree\nfour\nFIVE\n";
const source = { agent: "claude", agentName: "Claude Code", session: "s1", folder: undefined };

let platform: TestPlatform;
let file: string;

beforeEach(async () => {
  platform = createTestPlatform();
  file = join(platform.workspace, "a.txt");
  writeFileSync(file, before);
  await another(before, after);
});

afterEach(() => platform.dispose());

function openLedger(): FolderLedgers {
  const folders = [platform.workspace];
  const door = createDiskDoor({ platform, folders });
  const storageDirectory = turnsDirectory(platform, folders);
  return new FolderLedgers({ platform, folders, storageDirectory, mayKeep: () => true, door });
}

/** A turn that changes the file. */
async function another(was: string, is: string): Promise<void> {
  const ledgers = openLedger();
  ledgers.turnBegan(source, "Shout\nplease");
  ledgers.aboutToWrite(source, [{ path: file, before: was }]);
  await ledgers.settled();
  writeFileSync(file, is);
  ledgers.wrote(source);
  ledgers.turnEnded(source);
  await ledgers.settled();
  ledgers.dispose();
}

async function run(
  args: readonly string[],
  answer?: boolean,
): Promise<{ readonly code: number; readonly text: string }> {
  const command = parseCommandLine(args, platform.workspace);
  if (!("kind" in command && "hunk" in command)) throw new Error(command.kind);
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const code = await runTurns({ command, platform, paint: createPaint(false), print, ask: async () => answer });
  return { code, text: lines.join("\n") };
}

it("lists turns and shows what they changed, without an editor", async () => {
  const { text } = await run(["turns"]);
  expect(text).toMatch(/^1 {2}Claude Code .*\n {3}Shout\n {3}a\.txt \+2 -2 {2}changed, not reviewed$/u);
  expect(JSON.parse((await run(["turns", "--json"])).text)).toMatchObject([{ prompt: "Shout", agent: "claude" }]);
  expect((await run(["diff"])).text).toContain("-one\n+ONE\n");
});

it("shows what lines do not tell: new names, permissions, links and bytes", async () => {
  const at = (name: string): string => join(platform.workspace, name);
  writeFileSync(at("tool.sh"), "#!/bin/sh\n", { mode: 0o644 });
  symlinkSync("a.txt", at("link"));
  const ledgers = openLedger();
  ledgers.turnBegan(source, "Tidy up");
  ledgers.aboutToRun(source, "tidy");
  await ledgers.settled();
  renameSync(file, at("b.txt"));
  chmodSync(at("tool.sh"), 0o755);
  unlinkSync(at("link"));
  symlinkSync("b.txt", at("link"));
  writeFileSync(at("c.bin"), Buffer.from([0, 255]));
  ledgers.wrote(source);
  ledgers.turnEnded(source);
  await ledgers.settled();
  ledgers.dispose();
  const { text } = await run(["turns"]);
  expect(text).toContain("   b.txt +0 -0  renamed from a.txt, likely, not reviewed");
  expect(text).not.toContain("a.txt +0");
  expect((await run(["diff", "2"])).text.split("\n")).toEqual([
    "b.txt",
    "renamed from a.txt",
    "c.bin",
    "(no text to show: binary)",
    "link",
    "was a link to a.txt",
    "is a link to b.txt",
    "tool.sh",
    "permissions 644 → 755",
  ]);
  // By either name.
  expect((await run(["undo", "2", "a.txt", "--yes"])).text).toContain("b.txt: undone");
  expect([existsSync(file), existsSync(at("b.txt"))]).toEqual([true, false]);
  await run(["redo", "--yes"]);
  expect([existsSync(file), existsSync(at("b.txt"))]).toEqual([false, true]);
});

it("says in one line what git did in a turn", async () => {
  const git = (...given: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...given], {
      cwd: platform.workspace,
      stdio: "ignore",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "all");
  const ledgers = openLedger();
  ledgers.turnBegan(source, "Commit it");
  ledgers.aboutToRun(source, "git commit");
  await ledgers.settled();
  writeFileSync(join(platform.workspace, "new.txt"), "new\n");
  git("commit", "-q", "-a", "--allow-empty", "-m", "more");
  ledgers.wrote(source);
  ledgers.turnEnded(source);
  await ledgers.settled();
  ledgers.dispose();
  expect((await run(["turns"])).text.split("\n").slice(1, 4)).toEqual([
    "   Commit it",
    "   changed in git: commit. An undo changes files, and nothing of that.",
    "   new.txt +1 -0  created, likely, not reviewed",
  ]);
});

it("says nothing to the terminal but what it means, in JSON too", async () => {
  const hostile = "\u009b31mred \u202etxt.exe\u202c \u200e\u2066x\u2069 \u001b[2J";
  const folders = [platform.workspace];
  const storageDirectory = turnsDirectory(platform, folders);
  const ledgers = new FolderLedgers({
    platform,
    folders,
    storageDirectory,
    mayKeep: () => true,
    door: createDiskDoor({ platform, folders }),
  });
  const path = join(platform.workspace, "a\u202eb\u009b.txt");
  const from = { ...source, session: `s\u009b2`, agentName: `Claude \u202eCode` };
  ledgers.turnBegan(from, hostile);
  ledgers.aboutToWrite(from, [{ path, before: undefined }]);
  await ledgers.settled();
  writeFileSync(path, hostile);
  ledgers.wrote(from);
  ledgers.turnEnded(from);
  await ledgers.settled();
  ledgers.dispose();
  const json = (await run(["turns", "--json"])).text;
  // What `--json` prints goes out as it is.
  expect(json).toMatch(/^[\u0020-\u007e]+$/u);
  expect(json).toContain("\\u202e");
  expect(JSON.parse(json)).toMatchObject([{ prompt: hostile, files: [{ path }] }, {}]);
  for (const args of [["turns"], ["diff", "1"]]) expect((await run(args)).text).toMatch(/^[\n\t\u0020-\u007e]+$/u);
});

it("undoes a hunk, asks before, and undoes that", async () => {
  expect((await run(["undo", "1", "a.txt", "--hunk", "2"])).code).toBe(1);
  expect((await run(["undo", "1", "a.txt", "--hunk", "2"], false)).code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe(after);
  const told = "The agent is told with your next prompt, if an editor with Patchbay is running then.";
  expect(await run(["undo", "1", "a.txt", "--hunk", "2"], true)).toEqual({ code: 0, text: `a.txt: undone\n${told}` });
  expect(readFileSync(file, "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\n");
  expect((await run(["turns"])).text).toContain("2  undo of turn 1 (Claude Code)");
  await run(["undo", "2", "--yes"]);
  expect(readFileSync(file, "utf8")).toBe(after);
});

it("undoes ever older turns, and brings them back in the reverse order", async () => {
  const texts = [before, after, "ONE\nTWO\nthree\nfour\nFIVE\n", "ONE\nTWO\nTHREE\nfour\nFIVE\n"];
  for (const [was = "", is = ""] of [texts.slice(1), texts.slice(2)]) await another(was, is);
  const held = (): number => texts.indexOf(readFileSync(file, "utf8"));
  const step = async (...args: readonly string[]): Promise<number> => {
    expect((await run([...args, "--yes"])).code).toBe(0);
    return held();
  };
  const numbers = async (): Promise<readonly string[]> =>
    Array.from((await run(["turns"])).text.matchAll(/^\d+ {2}\S.*? {2}/gmu), ([line]) => line.trim());
  expect(held()).toBe(3);
  expect([await step("undo"), await step("undo")]).toEqual([2, 1]);
  expect(await numbers()).toEqual([
    "5  undo of turn 2 (Claude Code)",
    "4  undo of turn 3 (Claude Code)",
    "3  Claude Code",
    "2  Claude Code",
    "1  Claude Code",
  ]);
  expect([await step("redo"), await step("redo")]).toEqual([2, 3]);
  expect(await run(["redo", "--yes"])).toEqual({ code: 1, text: "There is nothing to bring back." });
  expect((await numbers()).slice(0, 2)).toEqual(["7  redo of turn 4 (Claude Code)", "6  redo of turn 5 (Claude Code)"]);
  // Turns that were brought back are undone again, and the numbers still mean what they meant.
  expect([await step("undo"), await step("undo"), await step("undo")]).toEqual([2, 1, 0]);
  expect(await run(["redo", "2", "a.txt"], false)).toMatchObject({ code: 1 });
  expect(await step("redo", "1", "a.txt")).toBe(1);
  expect(await run(["redo", "1", "--yes"])).toEqual({ code: 1, text: "Nothing of turn 1 is undone." });
  expect(await step("undo", "1")).toBe(0);
  expect([await step("redo"), await step("redo"), await step("redo")]).toEqual([1, 2, 3]);
  await expect(run(["undo", "99"])).rejects.toThrow("There is no turn 99.");
});

it("passes over what is kept, and says when nothing is left to undo", async () => {
  await another(after, "kept\n");
  const editor = openLedger();
  await editor.settled();
  const [newest] = editor.turns();
  expect(await editor.keep(newest?.id ?? "")).toBe(true);
  await editor.settled();
  editor.dispose();
  expect((await run(["undo", "--yes"])).text).toContain("changed again since");
  await run(["undo", "2", "--yes"]);
  expect(readFileSync(file, "utf8")).toBe("kept\n");
  writeFileSync(file, after);
  expect((await run(["undo", "--yes"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  await expect(run(["undo", "--yes"])).rejects.toThrow("All changes by agents are kept or undone.");
});

it("undoes all turns of a session, and has the agent told why by whoever runs then", async () => {
  const folders = [platform.workspace];
  const storageDirectory = turnsDirectory(platform, folders);
  const editor = new FolderLedgers({
    platform,
    folders,
    storageDirectory,
    mayKeep: () => true,
    door: createDiskDoor({ platform, folders }),
  });
  onTestFinished(() => editor.dispose());
  await editor.settled();
  for (const [session, name] of [
    ["s1", "b.txt"],
    ["x9", "c.txt"],
  ] as const) {
    const path = join(platform.workspace, name);
    editor.turnBegan({ ...source, session }, "More");
    editor.aboutToWrite({ ...source, session }, [{ path, before: undefined }]);
    await editor.ready();
    writeFileSync(path, "new\n");
    editor.turnEnded({ ...source, session });
    await editor.settled();
  }
  expect((await run(["turns"])).text).toMatch(/session x9\n/u);
  await expect(run(["undo", "--session", "q", "--yes"])).rejects.toThrow("No turn is of session q.");
  expect((await run(["undo", "--session", "s"], false)).code).toBe(1);
  const { code, text } = await run(["undo", "--session", "s", "--yes", "--reason", "Too loud"]);
  expect([code, text.split("\n").slice(0, 2)]).toEqual([0, ["b.txt: undone", "a.txt: undone"]]);
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(existsSync(join(platform.workspace, "b.txt"))).toBe(false);
  expect(existsSync(join(platform.workspace, "c.txt"))).toBe(true);
  expect((await run(["undo", "--session", "s1", "--yes"])).text).toBe("Everything of this session is undone already.");
  // The editor that runs has it from the journals.
  const notes = await editor.notes(source);
  expect(notes.map((note) => note.text.match(/in ([ab]\.txt)\..*They say: Too loud$/u)?.[1])).toEqual([
    "b.txt",
    "a.txt",
  ]);
  expect(await editor.notes({ ...source, session: "x9" })).toEqual([]);
  expect(editor.turns().filter(({ undoes }) => undoes !== undefined)).toHaveLength(2);
});

it("does not promise an undo for later that it could not write down", async () => {
  const folders = [platform.workspace];
  const storageDirectory = turnsDirectory(platform, folders);
  const editor = new FolderLedgers({
    platform,
    folders,
    storageDirectory,
    mayKeep: () => true,
    door: createDiskDoor({ platform, folders }),
  });
  onTestFinished(() => editor.dispose());
  editor.turnBegan(source, "More");
  editor.aboutToWrite(source, [{ path: file, before: after }]);
  await editor.settled();
  writeFileSync(file, "MORE\n");
  editor.wrote(source);
  await editor.settled();
  // Read only from now on.
  const { open } = promises;
  vi.spyOn(promises, "open").mockImplementation(async (path, flags, mode) => {
    if (typeof flags === "number" && (flags & constants.O_APPEND) !== 0)
      throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    return await open(path, flags, mode);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { code, text } = await run(["undo", "1", "--yes"]);
  expect(text).toMatch(
    /cannot be kept for an undo just now.*EROFS.*\n.*could not be written down, so nothing will be undone later/su,
  );
  expect(code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe("MORE\n");
});

it("says what is wrong", async () => {
  await expect(run(["undo", "7"])).rejects.toThrow("There is no turn 7.");
  await expect(run(["diff", "b.txt"])).rejects.toThrow("This turn did not change b.txt.");
  await expect(run(["undo", "a.txt", "--hunk", "9", "--yes"])).rejects.toThrow("There is no hunk 9: the file has 2.");
  expect(() => parseCommandLine(["undo", "2", "--session", "s"], "/")).toThrow("leave out turn, path and --hunk");
  expect(() => parseCommandLine(["undo", "a", "b"], "/")).toThrow("no number of the list");
  writeFileSync(file, "mine\n");
  expect(await run(["undo", "--yes"])).toMatchObject({ code: 1, text: expect.stringContaining("left alone") });
});

it("asks for what the agent did alone, leaves what may be the user's, and undoes that by its name", async () => {
  const saved = join(platform.workspace, "saved.txt");
  writeFileSync(saved, "old\n");
  const ledgers = openLedger();
  ledgers.turnBegan(source, "More");
  ledgers.aboutToWrite(source, [{ path: file, before: after }]);
  await ledgers.settled();
  writeFileSync(file, "MORE\n");
  ledgers.wrote(source);
  // In another program.
  writeFileSync(saved, "new\n");
  ledgers.turnEnded(source);
  await ledgers.settled();
  ledgers.dispose();
  const { code, text } = await run(["undo", "--yes"]);
  expect([code, text]).toEqual([
    0,
    expect.stringContaining("saved.txt: left alone, because it may be your own change (name the file to undo it)"),
  ]);
  expect([readFileSync(file, "utf8"), readFileSync(saved, "utf8")]).toEqual([after, "new\n"]);
  expect(await run(["undo", "2", "saved.txt", "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(saved, "utf8")).toBe("old\n");
});

it("keeps and shows no text of a file that holds secrets, whoever opens the ledger", async () => {
  const path = join(platform.workspace, ".env");
  for (const looks of [true, false]) {
    const ledgers = openLedgers(platform, [platform.workspace], {
      looks,
      mayKeep: () => true,
      tellUser: async () => {},
    });
    ledgers.turnBegan(source, "Configure");
    ledgers.aboutToWrite(source, [{ path, before: "TOKEN=before\n" }]);
    await ledgers.settled();
    writeFileSync(path, `TOKEN=${String(looks)}\n`);
    ledgers.wrote(source);
    ledgers.turnEnded(source);
    await ledgers.settled();
    ledgers.dispose();
    expect((await run(["diff"])).text).toBe(".env\n(no text to show: changed)");
  }
  const texts = readdirSync(join(turnsDirectory(platform, [platform.workspace]), "texts"));
  const kept = texts.map((name) =>
    readFileSync(join(turnsDirectory(platform, [platform.workspace]), "texts", name), "utf8"),
  );
  expect(kept.filter((text) => text.includes("TOKEN"))).toEqual([]);
});
