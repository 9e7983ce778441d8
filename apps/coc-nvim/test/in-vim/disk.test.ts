import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("what an agent wrote, in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("b.txt", "other\n");
  });

  afterEach(() => folder.dispose());

  /** A review of the file in the current buffer is accepted, and the agent writes these bytes. */
  const accepted = (bytes: string, path = "expand('%:p')"): readonly string[] => [
    `let g:path = ${path}`,
    "call Propose('p1', g:path, ['new'])",
    "call patchbay#review#accept('p1')",
    "call patchbay#review#close('p1', 'accepted')",
    `call writefile(${bytes}, g:path, 'b')`,
    "let g:facts.done = patchbay#disk#reload(g:path)",
  ];

  it("is in the buffer without a prompt, and undo brings the old text back", async () => {
    folder.write("a.txt", "one\ntwo\n");
    const { facts } = await folder.run(
      "edit a.txt",
      ...accepted("['ONE', 'two', '']"),
      "let g:facts.text = getline(1, '$')",
      "silent undo",
      "let g:facts.undone = getline(1, '$')",
      "let g:facts.autoread = &autoread == &g:autoread",
    );
    expect(facts).toEqual({ done: 1, text: ["ONE", "two"], undone: ["one", "two"], autoread: 1 });
  });

  it("leaves unsaved text alone, and lib hears of it", async () => {
    folder.write("a.txt", "one\n");
    const { facts, told } = await folder.run(
      "edit a.txt",
      "call setline(2, 'unsaved')",
      ...accepted("['ONE', '']"),
      "let g:facts.text = getline(1, '$')",
      "let g:facts.modified = &modified",
    );
    expect(facts).toMatchObject({ text: ["one", "unsaved"], modified: 1 });
    expect(told).toContainEqual(["unsaved", join(folder.path, "a.txt")]);
  });

  it("is read in the encoding and with the line ends it has now", async () => {
    folder.write("a.txt", Buffer.from("caf\u00e9\r\ntwo\r\n", "latin1"));
    const { facts } = await folder.run(
      "set fileencodings=ucs-bom,utf-8,latin1",
      "edit a.txt",
      "let g:facts.before = [&fileencoding, &fileformat, getline(1)]",
      ...accepted("['caf\u00e9 au lait', 'two', '']"),
      "let g:facts.after = [&fileencoding, &fileformat, getline(1)]",
    );
    expect(facts).toMatchObject({
      before: ["latin1", "dos", "caf\u00e9"],
      after: ["utf-8", "unix", "caf\u00e9 au lait"],
    });
  });

  it.each([
    ["nothing special", []],
    ["set nohidden", ["set nohidden"]],
    ["set autowriteall nohidden", ["set autowriteall nohidden"]],
    ["set paste", ["set paste"]],
    ["set nofixendofline", ["set nofixendofline"]],
    ["set fileformats=dos,unix", ["set fileformats=dos,unix"]],
    ["set fileformat=dos for new buffers", ["setglobal fileformat=dos"]],
    ["set textwidth autoindent expandtab", ["set textwidth=3 autoindent expandtab formatoptions=tcqa"]],
    ["set noundofile backup writebackup", ["set backup writebackup backupdir=."]],
    ["set foldmethod=syntax foldlevel=0 virtualedit=all", ["set foldmethod=syntax foldlevel=0 virtualedit=all"]],
    ["set splitbelow splitright noequalalways", ["set splitbelow splitright noequalalways"]],
    ["set switchbuf=newtab,useopen", ["set switchbuf=newtab,useopen"]],
    ["set autochdir", ["set autochdir"]],
    ["set readonly nomodifiable in the file", ["edit a.txt", "setlocal readonly nomodifiable"]],
  ])("is what the right side said, with %s", async (_name, settings) => {
    folder.write("a.txt", "one\n\ttwo\nthree");
    const { told, facts } = await folder.run(
      ...settings,
      "edit a.txt",
      "let g:facts.answer = Propose('p1', expand('%:p'), ['one', \"\\t2 and more\", 'three'], {'proposal': {'lines': ['one', \"\\t2 and more\", 'three'], 'format': 'unix', 'newline': 0}}).state",
      "call Review('p1')",
      "let g:facts.left = getbufline(patchbay#review#find('p1').left, 1, '$')",
      'call Type(":w\\<CR>")',
      "let g:facts.closed = patchbay#review#close('p1', 'accepted')",
      "let g:facts.here = expand('%:t')",
      "let g:facts.windows = Names()",
    );
    expect(facts).toEqual({
      answer: "opened",
      left: ["one", "\ttwo", "three"],
      closed: 1,
      here: "a.txt",
      windows: ["a.txt"],
    });
    expect(told).toMatchObject([
      ["accepted", "p1", { lines: ["one", "\t2 and more", "three"], format: "unix", newline: 0 }],
    ]);
  });
});
