import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startClaude } from "./claude-lab.ts";

const file = "/project/a.ts";
const problem = { line: 3, severity: "error", message: "Cannot find name 'x'.", source: "ts" } as const;

describe("the hooks of a session", () => {
  it("have unsaved changes saved before a file is read or written", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses("Read", { file_path: file }, { isAsked: false });
      await turn.uses("Bash", { command: "cat a.ts" }, { isAsked: false });
      await turn.uses("Write", { file_path: "b.ts", content: "" }, { isAsked: false });
    });
    await lab.pass(lab.say("look"));
    expect(lab.host.saved).toEqual([file, join("/project", "b.ts")]);
  });

  it("save nothing where the user does not want it", async () => {
    const lab = await startClaude({}, { autosave: false });
    lab.claude.play(async (turn) => void (await turn.uses("Read", { file_path: file }, { isAsked: false })));
    await lab.say("look");
    expect(lab.host.saved).toEqual([]);
  });

  it("tell the model of problems that are new behind its change, and of no others", async () => {
    const lab = await startClaude();
    lab.host.known.set(file, [problem, { ...problem, message: "old" }]);
    lab.claude.play(async (turn) => {
      await turn.uses("Write", { file_path: file, content: "" });
    });
    const prompted = lab.say("write");
    const { id } = await lab.question();
    lab.session.answer(id, { type: "choice", choiceId: "allow" });
    await lab.clock.advanceAsync(400);
    const moved = { ...problem, line: 9 };
    const hint = { ...problem, severity: "hint", message: "a hint" } as const;
    lab.host.known.set(file, [moved, { ...problem, line: 4 }, { ...problem, message: "new" }, hint]);
    await lab.pass(prompted);
    expect(lab.claude.process.contexts).toEqual([
      `<ide-diagnostics>New problems:\n${file}:4: error: Cannot find name 'x'. (ts)\n${file}:3: error: new (ts)</ide-diagnostics>`,
    ]);
  });

  it("are answered within two seconds, whatever the editor does, with what the user changed", async () => {
    const lab = await startClaude();
    lab.host.isStuck = true;
    lab.claude.play(async (turn) => {
      await turn.uses("Read", { file_path: file }, { isAsked: false });
      await turn.uses("Write", { file_path: file, content: "its\n" });
    });
    const prompted = lab.say("look");
    const { id } = await lab.pass(lab.question());
    expect(lab.clock.monotonic()).toBeLessThanOrEqual(4_000);
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "mine\n" });
    expect(await lab.pass(prompted)).toBe("done");
    expect(lab.clock.monotonic()).toBeLessThanOrEqual(6_000);
    expect(lab.claude.process.contexts).toEqual([expect.stringContaining("mine\n")]);
  });

  it("tell what the user changed also where the editor fails", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => void (await turn.uses("Write", { file_path: file, content: "" })));
    const prompted = lab.say("write");
    const { id } = await lab.question();
    lab.host.isBroken = true;
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "mine\n" });
    await lab.pass(prompted);
    expect(lab.claude.process.contexts).toEqual([expect.stringContaining("mine\n")]);
  });

  it("tell the beginning of a text that is very long", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => void (await turn.uses("Write", { file_path: file, content: "" })));
    const prompted = lab.say("write");
    const { id } = await lab.question();
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "long\n".repeat(100_000) });
    await lab.pass(prompted);
    const [context = ""] = lab.claude.process.contexts;
    expect(context).toContain("begins as follows; read it for the rest");
    expect(context.length).toBeLessThan(34_000);
  });
});
