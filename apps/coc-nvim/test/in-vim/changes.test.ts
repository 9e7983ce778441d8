import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BufferReader } from "../../src/diff/buffer-reader.ts";
import { asLines, asList, asShape } from "../../src/vim/shape.ts";
import { findVims, type Outcome, VimFolder } from "./in-vim.ts";

/** What lib holds after each question, beside what the buffer held then. */
async function readings({ facts }: Outcome): Promise<readonly (readonly [held: unknown, buffer: readonly string[]])[]> {
  let answers: readonly unknown[] = [];
  const reader = new BufferReader(() => {
    const [answer, ...others] = answers;
    answers = others;
    return Promise.resolve(answer);
  });
  const seen: (readonly [unknown, readonly string[]])[] = [];
  for (const step of asList(facts["steps"]).map(asShape)) {
    answers = asList(step["answers"]);
    seen.push([(await reader.read())?.buffer.lines, asLines(step["buffer"])]);
  }
  return seen;
}

/** Asks as lib does, until there is no more or as good as no end; what is given to it is done after the first answer. */
const ask = [
  "let g:known = 0",
  "let g:facts.steps = []",
  "function! Ask(...) abort",
  "  let answers = [patchbay#sides#changes('a', g:known)]",
  "  execute get(a:000, 0, '')",
  "  while answers[-1].more && len(answers) < 100",
  "    call add(answers, patchbay#sides#changes('a', answers[-1].answer))",
  "  endwhile",
  "  let g:known = answers[-1].answer",
  "  call add(g:facts.steps, {'answers': answers, 'buffer': getbufline(patchbay#review#find('a').right, 1, '$')})",
  "endfunction",
];

describe.for(findVims())("changes of a review in $name", (vim) => {
  let folder: VimFolder;

  beforeEach(() => {
    folder = new VimFolder(vim);
    folder.write("a.txt", "one\ntwo\nthree\n");
  });

  afterEach(() => folder.dispose());

  const run = (...lines: readonly string[]): Promise<Outcome> => folder.run("edit a.txt", ...ask, ...lines);

  it("are all that is told of a long text after the first time", async () => {
    const outcome = await run(
      "call Propose('a', expand('%:p'), map(range(50000), '\"line \" . v:val'))",
      "call Review('a')",
      "call Ask()",
      "call setline(40000, 'changed')",
      "call append(40001, ['one', 'two'])",
      "call Ask()",
      "call Ask()",
    );
    const steps = asList(outcome.facts["steps"]).map((step) => asList(asShape(step)["answers"]).map(asShape));
    expect(steps[0]?.length).toBeGreaterThan(5);
    expect(steps.slice(1)).toMatchObject([
      [{ first: 40_000, gone: 2, lines: ["changed", "line 40000", "one", "two"], more: 0 }],
      [{ gone: 0, lines: [], more: 0 }],
    ]);
    for (const [held, buffer] of await readings(outcome)) expect(held).toEqual(buffer);
  });

  it("are told in parts, with what is typed between two of them", async () => {
    const outcome = await run(
      "call Propose('a', expand('%:p'), map(range(9000), '\"line \" . v:val'))",
      "call Review('a')",
      "call Ask('2delete | 6000,6100delete | call append(10, [\"new\"])')",
      "%substitute/line/LINE/",
      "call Ask('5000,8800delete | call setline(1, \"first\")')",
    );
    for (const [held, buffer] of await readings(outcome)) expect(held).toEqual(buffer);
  });

  it("are all of it where the proposal is taken up anew", async () => {
    const outcome = await run(
      "call Propose('a', expand('%:p'), ['one', 'TWO', 'three'])",
      "call Review('a')",
      "call Ask()",
      "call setline(1, ['x', 'y'])",
      "call Ask()",
      "edit!",
      "call Ask()",
    );
    const seen = await readings(outcome);
    for (const [held, buffer] of seen) expect(held).toEqual(buffer);
    expect(seen.at(-1)?.[1]).toEqual(["one", "TWO", "three"]);
  });

  it.each(["w", "wq"])("are asked for after an accept of a long text by :%s", async (command) => {
    const outcome = await run(
      "call Propose('a', expand('%:p'), map(range(9000), '\"line \" . v:val'))",
      "call Review('a')",
      "call Ask()",
      `call Type("5000GAtyped\\<Esc>:${command}\\<CR>")`,
      "let g:facts.answer = patchbay#sides#changes('a', g:known)",
    );
    expect(outcome.told.filter(([kind]) => kind === "accepted")).toEqual([["accepted", "a", {}]]);
    expect(JSON.stringify(outcome.facts["answer"])).toContain("line 4999typed");
    expect(asLines(asShape(outcome.facts["answer"])["lines"])).toHaveLength(command === "w" ? 1 : 9_000);
  });

  it.each([
    ["emptied, restored and taken over", ["%delete", "undo", "redo", "diffget"]],
    ["taken up anew and emptied while it has one line", ["%join", "call Ask()", "normal! ggOtop", "edit!", "%delete"]],
  ])("add up to a text that is %s", async (_, lines) => {
    const outcome = await run(
      "call Propose('a', expand('%:p'), ['one', 'TWO', 'three', 'four', 'five'])",
      "call Review('a')",
      "call Ask()",
      ...lines,
      "call Ask()",
    );
    for (const [held, buffer] of await readings(outcome)) expect(held).toEqual(buffer);
  });

  it("add up to the text, whatever is done to it", async () => {
    const line = fc.integer({ min: 1, max: 12 });
    const edit = fc.oneof(
      fc.tuple(line, line).map(([first, last]) => `${Math.min(first, last)},${Math.max(first, last)}delete`),
      fc.tuple(line, fc.nat(9)).map(([at, text]) => `call append(${at}, ['new ${text}', 'below'])`),
      fc.tuple(line, fc.nat(9)).map(([at, text]) => `call setline(${at}, 'set ${text}')`),
      fc.tuple(line, line).map(([from, to]) => `${from}move ${to}`),
      fc.tuple(line, line).map(([from, to]) => `${from}copy ${to}`),
      fc.constantFrom("undo", "redo", "sort", "%join", "%delete", "global/e/delete", "%substitute/n/\\r/g"),
      fc.constantFrom("normal! yyp", "normal! dd", "normal! Goend", "normal! do", "normal! ggOtop", "normal! ddp"),
      fc.constantFrom("earlier 3", "later 2", "diffget", "1,$!sort", "1,2!cat", "read a.txt", "edit!"),
      fc.constantFrom(
        "%delete",
        "%substitute/.*//",
        "normal! ggcGtyped",
        "undo 0",
        "redo",
        "0read a.txt",
        "noautocmd edit!",
      ),
    );
    const steps = fc.array(
      fc.oneof({ weight: 3, arbitrary: edit }, { weight: 1, arbitrary: fc.constant("call Ask()") }),
      {
        minLength: 80,
        maxLength: 120,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (lines) => {
        const outcome = await run(
          "call Propose('a', expand('%:p'), ['one', 'TWO', 'three', 'four', 'five'])",
          "call Review('a')",
          ...lines.map((text) => (text.startsWith("call Ask") ? text : `silent! ${text}`)),
          "call Ask()",
        );
        for (const [held, buffer] of await readings(outcome)) expect(held).toEqual(buffer);
      }),
      // The edits of a failure are to be seen: looking for fewer ends before the test's own time does.
      { numRuns: 6, interruptAfterTimeLimit: 30_000 },
    );
  });
});
