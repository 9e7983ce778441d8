import { PassThrough } from "node:stream";
import { createFakeClock, type FakeClock, isMissing } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { createPaint } from "../../src/terminal/paint.ts";
import { Screen } from "../../src/terminal/screen.ts";

interface Stage {
  readonly screen: Screen;
  readonly input: PassThrough;
  readonly clock: FakeClock;
  readonly lines: string[];
  /** Everything that was written. */
  readonly text: () => string;
  readonly ends: () => number;
  readonly emptied: () => number;
  /** Raw modes that were set, and `stopped` where the job was. */
  readonly modes: (boolean | "stopped")[];
}

/** A screen on a pipe, or on a terminal of so many columns. */
function create(columns?: number): Stage {
  const modes: (boolean | "stopped")[] = [];
  const terminal = { isTTY: true, columns, rows: 24, setRawMode: (raw: boolean) => void modes.push(raw) };
  const input = Object.assign(new PassThrough(), columns === undefined ? {} : terminal);
  const output = Object.assign(new PassThrough(), columns === undefined ? {} : terminal);
  const clock = createFakeClock();
  const lines: string[] = [];
  let written = "";
  let ends = 0;
  let emptied = 0;
  output.on("data", (chunk) => {
    written += String(chunk);
  });
  const screen = new Screen({
    streams: { input, output },
    clock,
    suspend: () => void modes.push("stopped"),
    handlers: {
      line: (line) => void lines.push(line),
      complete: (text) => ["accept all src/", "accept all test/"].filter((one) => one.startsWith(text)),
      emptied: () => {
        emptied += 1;
      },
      interrupt: () => {},
      end: () => {
        ends += 1;
      },
    },
  });
  screen.open();
  return { screen, input, clock, lines, modes, text: () => written, ends: () => ends, emptied: () => emptied };
}

describe("the screen", () => {
  it("prints, prompts and reads lines", async () => {
    const { screen, input, text, lines } = create();
    screen.print("hello");
    screen.ask("> ");
    input.write("one\ntwo\n");
    await expect.poll(() => lines).toEqual(["one", "two"]);
    expect(text()).toBe("hello\n> ");
    screen.close();
    screen.close();
  });

  it("completes what is typed, by Tab", async () => {
    const { screen, input, lines, text } = create(80);
    screen.ask("> ", "a");
    // A key that comes with others is a text that was pasted.
    for (const key of ["accept all s", "\t", "\r"]) input.write(key);
    await expect.poll(() => lines).toEqual(["accept all src/"]);
    for (const key of ["acc", "\t", "te", "\t", "\r"]) input.write(key);
    await expect.poll(() => lines).toEqual(["accept all src/", "accept all test/"]);
    expect(text()).not.toContain("\t");
    screen.close();
  });

  it("holds lines back while another program has the terminal", async () => {
    const { screen, text, ends } = create();
    await screen.lend(async () => {
      screen.print("meanwhile");
      expect(text()).toBe("");
    });
    expect(text()).toBe("meanwhile\n");
    expect(ends()).toBe(0);
    screen.close();
    expect(ends()).toBe(0);
  });

  it("tells when the input ends", async () => {
    const { screen, input, ends, text } = create();
    input.end();
    await expect.poll(() => ends()).toBe(1);
    screen.ask("> ");
    screen.print("goodbye");
    expect(text()).toBe("goodbye\n");
  });

  it("lets nothing through that speaks to the terminal, but its own colours", () => {
    const { screen, text } = create();
    const paint = createPaint(true);
    screen.print(`\u001b[2J${paint.bad("bad")}`);
    screen.printLines("\u001b]0;title\u0007");
    screen.ask("\u009b31m> ");
    expect(text()).toBe(`\\e[2J${paint.bad("bad")}\n\\e]0;title\\x07\n\\x9b31m> `);
    screen.close();
  });
});

describe("the screen on a terminal", () => {
  it("takes a key without Enter where it is an answer, once no other follows it", async () => {
    const { screen, input, clock, lines } = create(80);
    screen.ask("? ", "ar");
    input.write("a");
    await expect.poll(() => screen.isTyping).toBe(true);
    clock.advance(200);
    expect(lines).toEqual([]);
    clock.advance(200);
    expect(lines).toEqual(["a"]);
    screen.close();
  });

  it("takes more keys for a command, however it begins, and other keys only with Enter", async () => {
    const { screen, input, clock, lines, text } = create(80);
    screen.ask("? ", "ar");
    input.write("re");
    await expect.poll(() => text()).toContain("e");
    clock.advance(10_000);
    input.write("view 2\r");
    await expect.poll(() => lines).toEqual(["review 2"]);
    input.write("x");
    await expect.poll(() => screen.isTyping).toBe(true);
    clock.advance(10_000);
    expect(lines).toEqual(["review 2"]);
    screen.close();
  });

  it("tells when what was typed was taken back", async () => {
    const { screen, input, emptied } = create(80);
    screen.ask("> ");
    input.write("op");
    await expect.poll(() => screen.isTyping).toBe(true);
    expect(emptied()).toBe(0);
    input.write("\u007f\u007f");
    await expect.poll(() => emptied()).toBe(1);
    screen.close();
  });

  it.skipIf(isMissing("stopped processes"))(
    "stops with its whole job at Ctrl+Z, and has the keyboard again when that goes on",
    async () => {
      const { screen, input, lines, modes } = create(80);
      screen.ask("> ");
      modes.length = 0;
      input.write("\u001a");
      await expect.poll(() => modes).toEqual([false, "stopped"]);
      screen.resume();
      expect(modes).toEqual([false, "stopped", false, true]);
      input.write("after\r");
      await expect.poll(() => lines).toEqual(["after"]);
      screen.close();
    },
  );

  it("breaks sentences between words, and leaves lines as they are", () => {
    const { screen, text } = create(20);
    screen.print("one two three four five");
    screen.printLines("a command that is to be copied");
    expect(text()).toContain("one two three four\nfive\n");
    expect(text()).toContain("a command that is to be copied\n");
    screen.close();
  });

  it("prints above a line that takes several rows, never over it", async () => {
    const { screen, input, text } = create(20);
    screen.ask("> ");
    input.write("x".repeat(50));
    await expect.poll(() => text().split("x").length).toBeGreaterThan(50);
    const before = text().length;
    screen.print("news");
    // Up to the prompt's first row once, and not again after the news.
    const [above = "", below = ""] = text().slice(before).split("news");
    expect(above).toContain("\u001b[2A");
    const upwards = below.slice(0, below.indexOf("> ")).matchAll(/\[(?<rows>\d+)A/gu);
    expect(Array.from(upwards)).toEqual([]);
    screen.close();
  });

  it("rings on a terminal only", () => {
    const terminal = create(80);
    terminal.screen.ring();
    expect(terminal.text()).toContain("\u0007");
    const pipe = create();
    pipe.screen.ring();
    expect(pipe.text()).toBe("");
    terminal.screen.close();
    pipe.screen.close();
  });
});
