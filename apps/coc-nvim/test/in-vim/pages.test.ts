import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("what is shown on request, in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\n");
    folder.write("b.txt", "two\n");
  });

  afterEach(() => folder.dispose());

  it("is a page that fits its text, is made anew in place, and gives the cursor back", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "vsplit b.txt",
      "split",
      "wincmd j",
      "let here = win_getid()",
      "call patchbay#page('Patchbay: health', ['OK  one', repeat('long ', 60)])",
      "let g:facts.height = winheight(0)",
      "call win_gotoid(here)",
      "call patchbay#page('Patchbay: health', ['OK  two'])",
      "let g:facts.page = [bufname('%'), getline(1, '$'), &modifiable, &wrap, winnr('$')]",
      'call Type("q")',
      "let g:facts.back = [win_getid() == here, winnr('$')]",
    );
    expect(facts).toEqual({
      height: 5,
      page: ["[Patchbay: health]", ["OK  two"], 0, 1, 4],
      back: [1, 3],
    });
  });

  it("speaks the language that it was told, and puts values where that has them", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "let g:facts.before = patchbay#text('{0} of {1}', 1, '{0}')",
      "call patchbay#speak({'{0} of {1}': '{1} hat {0}', 'PROBLEM': 'FEHLER'})",
      "call patchbay#speak({'Patchbay: reviews': 'Patchbay: Prüfungen', 'waiting': 'wartet'})",
      "let g:facts.after = [patchbay#text('{0} of {1}', 1, '{0} & \\1'), patchbay#text('other')]",
      "function! Group(line, column) abort",
      "return synIDattr(synID(a:line, a:column, 1), 'name')",
      "endfunction",
      "syntax on",
      "call patchbay#page('x', ['FEHLER  one', 'PROBLEM  two'])",
      "let g:facts.marks = [Group(1, 1), Group(2, 1)]",
      "call patchbay#inbox#show([{'text': 'Enter: öffnen/schließen.', 'ids': []}, {'text': '  wartet    a.txt', 'ids': ['1']}])",
      "let g:facts.inbox = [bufname('%'), Group(1, 1), Group(2, 4)]",
      "let g:facts.updated = patchbay#inbox#update([{'text': '  wartet    b.txt', 'ids': ['2']}])",
      "call patchbay#start()",
      "let g:facts.again = patchbay#text('waiting')",
    );
    expect(facts).toEqual({
      before: "1 of {0}",
      after: ["{0} & \\1 hat 1", "other"],
      marks: ["ErrorMsg", ""],
      inbox: ["[Patchbay: Prüfungen]", "Comment", "WarningMsg"],
      updated: 1,
      again: "waiting",
    });
  });

  it("explains what a line of the page names", async () => {
    const { told } = await folder.run(
      "edit a.txt",
      "function! CocActionAsync(...)",
      "call add(g:told, a:000)",
      "endfunction",
      "call patchbay#page('Patchbay: health', ['PROBLEM  one [never-asks]', 'OK  two [2]'])",
      'call Type("K")',
      'call Type("jK")',
    );
    expect(told).toEqual([["runCommand", "patchbay.explain", "never-asks"]]);
  });

  it("is what would change in an agent's settings, and gives the cursor back", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "let here = win_getid()",
      "call patchbay#hooks#show('/x/settings.json', ['{', '}'], ['{', '1', '}'])",
      "let g:facts.texts = [getline(1, '$'), getbufline(winbufnr(2), 1, '$'), &diff, &modifiable, tabpagenr('$')]",
      "call patchbay#hooks#hide()",
      "let g:facts.back = [win_getid() == here, tabpagenr('$'), &diff]",
    );
    expect(facts).toEqual({ texts: [["{", "}"], ["{", "1", "}"], 1, 0, 2], back: [1, 1, 0] });
  });

  it("is the terminal of an agent, by the process of its shell", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "let number = patchbay#terminal#open('claude', ['/bin/sh', '-c', 'sleep 9'], 'botright new', getcwd(), {})",
      "let pid = has('nvim') ? getbufvar(number, 'terminal_job_pid') : job_info(term_getjob(number)).process",
      'call feedkeys(has("nvim") ? "\\<C-\\>\\<C-n>" : "", "xt")',
      "wincmd t",
      "let g:facts.none = patchbay#hooks#terminal([1])",
      "let g:facts.found = [patchbay#hooks#terminal([1, pid]), bufnr('%') == number]",
    );
    expect(facts).toEqual({ none: 0, found: [1, 1] });
  });

  it("is what was pasted into the terminal of an agent, by the process of its shell", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "let number = patchbay#terminal#open('claude', ['/bin/sh', '-c', 'cat; :'], 'botright new', getcwd(), {})",
      "let pid = has('nvim') ? getbufvar(number, 'terminal_job_pid') : job_info(term_getjob(number)).process",
      "let g:facts.sent = [patchbay#hooks#paste([1], 'no'), patchbay#hooks#paste([1, pid], 'use three')]",
      "let tries = 0",
      "while tries < 200 && getbufline(number, 1)[0] !~# 'use three'",
      "let tries += 1",
      "sleep 20m",
      "endwhile",
      "let g:facts.shown = getbufline(number, 1)[0] =~# 'use three'",
    );
    expect(facts).toEqual({ sent: [0, 1], shown: 1 });
  });

  it("is a comparison of unsaved text with the file on the disk", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call setline(2, 'unsaved')",
      "call patchbay#compare()",
      "let g:facts.shown = [Names(), &diff, getbufline(winbufnr(winnr() == 1 ? 2 : 1), 1, '$')]",
      "tabclose",
      "call patchbay#compare()",
      "let g:facts.again = Names()",
      "tabclose | enew!",
      "call patchbay#compare()",
      "let g:facts.said = Said('This window does not show a file')",
    );
    expect(facts).toEqual({ shown: [["a.txt", "a.txt"], 1, ["one"]], again: ["a.txt", "a.txt"], said: 1 });
  });

  it("is a file at a line, without taking the cursor along", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call setline(1, 'unsaved')",
      "call patchbay#show(getcwd() . '/b.txt', 1, 2, 0)",
      "let g:facts.names = [Names(), expand('%')]",
      "call patchbay#show(getcwd() . '/b.txt', 1, 2, 1)",
      "let g:facts.there = [expand('%:t'), col('.')]",
    );
    expect(facts).toEqual({ names: [expect.arrayContaining(["a.txt", "b.txt"]), "a.txt"], there: ["b.txt", 2] });
  });

  it("is an agent in a terminal, in the window the user wants and with the variables", async () => {
    const { facts } = await folder.run(
      "edit a.txt",
      "call patchbay#terminal#open('gemini', ['sh', '-c', 'echo $TOLD > told.txt'], 'botright new', getcwd(), {'TOLD': 'yes'})",
      "let g:facts.there = [&buftype, winnr(), winnr('$'), patchbay#track#buffer(bufnr('%'))]",
      "let g:facts.name = bufname('%') =~# 'gemini\\|^term://'",
      "while !filereadable('told.txt') || empty(readfile('told.txt')) | sleep 5m | endwhile",
      "let g:facts.told = readfile('told.txt')",
    );
    expect(facts).toEqual({ there: ["terminal", 2, 2, {}], name: 1, told: ["yes"] });
  });
});
