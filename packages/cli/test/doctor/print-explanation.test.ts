import { describe, expect, it } from "vitest";
import { printExplanation } from "../../src/doctor/print-explanation.ts";
import { createPaint } from "../../src/terminal/paint.ts";
import { displayWidth } from "@patchbay/core";

async function explain(
  code: string,
  { json = false, columns, colours = false }: { json?: boolean; columns?: number; colours?: boolean } = {},
): Promise<{ readonly exit: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(...line.split("\n"));
  const exit = await printExplanation({ code, json, paint: createPaint(colours), columns, print });
  return { exit, lines };
}

describe("a finding explained in the terminal", () => {
  it("begins with its title and name, and has its commands on lines of their own", async () => {
    const { exit, lines } = await explain("waits-to-be-told");
    expect(exit).toBe(0);
    expect(lines.slice(0, 4)).toEqual([
      "It connects only on request [waits-to-be-told]",
      "",
      "The editor is found and answers, but in this terminal Claude Code does not connect by itself.",
      "",
    ]);
    expect(lines).toEqual(expect.arrayContaining(["Why", "What to do", "What is not harmed", "  claude --ide"]));
    expect(lines.join("\n")).not.toMatch(/```|\*\*|#/u);
  });

  it("fits the terminal, and breaks no command", async () => {
    const { lines } = await explain("waits-to-be-told", { columns: 40 });
    expect(lines.filter((line) => displayWidth(line) > 40)).toEqual([]);
    expect(lines.filter((line) => line.split("`").length % 2 === 0)).toEqual([]);
    const wide = await explain("undecided", { columns: 400 });
    expect(Math.max(...wide.lines.map(displayWidth))).toBeLessThanOrEqual(100);
  });

  it("has colours only where they are wanted", async () => {
    const [plain, painted] = await Promise.all([explain("no-editor"), explain("no-editor", { colours: true })]);
    const text = painted.lines.join("\n");
    expect(text).toContain("\u001b[36m`/ide enable`\u001b[0m");
    // oxlint-disable-next-line no-control-regex -- what Paint puts in
    expect(text.replaceAll(/\u001b\[\d+m/gu, "")).toBe(plain.lines.join("\n"));
  });

  it("is one value for programs", async () => {
    const { lines } = await explain("no-editor", { json: true });
    expect(JSON.parse(lines.join("\n"))).toMatchObject({ code: "no-editor", title: "No editor was found" });
  });

  it("that does not exist leads to those that do, with the code of a wrong command", async () => {
    const { exit, lines } = await explain("no-edit\u001b[2Jor");
    expect(exit).toBe(2);
    expect(lines[0]).toBe('No finding is called "no-edit\\e[2Jor". Those that there are:');
    expect(lines.slice(1).join(" ").split(/\s+/u)).toEqual(expect.arrayContaining(["no-editor", "asks"]));
    expect((await explain("x", { json: true })).lines.join("\n")).toContain('"no-editor"');
  });
});
