import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
});
