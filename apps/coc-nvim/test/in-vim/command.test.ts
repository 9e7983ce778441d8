import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())(":Patchbay in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
  });

  afterEach(() => folder.dispose());

  /** Commands of coc's own, which the scripts give. */
  const prelude = [
    "let g:given = []",
    "function! CocActionAsync(action, command, ...) abort",
    "  call add(g:given, [a:command] + a:000)",
    "endfunction",
    "command! CocOpenLog call add(g:given, ['CocOpenLog'])",
    "call patchbay#command#define()",
    "edit a.txt",
  ];

  it.each([
    ["Patchbay agents", ["patchbay.agents"]],
    ["Patchbay open claude", ["patchbay.openAgent", "claude"]],
    ["Patchbay open", ["patchbay.openAgent"]],
    ["Patchbay pause", ["patchbay.toggleSharing", "pause"]],
    ["Patchbay resume", ["patchbay.toggleSharing", "resume"]],
    ["Patchbay health", ["patchbay.health"]],
    ["Patchbay diagnose", ["patchbay.health"]],
    ["Patchbay send", ["patchbay.mention"]],
    ["2,3Patchbay send", ["patchbay.mention", 2, 3]],
    ["%Patchbay send", ["patchbay.mention", 1, 3]],
    ["Patchbay send problem", ["patchbay.sendProblem"]],
    ["Patchbay hook install gemini", ["patchbay.installHook", "gemini"]],
    ["Patchbay hook rem", ["patchbay.removeHook"]],
    ["Patchbay tmux", ["patchbay.linkTmux"]],
    ["Patchbay review", ["patchbay.reviews"]],
    ["Patchbay", ["patchbay.reviews"]],
    ["Patchbay log", ["CocOpenLog"]],
    ["Patchbay rest", ["patchbay.restart"]],
    ["Patchbay all accept", ["patchbay.all", "accept"]],
    ["Patchbay all rej /src/a b/", ["patchbay.all", "reject", "/src/a b/", "/src/a b/"]],
    ["Patchbay focus gemini", ["patchbay.openAgent", "gemini"]],
  ])("gives for :%s its command", async (line, given) => {
    const { facts } = await folder.run(...prelude, line, "let g:facts.given = g:given");
    expect(facts["given"]).toEqual([given]);
  });

  it.each([
    ["Patchbay nonsense", "There is no :Patchbay nonsense."],
    ["Patchbay re", "There is no :Patchbay re."],
    ["Patchbay hunk", "Say what to do with the hunk: accept, next, previous, reject, undo."],
    ["Patchbay hunk accept", "Put the cursor on a hunk of the proposal first."],
    ["Patchbay hunk undo", "No proposals are open."],
    ["1,2Patchbay next", ":Patchbay next takes no range."],
    ["Patchbay next door", ":Patchbay next takes nothing after it."],
    ["Patchbay send all", ":Patchbay send takes a range or the word problem."],
    ["Patchbay hook", "Say what to do with the hook"],
    ["Patchbay all src", "Say what to do with all: :Patchbay all accept"],
    ["Patchbay accept", "No proposals are open."],
    ["let g:is_ready = 0 | Patchbay agents", "coc is not running"],
  ])("says for :%s what is wrong and gives nothing", async (line, text) => {
    const { facts } = await folder.run(
      ...prelude,
      line.replace("| Patchbay", "| execute 'Patchbay") + (line.includes("| Patchbay") ? "'" : ""),
      "let g:facts.given = g:given",
      `let g:facts.said = Said('${text}')`,
    );
    expect(facts).toEqual({ given: [], said: 1 });
  });

  it("completes its words", async () => {
    const { facts } = await folder.run(
      ...prelude,
      "let g:facts.re = getcompletion('Patchbay re', 'cmdline')",
      "let g:facts.all = getcompletion('Patchbay ', 'cmdline') ==# patchbay#command#names().subs",
      "let g:facts.range = getcompletion('2,3Patchbay se', 'cmdline')",
      "let g:facts.agents = getcompletion('Patchbay open ', 'cmdline')",
      "let g:facts.hook = getcompletion('Patchbay hook i', 'cmdline')",
      "let g:facts.of = getcompletion('Patchbay hook install g', 'cmdline')",
      "let g:facts.none = getcompletion('Patchbay next ', 'cmdline')",
      "let g:facts.verdicts = getcompletion('Patchbay all ', 'cmdline')",
      "function! CocAction(...) abort",
      "  throw 'no coc'",
      "endfunction",
      "let g:facts.without = getcompletion('Patchbay all accept ', 'cmdline')",
      "function! CocAction(action, name) abort",
      "  return a:action . a:name ==# 'runCommandpatchbay.all' ? ['src/', 'src/lib/', 'test/'] : []",
      "endfunction",
      "let g:facts.folders = getcompletion('Patchbay all accept src/', 'cmdline')",
    );
    expect(facts).toEqual({
      re: ["reject", "restart", "resume", "review"],
      all: 1,
      range: ["send"],
      agents: ["claude", "gemini", "qwen"],
      hook: ["install"],
      of: ["gemini"],
      none: [],
      verdicts: ["accept", "reject"],
      folders: ["src/", "src/lib/"],
      without: [],
    });
  });

  it("has a map for each name, and for the lines that are selected", async () => {
    const { facts } = await folder.run(
      ...prelude,
      "let g:facts.missing = filter(patchbay#command#names().plugs, {_, name -> maparg('<Plug>(patchbay-' . name . ')', 'n') ==# ''})",
      "nmap <buffer> gA <Plug>(patchbay-agents)",
      "xmap <buffer> gS <Plug>(patchbay-send)",
      'call Type("gA")',
      'call Type("2GVjgS")',
      "let g:facts.given = g:given",
    );
    expect(facts).toEqual({ missing: [], given: [["patchbay.agents"], ["patchbay.mention", 2, 3]] });
  });

  it("hides and shows an agent's terminal, which goes on, and goes to it", async () => {
    const { facts } = await folder.run(
      ...prelude,
      "let number = patchbay#terminal#open('claude', ['/bin/sh', '-c', 'sleep 9'], 'botright new', getcwd(), {})",
      "let here = win_getid(1)",
      "Patchbay toggle",
      "let g:facts.hidden = [winnr('$'), bufname('%')]",
      "Patchbay toggle claude",
      "let g:facts.shown = [winnr('$'), bufnr('%') == number, len(filter(getbufinfo(), {_, info -> info.name ==# ''}))]",
      "call win_gotoid(here)",
      "Patchbay focus",
      "let g:facts.focus = bufnr('%') == number",
      "Patchbay toggle gemini",
      "let g:facts.given = g:given",
    );
    expect(facts).toEqual({
      hidden: [1, "a.txt"],
      shown: [2, true, 0].map(Number),
      focus: 1,
      given: [["patchbay.openAgent", "gemini"]],
    });
  });

  it("calls an agent's terminal that has ended gone, and opens another", async () => {
    const { facts } = await folder.run(
      ...prelude,
      "let number = patchbay#terminal#open('claude', ['/bin/sh', '-c', 'true'], 'botright new', getcwd(), {})",
      "let tries = 0",
      "while tries < 200 && (has('nvim') ? jobwait([getbufvar(number, 'terminal_job_id')], 0)[0] == -1 : term_getstatus(number) =~# 'running')",
      "let tries += 1",
      "sleep 10m",
      "endwhile",
      "wincmd t",
      "Patchbay focus claude",
      "let g:facts.given = g:given",
    );
    expect(facts).toEqual({ given: [["patchbay.openAgent", "claude"]] });
  });

  it("has a file type for buffers of our own, and the colours of the file in a review", async () => {
    const { facts } = await folder.run(
      "filetype plugin on | syntax on",
      ...prelude,
      "let g:types = []",
      "autocmd FileType patchbay call add(g:types, expand('<afile>:t'))",
      "call patchbay#page('Patchbay: health', ['OK  one'])",
      "let g:facts.page = [&filetype, !empty(synIDattr(synID(1, 1, 1), 'name'))]",
      'call Type("q")',
      "setlocal filetype=css",
      "call Propose('p1', expand('%:p'), ['ONE'])",
      "call Review('p1')",
      "let g:facts.review = [&filetype, &syntax, getbufvar(patchbay#review#find('p1').left, '&filetype')]",
      "let g:facts.types = g:types",
    );
    expect(facts).toEqual({
      page: ["patchbay", 1],
      review: ["patchbay", "css", "patchbay"],
      types: ["[Patchbay: health]", "Gemini CLI: a.txt"],
    });
  });
});
