import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.each(findVims())("the page of reviews in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\n");
  });

  afterEach(() => folder.dispose());

  const rows = [
    "let g:hint = {'text': 'Enter opens, a accepts', 'ids': []}",
    "let g:agent = {'text': 'Gemini CLI', 'ids': ['p1', 'p2']}",
    "let g:first = {'text': '  waiting    a.txt', 'ids': ['p1']}",
    "let g:second = {'text': '  held       b.txt', 'ids': ['p2']}",
    "edit a.txt",
    "let g:here = win_getid()",
    "call patchbay#inbox#show([g:hint, g:agent, g:first, g:second])",
  ];

  it("opens at the first proposal; its keys are about the proposals of a line", async () => {
    const { facts, told } = await folder.run(
      ...rows,
      "let g:facts.at = [bufname('%'), &filetype, &modifiable, getline('.')]",
      'call Type("a")',
      'call Type("jr")',
      'call Type("h")',
      'call Type("\\<CR>")',
      'call Type("2Ga")',
      'call Type("ggo")',
      "let g:facts.said = Said('This line is about no proposal.')",
      'call Type("f")',
      'call Type("q")',
      "let g:facts.back = win_getid() == g:here",
    );
    expect(facts).toEqual({
      at: ["[Patchbay: reviews]", "patchbay", 0, "  waiting    a.txt"],
      said: 1,
      back: 1,
    });
    expect(told).toEqual([
      ["accept", "p1"],
      ["reject", "p2"],
      ["hold", "p2"],
      ["open", "p2"],
      ["accept", "p1", "p2"],
      ["group"],
    ]);
  });

  it("follows what waits, with the cursor on its proposal, and tells when it is gone", async () => {
    const { facts } = await folder.run(
      ...rows,
      "normal! G",
      "call win_gotoid(g:here)",
      "let g:new = {'text': '  waiting    c.txt', 'ids': ['p3']}",
      "call patchbay#inbox#update([g:hint, g:agent, g:new, g:first, g:second])",
      "let g:facts.moved = line('.', bufwinid('\\[Patchbay: reviews]'))",
      "let g:facts.shown = patchbay#inbox#update([g:hint, g:second])",
      "let page = bufwinid('\\[Patchbay: reviews]')",
      "let g:facts.lines = [getbufline(winbufnr(page), 1, '$'), line('.', page), win_getid() == g:here]",
      "call patchbay#inbox#update([{'text': 'Nothing waits for you.', 'ids': []}])",
      "let g:facts.empty = [getbufline(winbufnr(page), 1, '$'), line('.', page)]",
      "call win_execute(page, 'close')",
      "let g:facts.gone = patchbay#inbox#update([g:hint])",
    );
    expect(facts).toEqual({
      moved: 5,
      shown: 1,
      lines: [["Enter opens, a accepts", "  held       b.txt"], 2, 1],
      empty: [["Nothing waits for you."], 1],
      gone: 0,
    });
  });
});
