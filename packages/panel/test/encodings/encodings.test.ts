import type { ConversationSnapshot, Entry, Question } from "@patchbay/conversations/model";
import type { MemoryDiffView } from "@patchbay/testkit";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPanelLab, until } from "../host/panel-lab.ts";
import { type Act, programs, type WritingProgram } from "./programs.ts";

type Family = WritingProgram["family"];

interface Row {
  readonly name: string;
  readonly file?: string;
  /** Where the program takes it for another one. */
  readonly opened?: string;
  /** Undefined: there is none. */
  readonly before: string | undefined;
  readonly act: Act;
  /** What is on disk afterwards, as the program writes it alone; a program that is not named has no such tool, or refuses. */
  readonly after: string | Readonly<Partial<Record<Family, string>>>;
}

/** So that there are two hunks. */
const lines = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const joined = (end: string): string => lines.map((line) => line + end).join("");
const changed = (text: string): string => text.replace("two", "2").replace("nine", "NINE");

const edit = (from = "two", to = "2"): Act => ({ tool: "edit", edits: [[from, to]] });
const write = (content: string): Act => ({ tool: "write", content });
/** All but the one that knows line feeds alone. */
const all = (text: string): Readonly<Record<Family, string>> => ({
  claude: text,
  gemini: text,
  qwen: text,
  pi: text,
  own: text,
});
const mark = "\uFEFF";

const rows: readonly Row[] = [
  { name: "line feeds", before: "one\ntwo\nthree\n", act: edit(), after: "one\n2\nthree\n" },
  { name: "a byte order mark", before: `${mark}one\ntwo\n`, act: edit(), after: `${mark}one\n2\n` },
  { name: "a mark before what is changed", before: `${mark}two\nthree\n`, act: edit(), after: `${mark}2\nthree\n` },
  { name: "returns", before: "one\r\ntwo\r\nthree\r\n", act: edit(), after: "one\r\n2\r\nthree\r\n" },
  {
    name: "returns in several lines",
    before: "one\r\ntwo\r\nthree\r\nfour\r\n",
    act: edit("two\nthree", "2\n3"),
    after: "one\r\n2\r\n3\r\nfour\r\n",
  },
  {
    name: "a mark and returns",
    before: `${mark}one\r\ntwo\r\nthree\r\n`,
    act: edit(),
    after: `${mark}one\r\n2\r\nthree\r\n`,
  },
  {
    name: "mixed ends",
    before: "one\r\ntwo\nthree\n",
    act: edit(),
    after: {
      claude: "one\n2\nthree\n",
      gemini: "one\r\n2\r\nthree\r\n",
      qwen: "one\r\n2\r\nthree\r\n",
      pi: "one\r\n2\r\nthree\r\n",
      own: "one\r\n2\nthree\n",
    },
  },
  {
    name: "mixed ends, most with returns",
    before: "one\ntwo\r\nthree\r\n",
    act: edit(),
    after: {
      claude: "one\r\n2\r\nthree\r\n",
      gemini: "one\r\n2\r\nthree\r\n",
      qwen: "one\r\n2\r\nthree\r\n",
      pi: "one\n2\nthree\n",
      own: "one\n2\r\nthree\r\n",
    },
  },
  {
    name: "lone returns",
    before: "one\rtwo\rthree\r",
    act: edit(),
    after: { ...all("one\r2\rthree\r"), pi: "one\n2\nthree\n" },
  },
  { name: "no end of the last line", before: "one\ntwo", act: edit(), after: "one\n2" },
  { name: "returns and no end of the last line", before: "one\r\ntwo", act: edit(), after: "one\r\n2" },
  { name: "a separator in a line", before: "one\u2028x\ntwo\n", act: edit(), after: "one\u2028x\n2\n" },
  {
    name: "a separator in the new text",
    before: "one\ntwo\n",
    act: edit("two", "2\u2028\u2029"),
    after: "one\n2\u2028\u2029\n",
  },
  { name: "half a letter", before: "one\ntwo\n", act: edit("two", "2\uD83D"), after: "one\n2\uFFFD\n" },
  { name: "a decomposed letter", before: "u\u0308\ntwo\n", act: edit(), after: "u\u0308\n2\n" },
  {
    name: "a decomposed name",
    file: "u\u0308.txt",
    before: "one\ntwo\n",
    act: edit(),
    // Claude Code takes the composed name, under which there is nothing.
    after: { gemini: "one\n2\n", qwen: "one\n2\n", pi: "one\n2\n", own: "one\n2\n" },
  },
  {
    name: "a line that goes",
    before: "one\ntwo\nthree 2\n",
    act: edit("two", ""),
    after: { ...all("one\nthree 2\n"), gemini: "one\n\nthree 2\n", pi: "one\n\nthree 2\n", own: "one\n\nthree 2\n" },
  },
  { name: "an empty file", before: "", act: write("2\n"), after: "2\n" },
  { name: "a new file", before: undefined, act: write("one\n2\n"), after: "one\n2\n" },
  { name: "a new file with returns", before: undefined, act: write("one\r\n2\r\n"), after: "one\r\n2\r\n" },
  { name: "a new file with a mark", before: undefined, act: write(`${mark}one\n2\n`), after: `${mark}one\n2\n` },
  {
    name: "a whole text over returns",
    before: "one\r\ntwo\r\n",
    act: write("one\n2\n"),
    after: { ...all("one\n2\n"), gemini: "one\r\n2\r\n", qwen: "one\r\n2\r\n" },
  },
  {
    name: "a whole text over a mark",
    before: `${mark}one\ntwo\n`,
    act: write("one\n2\n"),
    // Gemini CLI alone would lose it: the editor keeps it.
    after: { ...all(`${mark}one\n2\n`), pi: "one\n2\n", own: "one\n2\n" },
  },
  {
    name: "a whole text over mixed ends",
    before: "one\r\ntwo\nthree\n",
    act: write("one\n2\nthree\n"),
    after: { ...all("one\n2\nthree\n"), gemini: "one\r\n2\r\nthree\r\n", qwen: "one\r\n2\r\nthree\r\n" },
  },
  {
    name: "several edits",
    before: `${mark}one\r\ntwo\r\nthree\r\nfour\r\n`,
    act: {
      tool: "edit",
      edits: [
        ["two", "2"],
        ["four", "4"],
      ],
    },
    after: {
      claude: `${mark}one\r\n2\r\nthree\r\n4\r\n`,
      pi: `${mark}one\r\n2\r\nthree\r\n4\r\n`,
      own: `${mark}one\r\n2\r\nthree\r\n4\r\n`,
    },
  },
];

