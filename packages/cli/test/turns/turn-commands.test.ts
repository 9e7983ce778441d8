import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turnsDirectory } from "@patchbay/core";
import { createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseCommandLine } from "../../src/command-line.ts";
import { createPaint } from "../../src/terminal/paint.ts";
import { runTurns } from "../../src/turns/turn-commands.ts";

const before = "one\ntwo\nthree\nfour\nfive\n";
const after = "ONE\ntwo\nthree\nfour\nFIVE\n";
const source = { agent: "claude", agentName: "Claude Code", session: "s1", folder: undefined };

let platform: TestPlatform;
let file: string;

beforeEach(async () => {
  platform = createTestPlatform();
  file = join(platform.workspace, "a.txt");
  writeFileSync(file, before);
  const folders = [platform.workspace];
  const storageDirectory = turnsDirectory(platform, folders);
  const door = createDiskDoor({ platform, folders });
  const ledgers = new FolderLedgers({ platform, folders, storageDirectory, door });
  ledgers.turnBegan(source, "Shout\nplease");
  ledgers.aboutToWrite(source, [{ path: file, before }]);
  await ledgers.settled();
  writeFileSync(file, after);
  ledgers.wrote(source);
  ledgers.turnEnded(source);
  await ledgers.settled();
  ledgers.dispose();
});

afterEach(() => platform.dispose());

async function run(
  args: readonly string[],
  answer?: boolean,
): Promise<{ readonly code: number; readonly text: string }> {
  const command = parseCommandLine(args, platform.workspace);
  if (command.kind !== "turns" && command.kind !== "diff" && command.kind !== "undo") throw new Error(command.kind);
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

it("undoes a hunk, asks before, and undoes that", async () => {
  expect((await run(["undo", "1", "a.txt", "--hunk", "2"])).code).toBe(1);
  expect((await run(["undo", "1", "a.txt", "--hunk", "2"], false)).code).toBe(1);
  expect(readFileSync(file, "utf8")).toBe(after);
  expect(await run(["undo", "1", "a.txt", "--hunk", "2"], true)).toEqual({ code: 0, text: "a.txt: undone" });
  expect(readFileSync(file, "utf8")).toBe("ONE\ntwo\nthree\nfour\nfive\n");
  expect((await run(["turns"])).text).toContain("1  undo of Claude Code");
  await run(["undo", "1", "--yes"]);
  expect(readFileSync(file, "utf8")).toBe(after);
});

it("says what is wrong", async () => {
  await expect(run(["undo", "7"])).rejects.toThrow("There is no turn 7.");
  await expect(run(["diff", "b.txt"])).rejects.toThrow("This turn did not change b.txt.");
  await expect(run(["undo", "a.txt", "--hunk", "9", "--yes"])).rejects.toThrow("There is no hunk 9: the file has 2.");
  expect(() => parseCommandLine(["undo", "a", "b"], "/")).toThrow("no number of the list");
  writeFileSync(file, "mine\n");
  expect(await run(["undo", "--yes"])).toMatchObject({ code: 1, text: expect.stringContaining("left alone") });
});
