import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("a review in one window in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
  });

  afterEach(() => folder.dispose());

  /** The first line changed, the third one removed, one added at the end. */
  const opened = [
    "edit a.txt",
    "call patchbay#command#define()",
    "call Propose('p1', expand('%:p'), ['ONE', 'two', 'four', 'five', 'six'], {'unified': 1})",
    "call Review('p1')",
    "let g:hunks = [[0, 1, 0, 1], [2, 3, 2, 2], [5, 5, 4, 5]]",
    "function! Draw() abort",
    "  call patchbay#unified#draw('p1', b:changedtick, g:hunks)",
    "endfunction",
  ];
  /** Lines with a sign, and what is to be seen on the screen below the lines at the top. */
  const first = vim.name === "Neovim" ? 3 : 2;
  const shown = `[map(sign_getplaced(bufnr('%'), {'group': 'patchbay_unified'})[0].signs, 'v:val.lnum'), map(range(${first}, ${first} + 6), {_, row -> trim(join(map(range(3, 12), {_, column -> screenstring(row, column)}), ''))})]`;

  it("shows the proposal, and what it removes between its lines", async () => {
    const { facts, told } = await folder.run(
      ...opened,
      "call Later()",
      "let g:facts.windows = [winnr('$'), &diff, bufnr('%') == patchbay#review#find('p1').right, bufexists(patchbay#review#find('p1').left)]",
      "call Draw() | redraw",
      `let g:facts.shown = ${shown}`,
      "let g:facts.text = getline(1, '$')",
      // Several lines, above the first one and below the last one.
      "call patchbay#unified#draw('p1', b:changedtick, [[0, 2, 0, 0], [3, 5, 5, 5]]) | redraw",
      `let g:facts.several = ${shown}[1]`,
      // Of a text that has changed since nothing is drawn.
      "call patchbay#unified#draw('p1', b:changedtick - 1, [])",
      `let g:facts.stale = ${shown}[1] ==# g:facts.several`,
    );
    expect(facts).toEqual({
      windows: [1, 0, 1, 1],
      shown: [
        // In Vim a sign would stand beside the removed line.
        vim.name === "Neovim" ? [1, 5] : [5],
        ["one", "ONE", "two", "three", "four", "five", "six"],
      ],
      text: ["ONE", "two", "four", "five", "six"],
      several: ["one", "two", "ONE", "two", "four", "five", "six"],
      stale: 1,
    });
    expect(told.map(([kind]) => kind)).toContain("unified");
  });

  it("is edited, and its hunks are gone to and decided, as side by side", async () => {
    const { facts, told } = await folder.run(
      ...opened,
      "call Draw()",
      "let g:given = []",
      "function! patchbay#command#coc(name, args) abort",
      "  call add(g:given, [a:name] + a:args)",
      "endfunction",
      'call Type("gg]c")',
      "let g:facts.way = [line('.')]",
      'call Type("]c") | call add(g:facts.way, line("."))',
      'call Type("[c") | call add(g:facts.way, line("."))',
      "Patchbay hunk next",
      "call add(g:facts.way, line('.'))",
      'call Type("dp")',
      'call Type("ggdo")',
      "let g:facts.given = g:given",
      "let g:told = []",
      'call Type("ocome\\<Esc>")',
      "doautocmd TextChanged",
      "let g:until = '!empty(filter(copy(g:told), \"v:val[0] ==# ''unified''\"))'",
    );
    expect(facts).toMatchObject({
      way: [3, 5, 3, 5],
      given: [
        ["acceptHunk", "p1", "right", 4],
        ["rejectHunk", "p1", "right", 0],
      ],
      until: 1,
    });
    expect(told.length).toBeGreaterThan(0);
  });

  it("becomes two windows and one again, and is rejected by closing it", async () => {
    const { facts, told } = await folder.run(
      ...opened,
      "call Draw()",
      "Patchbay layout",
      "let g:facts.two = [winnr('$'), &diff, Names(), getwinvar(1, '&diff'), getbufline(winbufnr(1), 1, '$')]",
      "let g:facts.left = sign_getplaced(bufnr('%'), {'group': 'patchbay_unified'})[0].signs",
      "Patchbay layout",
      "let g:facts.one = [winnr('$'), &diff, Names()]",
      "call Draw()",
      "let g:left = patchbay#review#find('p1').left",
      "call patchbay#write#asked(patchbay#review#find('p1'))",
      "quit!",
      "call Later()",
      "let g:facts.ended = [tabpagenr('$'), bufexists(g:left), expand('%:t')]",
    );
    expect(facts).toEqual({
      two: [2, 1, ["now: a.txt", "Gemini CLI: a.txt"], 1, ["one", "two", "three", "four", "five"]],
      left: [],
      one: [1, 0, ["Gemini CLI: a.txt"]],
      ended: [1, 0, "a.txt"],
    });
    expect(told.map(([kind]) => kind)).toContain("rejected");
  });
});