const plain = (text: string): string => text.replace(/^\uFEFF/u, "").replaceAll(/\r\n|\r/gu, "\n");

const whole = (text: string): Act => write(changed(plain(text)));
const mixed = joined("\n").replace("\n", "\r\n");

const longRows: readonly Row[] = [
  { name: "line feeds", before: joined("\n"), act: whole(joined("\n")), after: changed(joined("\n")) },
  {
    name: "a mark",
    before: mark + joined("\n"),
    act: write(mark + changed(joined("\n"))),
    after: mark + changed(joined("\n")),
  },
  {
    name: "returns",
    before: joined("\r\n"),
    act: write(changed(joined("\r\n"))),
    after: changed(joined("\r\n")),
  },
  {
    name: "mixed ends",
    before: mixed,
    act: write(changed(mixed)),
    after: { ...all(changed(mixed)), gemini: changed(joined("\r\n")), qwen: changed(joined("\r\n")) },
  },
  { name: "lone returns", before: joined("\r"), act: write(changed(joined("\r"))), after: changed(joined("\r")) },
  {
    name: "no end of the last line",
    before: joined("\n").trimEnd(),
    act: whole(joined("\n").trimEnd()),
    after: changed(joined("\n").trimEnd()),
  },
];

/** A half letter becomes the sign for what is none on its way to the disk. */
const well = (text: string): string => text.replaceAll("\uD83D", "\uFFFD");

interface Found {
  /** Whether what was proposed is of the text that is there. */
  readonly standing: string;
  readonly left: string;
  readonly right: string;
  readonly disk: string;
  readonly notices: readonly string[];
  /** The text that the conversation itself shows. */
  readonly asked: string;
}

type Lab = ReturnType<typeof createPanelLab>;

/** What the user makes of what is proposed. */
type Decide = (view: MemoryDiffView, lab: Lab) => Promise<void> | void;

const afterOf = ({ after }: Row, { family }: WritingProgram): string | undefined =>
  typeof after === "string" ? after : after[family];

const pathOf = (folder: string, { file = "a.txt" }: Row, number: number): string => join(folder, String(number), file);

/** The program asks for each change, all at once; what is looked at, and what is on disk once the user has said yes. */
async function changes(
  program: WritingProgram,
  wanted: readonly Row[],
  decide: Decide,
): Promise<Readonly<Record<string, Found>>> {
  const lab = createPanelLab({
    connect: (request, platform) => {
      const number = Number(request.about.agent);
      const row = wanted[number];
      if (row === undefined) throw new Error("There is no such row.");
      return program.connect(request, platform, pathOf(platform.workspace, row, number), row.act);
    },
  });
  const found = await Promise.all(
    wanted.map(async (row, number) => [row.name, await changeOf(lab, row, number, decide)] as const),
  );
  return Object.fromEntries(found);
}

