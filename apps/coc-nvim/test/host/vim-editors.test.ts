import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namesOfFiles } from "../../src/host/vim-editors.ts";
import { createHostUnderTest, type HostUnderTest } from "../simulated/create-host.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the files the user is in", () => {
  let test: HostUnderTest;
  const file = (name: string, text = "one\ntwo 😀\n"): string => {
    const path = join(test.folder, name);
    writeFileSync(path, text);
    return path;
  };

  beforeEach(() => {
    test = createHostUnderTest();
  });

  afterEach(() => test.dispose());

  it("leave out what is not on the disk yet, until it is written", () => {
    const path = join(test.folder, "new.txt");
    test.vim.openFile(path);
    expect(test.parts.editors.openFiles()).toEqual([]);
    expect(test.parts.editors.active()).toBeUndefined();
    writeFileSync(path, "");
    test.vim.fire("BufWritePost");
    expect(test.parts.editors.openFiles()).toEqual([path]);
  });

  it("are not asked for while a terminal gets its name", () => {
    expect(test.vim.patternsOf("BufFilePost")).toEqual([namesOfFiles]);
    expect([test.vim.patternsOf("BufFilePre"), test.vim.patternsOf("TermOpen")]).toEqual([[], []]);
  });

  it("go back to the file before when the last one is closed", () => {
    const one = file("one.txt");
    const two = file("two.txt");
    test.vim.openFile(one);
    test.vim.openFile(two);
    test.vim.closeFile(two);
    expect(test.parts.editors.active()?.path).toBe(one);
  });

  it("keep the selection when the user goes from it to the terminal", () => {
    test.vim.openFile(file("one.txt"));
    test.vim.select({ start: { line: 1, character: 0 }, end: { line: 1, character: 3 } });
    test.vim.focusTerminal();
    test.clock.advance(60_000);
    expect(test.parts.editors.active()?.readSelection(100)).toBe("two");
  });

  it("drop the selection two seconds after it was left for nothing", () => {
    test.vim.openFile(file("one.txt"));
    test.vim.select({ start: { line: 1, character: 0 }, end: { line: 1, character: 3 } });
    const changes: string[] = [];
    test.parts.editors.onDidChange((change) => changes.push(change.kind));
    test.vim.fire("User PatchbayCursor");
    test.vim.focusFile(join(test.folder, "one.txt"));
    test.clock.advance(2_100);
    expect(test.parts.editors.active()?.selection).toBeUndefined();
    expect(changes).toContain("selection");
  });

  it("are followed through what coc is told anyway, with no autocommand of ours", () => {
    const path = file("one.txt");
    test.vim.openFile(path);
    const changes: string[] = [];
    test.parts.editors.onDidChange((change) => changes.push(change.kind));
    for (const event of ["CursorMoved", "CursorMovedI", "TextChangedI", "ModeChanged"]) test.vim.fire(event);
    expect(changes).toEqual([]);
    test.vim.setCursor({ line: 1, character: 2 });
    expect(test.parts.editors.active()?.cursor).toEqual({ line: 1, character: 2 });
    expect(changes).toEqual(["selection"]);
  });

  it("leave out a terminal that has the name of a program on the disk", () => {
    const path = file("one.txt");
    test.vim.openFile(path);
    test.vim.openFile(file("shell"));
    test.vim.becomeTerminal();
    expect(test.parts.editors.openFiles()).toEqual([path]);
    expect(test.parts.editors.active()?.path).toBe(path);
  });

  it("are unsaved from the first character that is typed", () => {
    const path = file("one.txt");
    test.vim.openFile(path);
    expect(test.parts.editors.bufferOf(path)?.modified).toBe(false);
    test.vim.typeText();
    expect(test.parts.editors.bufferOf(path)?.modified).toBe(true);
    expect(test.parts.editors.active()?.cursor).toEqual({ line: 0, character: 1 });
  });

  it("are read from the editor where coc holds no text of them", async () => {
    test.vim.detached = true;
    test.vim.openFile(file("large.txt"));
    test.vim.select({ start: { line: 0, character: 1 }, end: { line: 1, character: 6 } });
    test.clock.advance(50);
    await turn();
    expect(test.parts.editors.active()?.selection).toEqual({
      start: { line: 0, character: 1 },
      end: { line: 1, character: 6 },
    });
    expect(test.parts.editors.active()?.readSelection(100)).toBe("ne\ntwo 😀");
  });

  it("know the working directory as a folder, without saying one twice", () => {
    let told = 0;
    test.parts.workspace.onDidChangeFolders(() => (told += 1));
    test.vim.setFolders([`${test.folder}/`]);
    expect(test.parts.workspace.folders()).toEqual([test.folder]);
    expect(told).toBe(0);
    test.vim.changeDirectory("/elsewhere");
    expect(test.parts.workspace.folders()).toEqual(["/elsewhere", test.folder]);
    expect(told).toBe(1);
  });
});
