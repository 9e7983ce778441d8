import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

/** Keys of a test as a text of Vim script; an Ex command gets its Enter. */
const keys = (text: string): string => `"${text}${text.startsWith(":") ? "\\<CR>" : ""}"`;

/** A command that Vim may refuse, as for a buffer with changes; after :qall it waits for Enter then. */
const refused = (command: string): string =>
  `call feedkeys("\\<CR>", 'nt') | try | ${command} | catch /E37:\\|E162:\\|E45:/ | endtry | call Later()`;
const tried = (text: string): string => refused(`call Type(${text})`);

describe.each(findVims())("a review that came by itself, in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
    folder.write("b.txt", "other\n");
  });

  afterEach(() => folder.dispose());

  const open = (options: string): readonly string[] => [
    "edit a.txt",
    `call Propose('p1', expand('%:p'), ['ONE', 'two', 'THREE'], ${options})`,
    "let g:review = patchbay#review#find('p1')",
  ];
  /** It took the cursor while keys were on their way to the file. */
  const moved = open("{'focus': 1}");
  /** As if the keys had rested since the last one. */
  const rested = "let g:review.held.since = [0, 0]";
  const state = [
    "let g:facts.open = patchbay#review#open_ids()",
    "let g:facts.edited = patchbay#write#is_edited(g:review) || getbufvar(g:review.right, '&modified')",
  ];

  it.each([":w", ":wq", ":x", ":up", ":silent write", ":W", "ZZ", "\\\\pa"])(
    "is not accepted by %s that was on its way to the file, and says so; after a rest it is",
    async (typed) => {
      const { told, facts } = await folder.run(
        "command! -bang W w<bang>",
        ...moved,
        `call Type(${keys(typed)})`,
        ...state,
        "let g:facts.told = len(g:told)",
        "let g:facts.said = Said('Not accepted: the proposal for a.txt has just opened')",
        "let g:facts.here = bufnr('%') == g:review.right",
        rested,
        `call Type(${keys(typed)})`,
      );
      expect(facts).toEqual({ open: ["p1"], edited: 0, told: 0, said: 1, here: 1 });
      expect(told).toMatchObject([["accepted", "p1", { lines: ["ONE", "two", "THREE"], format: "unix", newline: 1 }]]);
    },
  );

  it.each([":q", ":close", ":tabclose", ":bdelete", "ZQ", "\\\\pr", "\\<C-w>c"])(
    "is not rejected by %s that was on its way to the file, and says so",
    async (typed) => {
      const { told, facts } = await folder.run(
        ...moved,
        tried(keys(typed)),
        ...state,
        "let g:facts.said = Said('Not rejected: ')",
        "call Review('p1')",
        "let g:facts.names = Names()",
        "let g:facts.text = getline(1, '$')",
      );
      expect(told).toEqual([]);
      expect(facts).toEqual({
        open: ["p1"],
        edited: 0,
        said: 1,
        names: ["now: a.txt", "Gemini CLI: a.txt"],
        text: ["ONE", "two", "THREE"],
      });
    },
  );

  it.each([":q!", ":close", ":tabclose", ":bdelete!", "ZQ", "\\\\pr", "\\<C-w>c", "\\<C-w>q"])(
    "is rejected by %s once it has been open for a while, without a key before",
    async (typed) => {
      const { told, facts } = await folder.run(
        ...moved,
        rested,
        tried(keys(typed)),
        "let g:facts.open = patchbay#review#open_ids()",
        "let g:facts.said = Said('Not rejected: ')",
      );
      expect(told).toEqual([["rejected", "p1"]]);
      expect(facts).toEqual({ open: [], said: 0 });
    },
  );

  it.each([
    [":w", "accepted"],
    ["ZZ", "accepted"],
    ["\\\\pa", "accepted"],
    ["ZQ", "rejected"],
    [":q", "rejected"],
    ["\\\\pr", "rejected"],
  ])("is decided by %s in the midst of keys, three seconds after it came", async (typed, verdict) => {
    const { told } = await folder.run(
      ...moved,
      'call Type("j") | call Type("k")',
      "let g:review.held.came = [0, 0]",
      `call Type(${keys(typed)})`,
    );
    expect(told.map(([kind]) => kind)).toEqual([verdict]);
  });

  it("is not decided by keys that go on without a rest", async () => {
    const { told, facts } = await folder.run(
      ...moved,
      'call Type("j") | call Type("k") | call Type(":w\\<CR>")',
      rested,
      'call Type("j") | call Type("k") | call Type(":w\\<CR>")',
      "let g:facts.open = patchbay#review#open_ids()",
    );
    expect(told.map(([kind]) => kind)).toEqual(["accepted"]);
    expect(facts).toEqual({ open: [] });
  });

  it.each(["tabclose 2", "tabonly"])("is not rejected by :%s from another tab page", async (line) => {
    const { told, facts } = await folder.run(...open("{}"), line, "call Later()", ...state);
    expect(told).toEqual([]);
    expect(facts).toEqual({ open: ["p1"], edited: 0 });
  });

  it("is decided at once by who went there", async () => {
    const { told } = await folder.run(...open("{}"), 'call Type("gt")', 'call Type(":w\\<CR>")');
    expect(told.map(([kind]) => kind)).toEqual(["accepted"]);
  });

  it("is not decided by who was led there by the end of another window", async () => {
    const { told, facts } = await folder.run(
      ...open("{'layout': 'vertical'}"),
      'call Type(":q\\<CR>")',
      "let g:facts.there = get(b:, 'patchbay_review', '')",
      'call Type("\\\\pr")',
      ...state,
    );
    expect(told).toEqual([]);
    expect(facts).toEqual({ there: "p1", open: ["p1"], edited: 0 });
  });

  it("keeps :qa from ending it unseen, and says what waits", async () => {
    const { told, facts } = await folder.run(
      ...open("{}"),
      "call Propose('p2', getcwd() . '/b.txt', ['new'])",
      refused("qall"),
      "let g:facts.said = Said('Not closed: 2 proposals are waiting')",
      "let g:facts.here = expand('%:t')",
      tried(keys(":wqa")),
      "let g:facts.again = Said('Not closed: 2 proposals are waiting')",
      ...state,
    );
    expect(told).toEqual([]);
    expect(facts).toEqual({ said: 1, here: "a.txt", again: 2, open: ["p1", "p2"], edited: 0 });
  });
});