async function changeOf(lab: Lab, row: Row, number: number, decide: Decide): Promise<Found> {
  const named = pathOf(lab.platform.workspace, row, number);
  const path = row.opened === undefined ? named : join(dirname(named), row.opened);
  mkdirSync(dirname(named));
  if (row.before !== undefined) writeFileSync(named, row.before);
  const page = lab.page();
  page.say({ type: "ready" });
  await until(() => page.last("hello"));
  page.say({ type: "new-conversation", agent: String(number) });
  const { id } = await until(() => page.last("conversation")?.open);
  page.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Do it" }] });
  const conversation = (): ConversationSnapshot | undefined => page.link.conversation?.snapshot();
  const entries = (): readonly Entry[] => conversation()?.entries.map(({ entry }) => entry) ?? [];
  const isFragment = (): boolean =>
    entries().some((entry) => entry.kind === "question" && !hasWholeChange(entry.question));
  // A question about a part of a file has no review, and nothing to be compared.
  await expect.poll(() => isFragment() || lab.editor.openViews.some(({ request }) => request.path === path)).toBe(true);
  const view = lab.editor.openViews.find(({ request }) => request.path === path);
  if (view === undefined) return { standing: "not reviewed", left: "", right: "", disk: "", notices: [], asked: "" };
  const [asked = ""] = entries().flatMap((entry) =>
    entry.kind === "question" && entry.question.type === "permission" ? (entry.question.change?.after ?? []) : [],
  );
  const { originalText: left, text: right, standing } = view;
  await decide(view, lab);
  view.accept();
  await expect.poll(() => conversation()?.state.kind, { timeout: 20_000 }).toBe("idle");
  const notices = entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
  return { left, right, standing, notices, asked, disk: existsSync(path) ? readFileSync(path, "utf8") : "nothing" };
}

const hasWholeChange = (question: Question): boolean =>
  question.type === "permission" && question.change !== undefined && question.change.isFragment !== true;

const rowsOf = (program: WritingProgram, from: readonly Row[] = rows): readonly Row[] =>
  from.filter((row) => afterOf(row, program) !== undefined);

/** By the names of the rows. */
const expected = (
  program: WritingProgram,
  of: (row: Row, after: string) => Partial<Found>,
  from: readonly Row[] = rows,
): Readonly<Record<string, Partial<Found>>> =>
  Object.fromEntries(rowsOf(program, from).map((row) => [row.name, of(row, afterOf(row, program) ?? "")]));

describe.each(programs.map((program) => [program.name, program] as const))(
  "what the driver of %s takes for a file, and what its review reads, are one text",
  (_name, program) => {
    it("of which comes what the program writes", async () => {
      const found = await changes(program, rowsOf(program), () => undefined);
      // Who tells lines alone lets them end as it likes.
      const form = program.tellsEnds ? (text: string): string => text : plain;
      const seen = Object.entries(found).map(([name, { left, right, asked, ...others }]) => {
        return [name, { ...others, left: plain(left), right: well(plain(right)), asked: well(form(asked)) }] as const;
      });
      expect(Object.fromEntries(seen)).toEqual(
        expected(program, ({ before = "" }, after) => {
          const shown = { left: plain(before), right: plain(after), asked: form(after) };
          return { standing: "unchanged", notices: [], ...shown, disk: after };
        }),
      );
    });

    it.skipIf(program.family !== "claude")("also where the program takes another name than it is told", async () => {
      const row: Row = {
        name: "a decomposed name",
        file: "u\u0308.txt",
        before: "one\n",
        act: write("2\n"),
        after: "2\n",
        opened: "\u00FC.txt",
      };
      const found = await changes(program, [row], () => undefined);
      expect(found[row.name]).toMatchObject({
        standing: "unchanged",
        notices: [],
        left: "",
        right: "2\n",
        disk: "2\n",
      });
    });

    it.skipIf(!program.isEditable)("of which comes what the user makes of it", async () => {
      const found = await changes(program, rowsOf(program), (view) => view.type(view.text.replace("2", "2!")));
      const seen = Object.entries(found).map(([name, { standing, notices, disk }]) => {
        return [name, { standing, notices, disk }] as const;
      });
      expect(Object.fromEntries(seen)).toEqual(
        expected(program, (_row, after) => {
          return { standing: "unchanged", notices: [], disk: after.replace("2", "2!") };
        }),
      );
    });

    it.skipIf(!program.isEditable)("of which comes what is left where one hunk is rejected", async () => {
      const wanted = rowsOf(program, longRows);
      const found = await changes(program, wanted, async (view, { companion }) => {
        const line = plain(view.text).split("\n").indexOf("NINE");
        const { id } = view.request;
        expect(await companion.decideHunk(id, "reject", line)).toMatchObject({ kind: "decided" });
      });
      const seen = Object.entries(found).map(([name, { standing, notices, disk }]) => {
        return [name, { standing, notices, disk }] as const;
      });
      expect(Object.fromEntries(seen)).toEqual(
        expected(
          program,
          (_row, after) => ({ standing: "unchanged", notices: [], disk: after.replace("NINE", "nine") }),
          longRows,
        ),
      );
    });
  },
);
