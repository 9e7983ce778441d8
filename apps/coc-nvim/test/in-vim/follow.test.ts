import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("a review whose file changes, in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\nfour\n");
  });

  afterEach(() => folder.dispose());

  const opened = [
    "edit a.txt",
    "call Propose('p1', expand('%:p'), ['one', 'TWO', 'three', 'four'])",
    "call Review('p1')",
    "let g:review = patchbay#review#find('p1')",
    "function! Sides() abort",
    "  return [getbufline(g:review.left, 1, '$'), getbufline(g:review.right, 1, '$')]",
    "endfunction",
  ];
  /** Another program has put a line in front and changed the last one. */
  const edits = (from: string): string =>
    `{'edits': [[1, 0, 1], [4, 1, 1]], 'lines': ['zero', 'FOUR'], 'format': 'unix', 'newline': 1}${from}`;
  const follow = `Update('p1', [], [], {'left': ${edits("")}, 'right': ${edits("")}, 'proposal': {'lines': ['zero', 'one', 'TWO', 'three', 'FOUR'], 'format': 'unix', 'newline': 1}})`;
  const conflict =
    "Update('p1', ['one', '2', 'three', 'four'], ['one', '<<<<<<< current file', '2', '=======', 'TWO', '>>>>>>> proposed change', 'three', 'four'], {'standing': 'conflict'})";

  it("follows on both sides; the cursor stays in its line, undo takes it back at once, and nothing counts as typed", async () => {
    const { told, facts } = await folder.run(
      ...opened,
      "call cursor(3, 2)",
      `let g:facts.answer = ${follow}`,
      "let g:facts.sides = Sides()",
      "let g:facts.cursor = [line('.'), col('.'), getline('.')]",
      "let g:facts.modified = [&modified, getbufvar(g:review.left, '&modified'), getbufvar(g:review.left, '&modifiable')]",
      "doautocmd TextChanged",
      "let g:facts.line = patchbay#hints#line('p1', 1) =~# 'merged with changes to the file'",
      "let g:facts.told = len(g:told)",
      "silent undo",
      "let g:facts.undone = getline(1, '$')",
      'call Type(":e!\\<CR>")',
      "let g:facts.anew = getline(1, '$')",
      'call Type(":w\\<CR>")',
    );
    expect(facts).toEqual({
      answer: "applied",
      sides: [
        ["zero", "one", "two", "three", "FOUR"],
        ["zero", "one", "TWO", "three", "FOUR"],
      ],
      cursor: [4, 2, "three"],
      modified: [0, 0, 0],
      line: 1,
      told: 0,
      undone: ["one", "TWO", "three", "four"],
      anew: ["zero", "one", "TWO", "three", "FOUR"],
    });
    expect(told.at(-1)).toMatchObject(["accepted", "p1", { lines: ["zero", "one", "TWO", "three", "FOUR"] }]);
  });

  it("follows beneath what is typed, in Insert mode too", async () => {
    const { facts } = await folder.run(
      ...opened,
      "function! Meanwhile(timer) abort",
      "  if mode() !=# 'i' || getline(3) !=# 'three and '",
      "    call timer_start(1, 'Meanwhile')",
      "    return",
      "  endif",
      `  let g:facts.answer = ${follow}`,
      '  call feedkeys("more\\<Esc>", "t")',
      "endfunction",
      "call timer_start(1, 'Meanwhile')",
      'call feedkeys("3GA and ", "t")',
      'let g:until = \'mode() ==# "n" && getline(1, "$") ==# ["zero", "one", "TWO", "three and more", "FOUR"]\'',
    );
    expect(facts).toMatchObject({ answer: "applied", until: 1 });
  });

  it("is left alone where the right side has changed since it was read", async () => {
    const { facts } = await folder.run(
      ...opened,
      "let tick = patchbay#sides#text('p1').tick",
      'call Type("Gomine\\<Esc>")',
      "let g:facts.answer = Update('p1', ['x'], ['x'], {'tick': tick})",
      "let g:facts.sides = Sides()",
    );
    expect(facts).toEqual({
      answer: "stale",
      sides: [
        ["one", "two", "three", "four"],
        ["one", "TWO", "three", "four", "mine"],
      ],
    });
  });

  it.each([":w", ":wq", "ZZ", ":x", "\\\\pa"])(
    "with a conflict is not accepted by %s before it is resolved",
    async (keys) => {
      const typed = `call Type("${keys}${keys.startsWith(":") ? "\\<CR>" : ""}")`;
      const { told, facts } = await folder.run(
        ...opened,
        `call ${conflict}`,
        "call cursor(1, 1)",
        "let g:facts.hints = [patchbay#hints#text(g:review), patchbay#hints#line('p1', 1)]",
        `try | ${typed} | catch /E37:/ | endtry | call Later()`,
        "let g:facts.said = Said('Not accepted: a.txt has changed in the same lines')",
        "let g:facts.there = getline('.')",
        "let g:facts.told = len(g:told)",
        'call Type(":g/^[<=>]\\\\{7}/d\\<CR>:g/^2$/d\\<CR>")',
        typed,
      );
      expect(facts).toMatchObject({ said: 1, there: "<<<<<<< current file", told: 0 });
      expect(JSON.stringify(facts["hints"])).toMatch(/keep what is right.*\[conflict\]/u);
      expect(told.at(-1)).toMatchObject(["accepted", "p1", { lines: ["one", "TWO", "three", "four"] }]);
    },
  );

  it("goes on after an accept that was not possible, and is gone where its window went with that", async () => {
    const { told, facts } = await folder.run(
      ...opened,
      'call Type(":w\\<CR>")',
      "let g:facts.went = patchbay#review#open_ids()",
      `let g:facts.answer = ${conflict}`,
      "let g:facts.open = patchbay#review#open_ids()",
      "call patchbay#review#standing('p1', 'merged')",
      'call Type(":wq\\<CR>")',
      `let g:facts.gone = ${conflict}`,
    );
    expect(facts).toEqual({ went: [], answer: "applied", open: ["p1"], gone: "gone" });
    expect(told.map(([kind]) => kind)).toEqual(["accepted", "accepted"]);
  });

  it("is adopted after a restart of coc with the file as it is now", async () => {
    const { facts } = await folder.run(
      ...opened,
      'call Type("Gomine\\<Esc>")',
      "call writefile(['1', '2'], 'a.txt')",
      "let g:facts.answer = Propose('p1', getcwd() . '/a.txt', ['x'], {'standing': 'merged', 'unsaved': 1}).state",
      "let g:facts.sides = Sides()",
      "let g:facts.line = patchbay#hints#line('p1', 0)",
    );
    expect(facts).toEqual({
      answer: "adopted",
      sides: [
        ["1", "2"],
        ["one", "TWO", "three", "four", "mine"],
      ],
      line: " %<a.txt now [with your unsaved text]",
    });
  });

  /** A buffer with unsaved text, and the file with that and the agent's change in it. */
  const written = [
    "edit a.txt",
    "call setline(1, 'ONE')",
    "let g:number = bufnr('%')",
    "let g:held = patchbay#disk#held(g:number)",
    "call patchbay#disk#expect(expand('%:p'))",
    "call writefile(['ONE', 'two', 'three', 'FOUR'], 'a.txt')",
  ];
  const taken = [
    "let g:facts.done = patchbay#disk#take(g:number, g:held.tick)",
    "let g:facts.text = getbufline(g:number, 1, '$')",
    "let g:facts.modified = getbufvar(g:number, '&modified')",
  ];

  it.each([
    ["in a window", []],
    ["of which Vim had noticed the change before", ["silent! checktime"]],
    ["in no window", ["set hidden", "enew"]],
  ])("is taken over with the unsaved text in it by a buffer %s", async (_where, lines) => {
    const { told, facts } = await folder.run(...written, ...lines, ...taken);
    expect(facts).toEqual({ done: 1, text: ["ONE", "two", "three", "FOUR"], modified: 0 });
    expect(told).toEqual([]);
  });

  it("is not taken over by a buffer with more unsaved text by then", async () => {
    const { facts } = await folder.run(...written, "call setline(2, 'more')", ...taken);
    expect(facts).toEqual({ done: 2, text: ["ONE", "more", "three", "four"], modified: 1 });
  });

  it("takes a text of the user's as one step and saves it, but not what was unsaved before", async () => {
    const change = "{'edits': [[1, 1, 2], [4, 1, 0]], 'lines': ['1', '2'], 'newline': 1}";
    const { facts } = await folder.run(
      "edit a.txt",
      "let n = bufnr('%')",
      `let g:facts.stale = patchbay#disk#put(n, b:changedtick - 1, ${change})`,
      `let g:facts.done = patchbay#disk#put(n, b:changedtick, ${change})`,
      "let g:facts.saved = [readfile('a.txt'), &modified]",
      "silent undo",
      "let g:facts.undone = getline(1, '$')",
      `let g:facts.again = patchbay#disk#put(n, b:changedtick, ${change})`,
      "let g:facts.unsaved = [readfile('a.txt'), &modified]",
    );
    expect(facts).toEqual({
      stale: 0,
      done: 1,
      saved: [["1", "2", "two", "three"], 0],
      undone: ["one", "two", "three", "four"],
      again: 1,
      unsaved: [["1", "2", "two", "three"], 1],
    });
  });

  it("says what a buffer would write, and the encodings it may have", async () => {
    const { facts } = await folder.run(
      "set fileencodings=ucs-bom,utf-8,cp1252",
      "edit a.txt",
      "setlocal noendofline nofixendofline",
      "let g:facts.held = patchbay#disk#held(bufnr('%'))",
      "let g:facts.nothing = patchbay#disk#held(999)",
      "setlocal fixendofline fileencoding=latin1",
      "let g:facts.fixed = patchbay#disk#held(bufnr('%')).newline",
      "let g:facts.encodings = patchbay#disk#encodings(expand('%:p'))",
    );
    expect(facts).toMatchObject({
      held: { lines: ["one", "two", "three", "four"], format: "unix", newline: 0 },
      nothing: {},
      fixed: 1,
      encodings: ["latin1", "ucs-bom", "cp1252"],
    });
  });
});
