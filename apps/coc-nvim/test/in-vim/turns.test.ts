import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("changes by agents in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\nTWO\nthree\nnew\nmore\nfour\nsix\n");
  });

  afterEach(() => folder.dispose());

  /** A changed line, two added ones, and one removed below the sixth. */
  const marked = [
    "edit a.txt",
    "let g:given = []",
    "function! CocActionAsync(action, command, ...) abort",
    "  call add(g:given, [a:command] + a:000)",
    "endfunction",
    "call patchbay#command#define()",
    "call patchbay#turns#mark(bufnr('%'), [[6, 6, 'delete'], [4, 5, 'add'], [2, 2, 'change']], 1)",
  ];
  const placed =
    "map(sign_getplaced(bufnr('%'), {'group': 'patchbay'})[0].signs, {_, one -> [one.lnum, one.name, one.priority]})";

  it("have signs of their own, below those of plugins for git, and are counted", async () => {
    const { facts } = await folder.run(
      "sign define PatchbayTurnAdd text=++",
      ...marked,
      `let g:facts.signs = ${placed}`,
      "let g:facts.own = trim(sign_getdefined('PatchbayTurnAdd')[0].text)",
      "let g:facts.count = b:patchbay_changes",
      "call patchbay#turns#mark(bufnr('%'), [[4, 5, 'add']], 0)",
      `let g:facts.off = ${placed}`,
    );
    expect(facts).toEqual({
      signs: [
        [2, "PatchbayTurnChange", 5],
        [4, "PatchbayTurnAdd", 5],
        [5, "PatchbayTurnAdd", 5],
        [6, "PatchbayTurnDelete", 5],
      ],
      own: "++",
      count: { added: 2, changed: 1, removed: 1 },
      off: [],
    });
  });

  it("are gone to, with a count and around the end of the buffer", async () => {
    const { facts } = await folder.run(
      ...marked,
      "nmap ]a <Plug>(patchbay-next-change)",
      "nmap [a <Plug>(patchbay-previous-change)",
      "let g:facts.way = []",
      "for keys in [']a', ']a', ']a', '[a', 'gg2]a']",
      "  call Type(keys) | call add(g:facts.way, line('.'))",
      "endfor",
      "set nowrapscan",
      'call Type("G]a") | call add(g:facts.way, line("."))',
      "let g:facts.said = Said('No next change by an agent in this buffer.')",
    );
    // Added and removed lines that follow each other are one place.
    expect(facts).toEqual({ way: [2, 4, 2, 4, 4, 7], said: 1 });
  });

  it("are kept and undone in the line of the cursor, or in a range, with a reason", async () => {
    const { facts } = await folder.run(
      ...marked,
      "call cursor(2, 1)",
      "Patchbay keep",
      "4,5Patchbay undo",
      "%Patchbay undo now not these",
      "xmap gu <Plug>(patchbay-undo)",
      'call Type("4GVjgu")',
      "Patchbay bringback",
      "3Patchbay peek",
      "enew | Patchbay undo",
      "let g:facts.said = Said('This window does not show a file.')",
      "let g:facts.given = map(g:given, {_, one -> [one[0]] + map(one[1:], 'type(v:val) == v:t_string ? fnamemodify(v:val, \":t\") : v:val')})",
    );
    expect(facts).toEqual({
      said: 1,
      given: [
        ["patchbay.keepChange", "a.txt", 2, 2],
        ["patchbay.undoChange", "a.txt", 4, 5, "", 0],
        ["patchbay.undoChange", "a.txt", 1, 7, "not these", 1],
        ["patchbay.undoChange", "a.txt", 4, 5, "", 0],
        ["patchbay.bringBack"],
        ["patchbay.showChange", "a.txt", 3, 3],
      ],
    });
  });

  it("are seen in a popup until the cursor moves, and carry nothing out", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call cursor(2, 1)",
      "function! Shown() abort",
      "  let windows = has('nvim') ? filter(nvim_list_wins(), {_, one -> nvim_win_get_config(one).relative !=# ''}) : popup_list()",
      "  return map(copy(windows), {_, one -> [getbufline(winbufnr(one), 1, '$'), getwinvar(one, '&modifiable') || getbufvar(winbufnr(one), '&syntax') ==# 'diff']})",
      "endfunction",
      "call patchbay#turns#peek(['Claude Code: Change it  1 of 1', '-two vim: set tw=7:', '+TWO'])",
      "let g:facts.shown = Shown()",
      "call patchbay#turns#peek(['another', '+line'])",
      "let g:facts.again = map(Shown(), 'v:val[0]')",
      "let g:facts.place = [line('.'), winnr('$'), &textwidth]",
      'call Type("j")',
      "doautocmd CursorMoved",
      "let g:facts.left = Shown()",
    );
    expect(facts).toEqual({
      shown: [[["Claude Code: Change it  1 of 1", "-two vim: set tw=7:", "+TWO"], 1]],
      again: [["another", "+line"]],
      place: [2, vim.name === "Vim" ? 1 : 2, 0],
      left: [],
    });
  });

  it("are seen beside the file as it was, where do takes one back by hand", async () => {
    const before = "{'lines': ['one', 'two', 'three', 'four', 'five', 'six']";
    const { facts } = await folder.run(
      "edit other.txt",
      `let g:request = extend(${before}, 'path': getcwd() . '/a.txt', 'name': 'patchbay://abc/before Claude Code: a.txt'}, {'isGone': 0, 'hasBefore': 1})`,
      "call patchbay#turns#open(g:request)",
      "let g:facts.names = Names()",
      "let g:facts.place = [tabpagenr('$'), line('.'), &filetype, getbufvar(winbufnr(1), '&filetype')]",
      'call Type("do")',
      "let g:facts.line = [getline(2), &modified]",
      "call Type('u')",
      "let g:facts.undone = getline(2)",
      "tabfirst",
      "call patchbay#turns#open(g:request)",
      "let g:facts.again = tabpagenr('$')",
      "call patchbay#turns#open(extend(g:request, {'name': 'patchbay://abc/before Claude Code: gone.txt', 'isGone': 1}))",
      "let g:facts.gone = [Names(), &modifiable, getline(1, '$')]",
    );
    expect(facts).toEqual({
      names: ["before Claude Code: a.txt", "a.txt"],
      place: [2, 2, "", "patchbay"],
      line: ["two", 1],
      undone: "TWO",
      again: 2,
      gone: [["before Claude Code: gone.txt"], 0, ["one", "two", "three", "four", "five", "six"]],
    });
  });
});
