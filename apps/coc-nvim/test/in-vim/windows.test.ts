import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("the windows of a review in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
    folder.write("b.txt", "other\n");
  });

  afterEach(() => folder.dispose());

  const propose = (more = "{}"): string =>
    `let g:facts.answer = Propose('p1', getcwd() . '/a.txt', ['ONE', 'two', 'THREE'], ${more}).state`;

  /** The proposal comes while Vim is in a mode and waits for more keys after the first; the others come after it. */
  const meanwhile = (mode: string, first: string, others: string): readonly string[] => [
    "function! Meanwhile(timer) abort",
    `  if mode(1) !~# '${mode}'`,
    "    call timer_start(1, 'Meanwhile')",
    "    return",
    "  endif",
    `  ${propose()}`,
    `  call feedkeys("${others}", 't')`,
    "endfunction",
    "call timer_start(1, 'Meanwhile')",
    `call feedkeys("${first}", 't')`,
    "let g:until = 'has_key(g:facts, \"answer\")'",
  ];

  it.each([
    [
      "vertical",
      [
        "col",
        [
          ["leaf", 1],
          ["row", 2],
        ],
      ],
    ],
    [
      "horizontal",
      [
        "row",
        [
          ["leaf", 1],
          ["col", 2],
        ],
      ],
    ],
  ])("stand in the current tab page with the layout %s", async (layout, shape) => {
    const { facts } = await folder.run(
      "edit b.txt",
      propose(`{'layout': '${layout}'}`),
      "let [kind, parts] = winlayout()",
      "let g:facts.shape = [kind, map(copy(parts), {_, part -> [part[0], part[0] ==# 'leaf' ? 1 : len(part[1])]})]",
      "let g:facts.here = expand('%')",
      "call Review('p1')",
      'call Type(":q\\<CR>")',
      "let g:facts.after = [Names(), tabpagenr('$')]",
    );
    expect(facts).toMatchObject({ answer: "opened", shape, here: "b.txt", after: [["b.txt"], 1] });
  });

  it("take a tab page of their own where others are in diff mode, and leave those alone", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      "vnew | call setline(1, 'their side') | diffthis | setlocal buftype=nofile",
      "wincmd p | diffthis",
      propose("{'layout': 'vertical'}"),
      "let g:facts.pages = tabpagenr('$')",
      "call Review('p1')",
      'call Type(":w\\<CR>")',
      "call patchbay#review#close('p1', 'accepted')",
      "let g:facts.left = map(range(1, winnr('$')), 'getwinvar(v:val, \"&diff\")')",
    );
    expect(facts).toMatchObject({ answer: "opened", pages: 2, left: [1, 1] });
  });

  it.each(["vertical", "horizontal"])(
    "take a tab page of their own where there is no room for the layout %s",
    async (layout) => {
      const { facts } = await folder.run(
        "set winminheight=1 winminwidth=1 lines=12 columns=20",
        "silent edit b.txt",
        "try | while 1 | split | endwhile | catch /E36/ | endtry",
        "try | while 1 | vsplit | endwhile | catch /E36/ | endtry",
        "let before = winnr('$')",
        propose(`{'layout': '${layout}'}`),
        "let g:facts.same = winnr('$') == before",
        "let g:facts.here = expand('%')",
        "call Review('p1')",
        "let g:facts.names = Names()",
      );
      expect(facts).toMatchObject({
        answer: "opened",
        same: 1,
        here: "b.txt",
        names: ["now: a.txt", "Gemini CLI: a.txt"],
      });
    },
  );

  it("stand in the order in which they came", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      "tabnew | tabfirst",
      "for id in ['p1', 'p2', 'p3'] | call Propose(id, getcwd() . '/a.txt', [id]) | endfor",
      "let g:facts.pages = map(range(1, tabpagenr('$')), 'gettabvar(v:val, \"patchbay_review\", \"\")')",
      "call patchbay#go#next()",
      "call patchbay#go#next()",
      "let g:facts.second = [getline(1), tabpagenr(), patchbay#hints#line('p2', 1) =~# ' 2/3']",
    );
    expect(facts).toEqual({ pages: ["", "p1", "p2", "p3", ""], second: ["p2", 3, 1] });
  });

  it("come without a word to plugins that listen for windows", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      "let g:facts.heard = []",
      "autocmd BufNew,BufEnter,BufLeave,WinEnter,WinLeave,TabEnter,TabLeave,TabNew,FileType,BufAdd * call add(g:facts.heard, expand('<amatch>'))",
      propose(),
    );
    expect(facts).toMatchObject({ heard: [] });
  });

  it.each(["v", "V", "\\<C-v>"])("let Visual mode (%s) go on", async (mode) => {
    const { facts } = await folder.run(
      "edit a.txt",
      "function! InVisual() abort",
      `  ${propose()}`,
      "  let g:facts.mode = mode()",
      "  let g:facts.ends = [getpos('v')[1:2], getpos('.')[1:2]]",
      "endfunction",
      `call feedkeys("gg0l${mode}jl\\<Cmd>call InVisual()\\<CR>", 'xt')`,
    );
    const shown = mode.startsWith("\\") ? "\u0016" : mode;
    expect(facts).toMatchObject({
      answer: "opened",
      mode: shown,
      ends: [
        [1, 2],
        [2, 3],
      ],
    });
  });

  it.each(["i", "o", "R", "cw", "cc", "C", "s", "Vc", "2cw", "\\<C-v>jc", "\\<C-v>jI", "c/two\\<CR>"])(
    "open in Insert mode that %s began, and typing goes on",
    async (begin) => {
      const { facts } = await folder.run(
        "edit b.txt",
        "call setline(1, ['one word', 'two words', 'three']) | call cursor(1, 1)",
        `call feedkeys("${begin}old new\\<Esc>", 'xt')`,
        "let g:wanted = getline(1, '$')",
        "undo | call cursor(1, 1)",
        ...meanwhile("^[iR]", `${begin}old `, "new\\<Esc>"),
        'let g:until .= \' && mode() ==# "n" && getline(1, "$") ==# g:wanted && expand("%") ==# "b.txt"\'',
      );
      expect(facts).toMatchObject({ answer: "opened", until: 1 });
    },
  );

  it.each(["d", "c", "g~", "y"])("wait while the operator %s waits for its motion", async (operator) => {
    const { facts } = await folder.run("edit a.txt", ...meanwhile("^no", operator, "w\\<Esc>"));
    expect(facts).toMatchObject({ answer: "busy" });
  });

  it("wait while a command line is open", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "function! InCommandLine() abort",
      `  ${propose()}`,
      "  return ''",
      "endfunction",
      'call feedkeys(":echo 1\\<C-r>=InCommandLine()\\<CR>\\<CR>", "xt")',
    );
    expect(facts).toMatchObject({ answer: "busy" });
  });

  describe.runIf(vim.name === "Vim")("while a terminal in a popup window has the focus", () => {
    const inPopup = (command: string): readonly string[] => [
      "call popup_create(term_start(['cat'], {'hidden': 1}), {'minwidth': 20, 'minheight': 5})",
      "let g:facts.inside = win_gettype()",
      command,
      "let job = term_getjob(bufnr('%'))",
      "call job_stop(job, 'kill')",
      "while job_status(job) ==# 'run' | sleep 5m | endwhile",
      "call popup_clear(1)",
    ];

    it("wait, and come when it has gone", async () => {
      const { facts } = await folder.run(
        "edit a.txt",
        ...inPopup(propose()),
        "let g:facts.during = g:facts.answer",
        "function! Again(timer) abort",
        `  ${propose()}`,
        "  if g:facts.answer ==# 'busy' | call timer_start(5, 'Again') | endif",
        "endfunction",
        "call timer_start(5, 'Again')",
        "let g:until = 'g:facts.answer ==# \"opened\"'",
      );
      expect(facts).toMatchObject({ inside: "popup", during: "busy", answer: "opened" });
    });

    it("wait until they can go", async () => {
      const { facts } = await folder.run(
        "edit a.txt",
        propose(),
        ...inPopup("let g:facts.closed = patchbay#review#close('p1', 'rejected')"),
        "let g:facts.pages = tabpagenr('$')",
      );
      expect(facts).toMatchObject({ inside: "popup", answer: "opened", closed: 0, pages: 2 });
    });
  });

  it("say what counts in as much room as there is", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      propose("{'title': 'some/rather/long/folder/50%/a.txt'}"),
      "call Review('p1')",
      "vertical resize 90",
      "let g:statusline_winid = win_getid()",
      "let g:facts.wide = patchbay#hints#line('p1', 1)",
      "vertical resize 40",
      "let g:facts.narrow = patchbay#hints#line('p1', 1)",
      "let g:facts.left = patchbay#hints#line('p1', 0)",
    );
    expect(facts).toMatchObject({
      wide: " Gemini CLI proposes %<some/rather/long/folder/50%%/a.txt%=:w accepts  :q rejects ",
      narrow: " Gemini CLI proposes %<some/rather/long/folder/50%%/a.txt",
      left: " %<some/rather/long/folder/50%%/a.txt now",
    });
  });

  it.runIf(vim.name === "Neovim")("say so in window bars, too, where one status line is for all", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      propose(),
      "call Review('p1')",
      "let Bar = {number -> nvim_eval_statusline(getwinvar(number, '&winbar'), {'winid': win_getid(number), 'use_winbar': v:true}).str}",
      "let g:facts.two = [trim(Bar(1)), trim(Bar(2))]",
      "set laststatus=3",
      "let g:facts.one = [trim(Bar(1)), trim(Bar(2))]",
    );
    const keys = ":w or \\pa accepts, :q or \\pr rejects, dp/do for a hunk";
    expect(facts).toMatchObject({ two: ["", keys], one: ["a.txt now", keys] });
  });

  it("have the user's keys, in them alone", async () => {
    const { facts } = await folder.run(
      "edit b.txt",
      "let mapleader = ' '",
      propose("{'keys': {'accept': 'ga', 'reject': '<leader>r', 'next': '', 'previous': ''}}"),
      "let g:facts.outside = maparg('ga', 'n')",
      "call Review('p1')",
      "let g:facts.inside = maparg('ga', 'n')",
      "let g:facts.hint = patchbay#hints#text(patchbay#review#find('p1'))",
      "wincmd h",
      "let g:facts.left = maparg('ga', 'n')",
    );
    const accept = "<Cmd>call patchbay#go#accept()<CR>";
    expect(facts).toMatchObject({
      outside: "",
      inside: accept,
      left: accept,
      hint: ":w or ga accepts, :q or <Space>r rejects, dp/do for a hunk",
    });
  });

  // Vim does so by itself.
  it.runIf(vim.name === "Neovim")("give the cursor back to the terminal it came from, to type there", async () => {
    const { facts } = await folder.run(
      "terminal cat",
      "let here = win_getid()",
      propose(),
      "call Review('p1')",
      "let review = patchbay#review#find('p1')",
      "let review.mode = 't'",
      "call patchbay#review#accept('p1')",
      "call patchbay#review#close('p1', 'accepted')",
      "let g:facts.back = win_getid() == here",
      "let g:until = 'mode() ==# \"t\"'",
    );
    expect(facts).toMatchObject({ back: 1, until: 1 });
  });
});
