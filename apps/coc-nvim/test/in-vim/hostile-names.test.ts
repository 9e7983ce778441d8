import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reviewNames, shortPath } from "../../src/diff/review-names.ts";
import { findVims, VimFolder } from "./in-vim.ts";

/** A text as an expression of Vim script. */
const quoted = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\u001b", "\\e").replaceAll("<", "\\<lt>")}"`;

/** Names of files that would do something where they are taken for more than a name; each would leave `g:owned`. */
const names: readonly string[] = [
  "%{execute('let g:owned = 1')}.txt",
  "%{%execute('let g:owned = 1')%}.txt",
  "%!execute('let g:owned = 1')",
  "%#Error#%@Owned@50%%.txt",
  "a\nlet g:owned = 1\nb.txt",
  "a|let g:owned = 1|b.txt",
  "a\u001b]0;owned\u0007.txt",
  "`touch owned`.txt",
  "+let g:owned = 1",
  "$HOME ~ * ? [x] {a,b} # % ! \" ' \\.txt",
  "<Cmd>let g:owned = 1<CR>.txt",
  " lead and trail ",
];

describe.each(findVims())("hostile names in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("b.txt", "other\n");
  });

  afterEach(() => folder.dispose());

  it.each(names)("are names and nothing else: %j", async (name) => {
    const path = folder.write(name, "one\n");
    const title = shortPath(path, [folder.path]);
    const buffers = reviewNames("p1", "Gemini CLI", path);
    const { facts, told } = await folder.run(
      "set title titlestring= laststatus=2 showtabline=2",
      `let path = ${quoted(path)}`,
      "edit b.txt",
      "let g:facts.shown = patchbay#show(path, 1, 1, 0)",
      "let g:facts.buffer = patchbay#track#number(path) > 0",
      "let g:facts.tracked = len(filter(patchbay#track#buffers(), 'v:val.path ==# path'))",
      `call Propose('p1', path, ['ONE'], {'title': ${quoted(title)}, 'leftName': ${quoted(buffers.left)}, 'rightName': ${quoted(buffers.right)}})`,
      "let g:facts.left = getbufline(patchbay#review#find('p1').left, 1, '$')",
      "call Review('p1')",
      "redraw! | redrawstatus!",
      "let g:facts.lines = [patchbay#hints#line('p1', 0), patchbay#hints#line('p1', 1), patchbay#hints#bar('p1', 1)]",
      'call Type(":wall\\<CR>:set modified\\<CR>:wall\\<CR>")',
      "redraw!",
      'call Type(":w\\<CR>")',
      "call patchbay#review#close('p1', 'accepted')",
      "let g:facts.done = patchbay#disk#reload(path)",
      `call patchbay#say('About ' . path, 'MoreMsg')`,
      "redraw!",
      "let g:facts.owned = get(g:, 'owned', 0) || filereadable('owned')",
    );
    expect(facts["owned"]).toBe(0);
    expect(facts).toMatchObject({ shown: 1, buffer: 1, tracked: 1, left: ["one"], done: 1 });
    expect(told.map(([kind]) => kind)).toEqual(["accepted"]);
    const lines = JSON.stringify(facts["lines"]);
    // Items of our own, and percent signs that stand for themselves.
    expect(lines.replaceAll("%%", "").replaceAll("%<", "").replaceAll("%=", "")).not.toContain("%");
    expect(lines).not.toContain("\\u00");
  });

  it("of agents do not speak to the terminal", async () => {
    const { facts } = await folder.run(
      'call patchbay#say("a\\e]0;owned\\x07b\\nc", "MoreMsg")',
      "let g:facts.messages = execute('messages')",
    );
    expect(facts["messages"]).toContain("a^[]0;owned^Gb^@c");
  });
});
