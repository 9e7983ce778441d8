import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FolderLedgers } from "../src/folder-ledgers.ts";
import { TurnLab } from "./turn-lab.ts";

/** Whether this disk finds a name in any case, as those of macOS and Windows do (`node tooling/macos/main.mjs` has such a one). */
function findsAnyCase(): boolean {
  const made = mkdtempSync(join(tmpdir(), "Case-"));
  const isFound = existsSync(join(dirname(made), basename(made).toUpperCase()));
  rmSync(made, { recursive: true });
  return isFound;
}

/** Through another name: FUSE takes the shorter way for nothing to do. */
function rename(lab: TurnLab, from: string, to: string): void {
  renameSync(lab.path(from), lab.path(`${from}.moving`));
  renameSync(lab.path(`${from}.moving`), lab.path(to));
}

describe.skipIf(!findsAnyCase())("a file of which only the case of its name was changed", () => {
  it.each([
    { what: "without git", hasGit: undefined },
    { what: "in git", hasGit: { ignoreCase: true } },
    { what: "in git that takes it for another", hasGit: { ignoreCase: false } },
  ])("is one row, and is there again after its undo, $what", async ({ hasGit }) => {
    const lab = new TurnLab();
    if (hasGit !== undefined) {
      lab.commit({ "readme.txt": "one\ntwo\nthree\n" });
      lab.git("config", "core.ignoreCase", String(hasGit.ignoreCase));
    } else lab.write("readme.txt", "one\ntwo\nthree\n");
    const ledgers: FolderLedgers = lab.open({ door: lab.disk });
    await lab.command(ledgers, () => {
      rename(lab, "readme.txt", "README.txt");
      lab.write("README.txt", "one\n2\nthree\n");
    });
    const [turn] = ledgers.turns();
    expect(turn?.files).toHaveLength(1);
    expect(await ledgers.undo(turn?.id ?? "")).toMatchObject({ files: [{ outcome: "undone" }] });
    expect(lab.read("readme.txt")).toBe("one\ntwo\nthree\n");
  });
});
