import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

const vims = findVims();

describe.skipIf(vims.length > 0)("the scripts of autoload", () => {
  it.skip("need Vim 9.0.0438 or Neovim 0.8 on the path, or PATCHBAY_VIM or PATCHBAY_E2E_NVIM", () => {});
});

describe.each(vims)("a review in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
    folder.write("b.txt", "other\n");
  });

  afterEach(() => folder.dispose());

  /** Opens the file and a proposal for it, and goes there. */
  const opened = [
    "edit a.txt",
    "call Propose('p1', expand('%:p'), ['ONE', 'two', 'THREE'])",
    "let g:before = Names()",
    "call Review('p1')",
  ];
  const verdicts = (told: readonly (readonly unknown[])[]): readonly unknown[] => told.map(([kind]) => kind);

  it("opens in a tab page of its own and leaves the cursor where it is", async () => {
    const { facts } = await folder.run(
      ...opened,
      "let g:facts.before = g:before",
      "let g:facts.names = Names()",
      "let g:facts.page = tabpagenr()",
    );
    expect(facts).toEqual({ before: ["a.txt"], names: ["now: a.txt", "Gemini CLI: a.txt"], page: 2 });
  });

  it.each([
    ":w",
    ":w!",
    ":wq",
    ":up",
    ":x",
    ":silent write",
    ":conf w",
    ":%w",
    ":1,$w",
    ":keepalt w",
    ":sil! keepj wq",
    ":confirm x",
    ":w ++ff=unix",
    "ZZ",
    "\\\\pa",
  ])("is accepted by %s, as it came", async (keys) => {
    const { told } = await folder.run(...opened, `call Type("${keys}${keys.startsWith(":") ? "\\<CR>" : ""}")`);
    expect(told[0]).toMatchObject(["accepted", "p1", { lines: ["ONE", "two", "THREE"], format: "unix", newline: 1 }]);
    expect(verdicts(told)).toEqual(["accepted"]);
  });

  it("is named to who rejects it with a reason, and rejected at once without one", async () => {
    const { told, facts } = await folder.run(
      ...opened,
      "let g:facts.here = patchbay#go#here('reject')",
      "command! -nargs=* PatchbayReject call patchbay#go#because(<q-args>)",
      "PatchbayReject",
    );
    expect(facts).toEqual({ here: "p1" });
    expect(verdicts(told)).toEqual(["rejected"]);
  });

  it.each([":q", ":close", ":tabclose", ":bdelete", "ZQ", "\\\\pr", "\\<C-w>c"])("is rejected by %s", async (keys) => {
    const { told } = await folder.run(...opened, `call Type("${keys}${keys.startsWith(":") ? "\\<CR>" : ""}")`);
    expect(told).toEqual([["rejected", "p1"]]);
  });

  it.each([
    [":q", "closed"],
    [":tabclose", "closed"],
    ["\\\\pr", "rejected"],
    [":w", "accepted"],
  ])("whose agent is not connected says so; %s is %s", async (keys, verdict) => {
    const { told, facts } = await folder.run(
      ...opened,
      "call patchbay#review#present('p1', 0)",
      "let g:facts.hint = patchbay#hints#text(patchbay#review#find('p1'))",
      "let g:facts.line = patchbay#hints#line('p1', 1)",
      `call Type("${keys}${keys.startsWith(":") ? "\\<CR>" : ""}")`,
    );
    expect(verdicts(told)).toEqual([verdict]);
    expect(JSON.stringify(facts)).not.toContain("accepts");
    expect(facts["hint"]).toBe("Gemini CLI is not connected: :w keeps your text in :CocList patchbay, :q! closes it");
    expect(facts["line"]).toContain("[not connected: :w keeps your text]");
  });

  it.each([":w", ":wq", ":x", "ZZ", "\\\\pa"])(
    "that only the agent's terminal can answer says so; %s ends nothing",
    async (keys) => {
      const { told, facts } = await folder.run(
        ...opened,
        "let review = patchbay#review#find('p1')",
        "let review.terminal = 1",
        "let g:facts.shown = patchbay#hints#text(review) . patchbay#hints#line('p1', 1)",
        `call Type("${keys}${keys.startsWith(":") ? "\\<CR>" : ""}")`,
        "let g:facts.said = Said('answer in Gemini CLI''s terminal')",
        "let g:facts.open = patchbay#review#open_ids()",
      );
      expect(told).toEqual([]);
      expect(facts).toMatchObject({ said: 1, open: ["p1"] });
      expect(facts["shown"]).toContain("Answer in Gemini CLI's terminal");
      expect(facts["shown"]).toContain("answer in the agent's terminal");
      expect(facts["shown"]).not.toContain("accepts");
    },
  );

  it("has the file's name where the user's language puts it", async () => {
    const { facts } = await folder.run(
      ...opened,
      "call patchbay#speak({'{0} proposes {1}': '{0}が%{1}の変更を提案', ':w accepts': ':w 承諾'})",
      "let g:facts.line = patchbay#hints#line('p1', 1)",
    );
    expect(facts["line"]).toMatch(/^ Gemini CLIが%%%<a\.txtの変更を提案.*:w 承諾 {2}:q rejects $/u);
  });

  it("that cannot be edited says so, follows its file, and is accepted as it is", async () => {
    const { told, facts } = await folder.run(
      "edit a.txt",
      "call Propose('p1', expand('%:p'), ['ONE', 'two', 'THREE'], {'locked': 1})",
      "call Review('p1')",
      "let g:facts.hint = patchbay#hints#text(patchbay#review#find('p1'))",
      "let g:facts.line = patchbay#hints#line('p1', 1)",
      'silent! call Type("ityped\\<Esc>")',
      "let g:facts.typed = getline(1, '$')",
      "call Update('p1', ['one', 'two', 'three', 'four'], ['ONE', 'two', 'THREE', 'four'])",
      "let g:facts.followed = getline(1, '$')",
      'silent! call Type("ityped\\<Esc>")',
      'call Type(":w\\<CR>")',
    );
    expect(facts["hint"]).toContain("Gemini CLI does not take an edited text");
    expect(facts["line"]).toContain("[read-only]");
    expect(facts).toMatchObject({ typed: ["ONE", "two", "THREE"], followed: ["ONE", "two", "THREE", "four"] });
    expect(told).toMatchObject([["accepted", "p1", { lines: ["ONE", "two", "THREE", "four"] }]]);
  });

  it("that only the agent's terminal can answer is not rejected by :q", async () => {
    const { told } = await folder.run(
      ...opened,
      "let review = patchbay#review#find('p1')",
      "let review.terminal = 1",
      'call Type(":q\\<CR>")',
    );
    expect(told).toEqual([["closed", "p1"]]);
  });

  it("hands its text to the register", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call patchbay#parts#add('yank', ['one', 'two'], 0)",
      "call patchbay#yank({'parts': 'yank'})",
      "normal! p",
      "let g:facts.text = getline(1, 3)",
    );
    expect(facts).toEqual({ text: ["one", "one", "two"] });
  });

  it.each(["tabclose 2", "tabonly", "$tabclose"])("is rejected by :%s from another tab page", async (line) => {
    const { told, facts } = await folder.run(
      ...opened,
      "tabfirst",
      line,
      "call Later()",
      "let g:facts.left = [tabpagenr('$'), Names()]",
    );
    expect(told).toEqual([["rejected", "p1"]]);
    expect(facts).toEqual({ left: [1, ["a.txt"]] });
  });

  it("is accepted with what was typed and what was taken back by :diffget", async () => {
    const { told } = await folder.run(...opened, 'call Type("gg:diffget\\<CR>Godone\\<Esc>")', 'call Type(":w\\<CR>")');
    expect(verdicts(told)).toEqual(["edited", "accepted"]);
    expect(told.at(-1)?.[2]).toMatchObject({ lines: ["one", "two", "THREE", "done"] });
  });

  it("is accepted by a command of the user's own, such as :W", async () => {
    const { told } = await folder.run("command! -bang W w<bang>", ...opened, 'call Type(":W\\<CR>")');
    expect(verdicts(told)).toEqual(["accepted"]);
  });

  it.each([":w", ":conf w", ":wq"])(
    "is not accepted by %s on its left side, which says where to do so",
    async (line) => {
      const { told, facts } = await folder.run(
        ...opened,
        "wincmd h",
        `try | call Type("${line}\\<CR>") | catch /E382:/ | endtry | call Later()`,
        "let g:facts.said = Said('This side is the file as it is. Use :w in the proposal''s window to accept.')",
        "let g:facts.names = Names()",
      );
      expect(told).toEqual([]);
      expect(facts).toEqual({ said: 1, names: ["now: a.txt", "Gemini CLI: a.txt"] });
    },
  );

  it("is not accepted in part, and a part can be written elsewhere", async () => {
    const { told, facts } = await folder.run(
      ...opened,
      'call Type(":1,2w!\\<CR>")',
      "let g:facts.said = Said('Not accepted: this would be only a part of a.txt.')",
      'call Type(":2,3w c.txt\\<CR>")',
      'call Type(":1w >> c.txt\\<CR>")',
      "let g:facts.written = readfile('c.txt')",
      "let g:facts.open = patchbay#review#open_ids()",
    );
    expect(told).toEqual([]);
    expect(facts).toEqual({ said: 1, written: ["two", "THREE", "ONE"], open: ["p1"] });
  });

  it("cannot be undone to less than it came with", async () => {
    const { facts } = await folder.run(
      ...opened,
      'silent! call Type("u")',
      "let g:facts.untouched = getline(1, '$')",
      'call Type("dd")',
      'silent! call Type("uuu")',
      "let g:facts.undone = getline(1, '$')",
    );
    expect(facts).toEqual({ untouched: ["ONE", "two", "THREE"], undone: ["ONE", "two", "THREE"] });
  });

  it("needs :q! once it was edited", async () => {
    const { told, facts } = await folder.run(
      ...opened,
      'call Type("Gomore\\<Esc>")',
      'silent! call Type(":q\\<CR>")',
      "let g:facts.open = Names()",
      'call Type(":q!\\<CR>")',
    );
    expect(facts["open"]).toEqual(["now: a.txt", "Gemini CLI: a.txt"]);
    expect(verdicts(told)).toEqual(["edited", "rejected"]);
  });

  it.each([
    ["a command for all buffers", 'call Type(":wall\\<CR>")'],
    ["a mapping that types no command", "write"],
    ["a plugin in another window", "call win_gotoid(win_getid(1, 1)) | silent! wall"],
  ])("is not accepted by %s", async (_what, line) => {
    const { told, facts } = await folder.run(
      ...opened,
      'call Type("Gomore\\<Esc>")',
      line,
      "call Later()",
      "let g:facts.said = Said('Not accepted: a.txt')",
      "let g:facts.modified = getbufvar(patchbay#review#find('p1').right, '&modified')",
    );
    expect(verdicts(told)).toEqual(["edited"]);
    expect(facts["modified"]).toBe(1);
    expect(facts["said"]).toBe(1);
  });

  it("says only once that a plugin's saving is no verdict, and each time that a command's is none", async () => {
    const { facts } = await folder.run(
      ...opened,
      'call Type("Gomore\\<Esc>")',
      "for _ in range(3) | silent! wall | call Later() | endfor",
      "let g:facts.plugin = Said('Not accepted')",
      'call Type(":wall\\<CR>")',
      "let g:facts.command = Said('Not accepted')",
    );
    expect(facts).toEqual({ plugin: 1, command: 2 });
  });

  it.each(["edit b.txt", "enew", "buffer 1", "edit! b.txt"])(
    "waits in a tab page of its own when the user goes elsewhere in its window by :%s",
    async (line) => {
      const edit = line.includes("!") ? ['call Type("Gomore\\<Esc>")'] : [];
      const { told, facts } = await folder.run(
        ...opened,
        ...edit,
        "setlocal nodiff",
        "if exists('+winfixbuf') | setlocal nowinfixbuf | endif",
        line,
        "call Later()",
        "let g:facts.waits = patchbay#review#open_ids()",
        "let g:facts.here = fnamemodify(bufname('%'), ':t')",
        "let g:facts.said = Said('is waiting in its own tab page')",
        "call Review('p1')",
        "let g:facts.names = Names()",
        'call Type(":w\\<CR>")',
      );
      expect(facts["waits"]).toEqual(["p1"]);
      expect(facts["here"]).toBe(line === "enew" ? "" : line === "buffer 1" ? "a.txt" : "b.txt");
      expect(facts["said"]).toBe(1);
      expect(facts["names"]).toEqual(["now: a.txt", "Gemini CLI: a.txt"]);
      expect(told.at(-1)).toMatchObject([
        "accepted",
        "p1",
        { lines: ["ONE", "two", "THREE", ...(edit.length > 0 ? ["more"] : [])], format: "unix", newline: 1 },
      ]);
    },
  );

  it("has a long text that came in parts, and those are forgotten", async () => {
    const { told, facts } = await folder.run(
      "edit a.txt",
      "call patchbay#parts#add('p1 proposal', ['left over'], 0)",
      "call patchbay#parts#clear('p1 proposal')",
      "call patchbay#parts#add('p1 proposal', ['one', 'two and '], 0)",
      "call patchbay#parts#add('p1 proposal', ['more', 'three'], 1)",
      "call patchbay#parts#add('p1 proposal', ['four'], 0)",
      "let text = {'parts': 'p1 proposal', 'format': 'unix', 'newline': 1}",
      "call Propose('p1', expand('%:p'), [], {'proposal': text})",
      "let g:facts.left = patchbay#parts#lines({'parts': 'p1 proposal'})",
      "call Review('p1')",
      'call Type(":%delete\\<CR>:e!\\<CR>:w\\<CR>")',
    );
    expect(facts).toEqual({ left: [] });
    expect(told.at(-1)).toMatchObject([
      "accepted",
      "p1",
      { lines: ["one", "two and more", "three", "four"], format: "unix", newline: 1 },
    ]);
  });
});
