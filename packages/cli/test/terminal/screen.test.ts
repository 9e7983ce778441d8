import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { Screen } from "../../src/terminal/screen.ts";

function create(): { screen: Screen; input: PassThrough; text: () => string; lines: string[]; ends: () => number } {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: string[] = [];
  let written = "";
  let ends = 0;
  output.on("data", (chunk) => {
    written += String(chunk);
  });
  const screen = new Screen(
    { input, output },
    {
      line: (line) => void lines.push(line),
      interrupt: () => {},
      end: () => {
        ends += 1;
      },
    },
  );
  screen.open();
  return { screen, input, lines, text: () => written, ends: () => ends };
}

describe("the screen", () => {
  it("prints, prompts and reads lines", async () => {
    const { screen, input, text, lines } = create();
    screen.print("hello");
    screen.ask("> ");
    input.write("one\ntwo\n");
    await vi.waitFor(() => expect(lines).toEqual(["one", "two"]));
    expect(text()).toBe("hello\n> ");
    screen.close();
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
    await vi.waitFor(() => expect(ends()).toBe(1));
    screen.ask("> ");
    screen.print("goodbye");
    expect(text()).toBe("goodbye\n");
  });
});
