import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { namesOfFiles } from "../../src/host/vim-editors.ts";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("where the user is, in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
  });

  afterEach(() => folder.dispose());

  const listening = [
    "edit a.txt",
    "call patchbay#start()",
    "let g:facts.told = []",
    "autocmd User PatchbayCursor call add(g:facts.told, patchbay#track#cursor()[1:6])",
  ];

  it("costs nothing of ours while nothing is selected", async () => {
    const { facts } = await folder.run(
      ...listening,
      'call Type("jlihello\\<Esc>k")',
      "doautocmd CursorMoved",
      "doautocmd CursorMovedI",
    );
    expect(facts).toEqual({ told: [] });
  });

  it("is told with what is selected, up to the end of the selection", async () => {
    const { facts } = await folder.run(
      ...listening,
      'call feedkeys("ggvj\\<Cmd>doautocmd CursorMoved\\<CR>\\<Esc>", "xt")',
    );
    expect(facts["told"]).toEqual([
      ["v", 1, 1, 1, 1, 1],
      ["v", 2, 1, 1, 1, 1],
      ["n", 2, 1, 1, 2, 1],
    ]);
  });

  it("is asked for by each start of coc, with no agent connected yet", async () => {
    const { facts } = await folder.run(
      "call patchbay#set_status('Claude Code')",
      "let g:facts.before = patchbay#status()",
      "call patchbay#start()",
      "let g:facts.after = patchbay#status()",
    );
    expect(facts).toEqual({ before: "Claude Code", after: "" });
  });

  it("is a file only where a buffer shows one", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "let g:facts.file = patchbay#track#buffer(bufnr('%')).path ==# expand('%:p')",
      "help",
      "let g:facts.help = patchbay#track#buffer(bufnr('%'))",
      "edit plugin://somewhere/x.txt",
      "let g:facts.address = patchbay#track#buffer(bufnr('%'))",
      "enew",
      "let g:facts.unnamed = patchbay#track#buffer(bufnr('%'))",
      "call Propose('p1', getcwd() . '/a.txt', ['ONE'])",
      "call Review('p1')",
      "let g:facts.review = patchbay#track#buffer(bufnr('%'))",
      "let g:facts.all = len(patchbay#track#buffers())",
    );
    expect(facts).toEqual({ file: 1, help: {}, address: {}, unnamed: {}, review: {}, all: 1 });
  });

  it("is followed to another name of a file, and nothing of ours runs where a terminal gets its name", async () => {
    const { facts } = await folder.run(
      "let g:facts.names = []",
      `autocmd BufFilePost ${namesOfFiles} call add(g:facts.names, expand('<afile>:t'))`,
      "edit a.txt",
      "file b.txt",
      "execute 'file' fnameescape(getcwd() . '/c.txt')",
      "file term://somewhere//7:bash",
      "file somewhere://e.txt",
    );
    expect(facts).toEqual({ names: ["b.txt", "c.txt"] });
  });

  it.each([
    ["3", [3, 3]],
    ["1,2", [1, 2]],
    ["%", [1, 3]],
    [".,$", [2, 3]],
    ["/three/", [3, 3]],
    ["'a,'b", [1, 3]],
    ["", []],
    ["silent! ", []],
    ["let g:facts.other = 1 | ", []],
  ])("is told with the lines before :CocCommand patchbay.mention, as in :%s", async (range, lines) => {
    const { facts } = await folder.run(
      ...listening,
      "command! -nargs=* -range CocCommand let g:facts.given = <q-args>",
      "mark a | 3mark b | call cursor(2, 2)",
      `call Type(":${range}CocCommand patchbay.mention\\<CR>")`,
      "let g:facts.lines = patchbay#track#range()",
      "let g:facts.again = patchbay#track#range()",
      "let g:facts.cursor = getcurpos()[1:2]",
    );
    expect(facts).toMatchObject({ given: "patchbay.mention", again: [], cursor: [2, 2] });
    expect(facts["lines"]).toEqual(lines);
  });
});
