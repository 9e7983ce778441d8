import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCocServices, createCocVim } from "../../src/vim/coc-vim.ts";
import { SimulatedCoc } from "../simulated/simulated-coc.ts";

let coc: SimulatedCoc;
beforeEach(() => {
  coc = new SimulatedCoc();
});
afterEach(() => coc.dispose());

describe("calls into Vim", () => {
  it("carry plain data as it is, and nothing that Vim does not know", async () => {
    const vim = createCocVim(coc.api);
    await vim.call("f", ["text", 1, true, ["a", { b: undefined, c: null }], undefined, null, () => {}, Symbol("x")]);
    vim.notify("g", [{ a: undefined, b: [undefined] }]);
    expect(coc.vim.calls).toEqual([
      { name: "f", args: ["text", 1, true, ["a", { c: "" }], "", "", "", ""] },
      { name: "g", args: [{ b: [""] }] },
    ]);
  });

  it("reject with what Vim says", async () => {
    coc.vim.failNextCall = "E117: Unknown function: f";
    await expect(createCocVim(coc.api).call("f")).rejects.toThrow("E117: Unknown function: f");
  });

  it("come back from autocommands with the values asked for, until they are not listened to any more", () => {
    const heard: (readonly unknown[])[] = [];
    const listening = createCocVim(coc.api).on(["DirChanged"], ["patchbay#directory()"], (...values) =>
      heard.push(values),
    );
    coc.vim.changeDirectory("/w");
    listening.dispose();
    coc.vim.changeDirectory("/x");
    // Without the token that coc adds.
    expect(heard).toEqual([["/w"]]);
  });
});

describe("what coc knows", () => {
  it("has the lines of a buffer only where coc is attached to it", () => {
    const services = createCocServices(coc.api);
    coc.vim.openFile(`${coc.folder}/a.txt`);
    expect(services.lines(1)).toEqual([""]);
    expect(services.lines(99)).toBeUndefined();
    coc.vim.detached = true;
    expect(services.lines(1)).toBeUndefined();
  });

  it("tells of moves, keys, terminals and folders", () => {
    const services = createCocServices(coc.api);
    const heard: unknown[] = [];
    services.onDidMoveCursor((...place) => heard.push(["moved", ...place]));
    services.onDidType((...place) => heard.push(["typed", ...place]));
    services.onDidOpenTerminal((buffer) => heard.push(["terminal", buffer]));
    services.onDidChangeFolders(() => heard.push(["folders", services.folders()]));
    coc.vim.openFile(`${coc.folder}/a.txt`);
    coc.vim.typeText();
    coc.vim.becomeTerminal();
    coc.vim.setFolders(["/w"]);
    expect(heard).toEqual([
      ["moved", 1, 1, 2],
      ["typed", 1, 1, 2],
      ["terminal", 1],
      ["folders", ["/w"]],
    ]);
  });

  it("shows notices whose buttons answer by their number; one without a button is answered by nobody", async () => {
    const services = createCocServices(coc.api);
    coc.clickNext = 1;
    await expect(services.notice("info", ["Show it?"], ["Show", "Hide"]).clicked).resolves.toBe(1);
    coc.clickNext = -1;
    await expect(services.notice("info", ["Show it?"], ["Show", "Hide"]).clicked).resolves.toBe(-1);
    coc.clickNext = undefined;
    const plain = services.notice("warning", ["one", "two"], []);
    await expect(plain.clicked).resolves.toBe(-1);
    plain.close();
    expect(coc.vim.notices.at(-1)).toBe("one\ntwo");
    expect(coc.vim.calls.at(-1)).toEqual({ name: "patchbay#close_notice", args: [["one", "two"]] });
    expect(services.columns()).toBe(120);
  });

  it("fails a notice that coc cannot show", async () => {
    coc.failNextNotice = "no room";
    await expect(createCocServices(coc.api).notice("error", ["x"], []).clicked).rejects.toThrow("no room");
  });
});
