import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("a hunk of a review in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    folder.write("b.txt", "one\ntwo\n");
  });

  afterEach(() => folder.dispose());

  /** Three hunks: the first line, the one before the fourth, and the last. */
  const opened = [
    "edit a.txt",
    "call Propose('p1', expand('%:p'), ['ONE', 'two', 'four', 'FIVE'])",
    "call Review('p1')",
    "let g:given = []",
    "function! CocActionAsync(action, command, ...) abort",
    "  call add(g:given, [a:command] + a:000)",
    "endfunction",
    "call patchbay#command#define()",
  ];
  const given = "let g:facts.given = g:given";

  it("is accepted by dp and rejected by do, on the left side the other way round", async () => {
    const { facts } = await folder.run(
      ...opened,
      'call Type("ggdp")',
      'call Type("]cdo")',
      'call Type("\\<C-w>hGdo")',
      'call Type("Gdp")',
      "let g:facts.text = [getbufline(patchbay#review#find('p1').right, 1, '$'), getline(1, '$')]",
      given,
    );
    expect(facts["given"]).toEqual([
      ["patchbay.acceptHunk", "p1", "right", 0],
      ["patchbay.rejectHunk", "p1", "right", 2],
      ["patchbay.acceptHunk", "p1", "left", 4],
      ["patchbay.rejectHunk", "p1", "left", 4],
    ]);
    // The texts change when lib/ says so.
    expect(facts["text"]).toEqual([
      ["ONE", "two", "four", "FIVE"],
      ["one", "two", "three", "four", "five"],
    ]);
  });

  it("is decided by the commands and the <Plug> maps as well, and taken back", async () => {
    const { facts } = await folder.run(
      ...opened,
      "nmap <buffer> gA <Plug>(patchbay-hunk-accept)",
      "nmap <buffer> gU <Plug>(patchbay-hunk-undo)",
      'call Type("GgA")',
      "Patchbay hunk reject",
      'call Type("gU")',
      "wincmd t | tabfirst",
      "Patchbay hunk undo",
      given,
    );
    expect(facts["given"]).toEqual([
      ["patchbay.acceptHunk", "p1", "right", 3],
      ["patchbay.rejectHunk", "p1", "right", 3],
      ["patchbay.undoHunk", "p1"],
      ["patchbay.undoHunk", "p1"],
    ]);
  });

  it.each([
    ["a count", "call Type('gg' . patchbay#review#find('p1').left . 'do')", []],
    ["nobody to wait for it", "let patchbay#review#find('p1').present = 0 | call Type('ggdo')", []],
    ["only the terminal to answer", "call extend(patchbay#review#find('p1'), {'terminal': 1}) | call Type('ggdo')", []],
    ["a conflict", "call patchbay#review#standing('p1', 'conflict') | call Type('ggdo')", []],
    ["no coc", "let g:is_ready = 0 | call Type('ggdo')", []],
  ])("is copied as in every diff with %s", async (_what, line, expected) => {
    const { facts } = await folder.run(
      ...opened,
      line.replace("let patchbay#review#find('p1').present = 0", "call patchbay#review#present('p1', 0)"),
      "let g:facts.line = getline(1)",
      "let g:facts.given = filter(g:given, {_, one -> one[0] =~# 'Hunk'})",
    );
    expect(facts).toEqual({ line: "one", given: expected });
  });

  it("says what Vim says where a count names no buffer of the diff", async () => {
    const { facts } = await folder.run(
      ...opened,
      "call Type('gg' . bufnr('a.txt') . 'do')",
      "let g:facts.said = Said('is not in diff mode')",
    );
    expect(facts).toEqual({ said: 1 });
  });

  it("takes no verdict from keys that were on their way elsewhere", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call patchbay#command#define()",
      "call Propose('p1', expand('%:p'), ['ONE'], {'focus': 1})",
      'call Type("dp")',
      "let g:facts.said = Said('has just opened')",
    );
    expect(facts).toEqual({ said: 1 });
  });

  it("is left for the next one unless the user types by then", async () => {
    const { facts } = await folder.run(
      ...opened,
      "call cursor(1, 1)",
      `call feedkeys("Aone\\<Cmd>call patchbay#hunk#decided('p1', 1, 0, 3)\\<CR>two\\<Esc>", 'xt')`,
      "let g:facts.typed = getline(1) =~# 'onetwo$'",
    );
    expect(facts).toEqual({ typed: 1 });
  });

  it("is left for the next one, also on the other side; counts stand in the status line", async () => {
    const { facts } = await folder.run(
      ...opened,
      "call cursor(1, 1)",
      "call patchbay#hunk#decided('p1', 1, 0, 3)",
      "let g:facts.right = [line('.'), patchbay#hints#line('p1', 1) =~# '\\[hunks: 1 accepted, 0 rejected\\]']",
      "let g:facts.left = patchbay#hints#line('p1', 0)",
      "call patchbay#hunk#decided('p1', 1, 1, -1)",
      "let g:facts.stays = line('.')",
      "call patchbay#hunk#decided('p1', 0, 0, -1)",
      "let g:facts.none = patchbay#hints#line('p1', 1) =~# 'hunks:'",
      "tabfirst | call cursor(2, 1)",
      "call patchbay#hunk#decided('p1', 1, 0, 0)",
      "let g:facts.elsewhere = line('.')",
    );
    expect(facts).toEqual({
      right: [4, 1],
      left: " %<a.txt now [with accepted hunks]",
      stays: 4,
      none: 0,
      elsewhere: 2,
    });
  });

  it("is gone to one after the other, into the next proposal and back, and the last one says so", async () => {
    const { facts } = await folder.run(
      ...opened,
      "call Propose('p2', getcwd() . '/b.txt', ['one', 'TWO'])",
      "call Review('p1')",
      "call cursor(1, 1)",
      "let g:facts.way = []",
      "for step in ['next', 'next', 'next', 'previous', 'previous']",
      "  execute 'Patchbay hunk' step",
      "  call add(g:facts.way, b:patchbay_review . ' ' . line('.'))",
      "endfor",
      "call patchbay#review#close('p2', 'stopped')",
      "call cursor('$', 1)",
      "Patchbay hunk next",
      "let g:facts.said = Said('This is the last hunk.')",
    );
    expect(facts).toEqual({ way: ["p1 3", "p1 4", "p2 2", "p1 4", "p1 3"], said: 1 });
  });
});
