import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClaudeDriver, findClaudeCompanion } from "../../src/index.ts";
import { ScriptedLab } from "./scripted-lab.ts";

let lab: ScriptedLab;

beforeEach(() => {
  lab = new ScriptedLab();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await lab.dispose();
});

describe("Claude Code", () => {
  const context = (text: string): unknown => ({
    text,
    filePath: "/a",
    fileUrl: "file:///a",
    selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 }, isEmpty: text === "" },
  });

  it("loses what comes in the first 200 ms", async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const { notify } = await lab.listen({
      tools: ["openDiff"],
      onOpen: [{ method: "selection_changed", params: context("lost") }],
      answers: { openDiff: ["DIFF_REJECTED", "tab"] },
    });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    /** What was sent before is there once an answer is that was sent behind it. */
    const answered = async (): Promise<unknown> => await claude.propose({ path, text: "x" }).outcome;
    now += 199;
    notify("selection_changed", context("lost as well"));
    await answered();
    expect(claude.status.contexts).toBe(0);
    now += 1;
    notify("selection_changed", context("seen"));
    await answered();
    clock.mockRestore();
    expect(claude.status).toMatchObject({ contexts: 1, view: { selectedText: "seen" } });
  });

  it("is not cleared by a null selection, but by an empty path", async () => {
    const { notify } = await lab.listen({ tools: ["openDiff"] });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const selected = (): string | undefined => {
      notify("selection_changed", context("x"));
      return claude.status.view?.selectedText;
    };
    await expect.poll(selected).toBe("x");
    notify("selection_changed", { text: "", filePath: "", fileUrl: "", selection: null });
    notify("at_mentioned", { filePath: "/mark" });
    expect((await claude.until("what came last", ({ mentions }) => mentions.length > 0)).view?.selectedText).toBe("x");
    const nothing = { line: 0, character: 0 };
    notify("selection_changed", {
      text: "",
      filePath: "",
      fileUrl: "",
      selection: { start: nothing, end: nothing, isEmpty: true },
    });
    expect((await claude.until("the clearing", ({ view }) => view?.active === undefined)).view).toEqual({
      openFiles: [],
    });
  });

  it("takes a closed tab for an accept", async () => {
    await lab.listen({ tools: ["openDiff"], answers: { openDiff: ["TAB_CLOSED"] } });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    writeFileSync(path, "one\n");
    expect(await claude.propose({ path, text: "two\n" }).outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("closes all tabs before it asks, and its own twice after the verdict", async () => {
    const { received } = await lab.listen({ tools: ["openDiff"], answers: { openDiff: ["DIFF_REJECTED", "tab"] } });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    await claude.propose({ path, text: "x" }).outcome;
    const calls = (): readonly string[] =>
      received.flatMap(({ params }) => (params?.name === undefined ? [] : [params.name]));
    await expect.poll(() => calls()).toEqual(["closeAllDiffTabs", "openDiff", "close_tab", "close_tab"]);
  });

  it("keeps asking in the terminal when openDiff is an error or says nothing known", async () => {
    await lab.listen({ tools: ["openDiff"], answers: { openDiff: { error: "No window." } } });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const proposal = claude.propose({ path: join(lab.where.cwd, "a.txt"), text: "x\n" });
    await proposal.asked;
    expect(await proposal.decideInTerminal("accept")).toMatchObject({ by: "terminal", written: "x\n" });
  });

  it("drops one final newline of its Write tool, and keeps CRLF only in its Edit tool", async () => {
    await lab.listen({ tools: ["openDiff"], answers: { openDiff: ["FILE_SAVED", "new\ntext\n"] } });
    const claude = await lab.connect(createClaudeDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    const write = async (tool: "edit" | "write"): Promise<string> => {
      writeFileSync(path, "old\r\ntext\r\n");
      await claude.propose({ path, text: "new\ntext\n", tool }).outcome;
      return readFileSync(path, "utf8");
    };
    expect(await write("write")).toBe("new\ntext");
    expect(await write("edit")).toBe("new\r\ntext\r\n");
  });

  it("connects to the port in the environment, to the only match, and to none of two", async () => {
    const { record, port } = await lab.listen();
    const find = (environment: Record<string, string> = {}): number | undefined =>
      findClaudeCompanion({ ...lab.where, environment })?.port;
    record("claude", {});
    expect(find()).toBe(port);
    record("claude", {}, "1.lock");
    expect(find()).toBeUndefined();
    expect(find({ CLAUDE_CODE_SSE_PORT: "1" })).toBe(1);
    expect(find({ CLAUDE_CODE_SSE_PORT: "0.1e1" })).toBe(1);
    expect(find({ CLAUDE_CODE_SSE_PORT: "0x1" })).toBeUndefined();
    record("claude", { workspaceFolders: ["/elsewhere"] }, "1.lock");
    expect(find()).toBe(port);
    expect(find({ CLAUDE_CODE_SSE_PORT: "1" })).toBe(1);
    record("claude", { transport: "sse" });
    expect(find()).toBeUndefined();
  });

  it("does not follow links", async () => {
    const { record } = await lab.listen();
    record("claude", {});
    symlinkSync(lab.where.cwd, join(lab.root, "link"));
    expect(findClaudeCompanion({ ...lab.where, cwd: join(lab.root, "link") })).toBeUndefined();
  });

  it("gives up after its last attempt", async () => {
    await lab.listen({ tools: ["openDiff"] });
    const claude = await lab.connect(createClaudeDriver({ ...lab.where, reconnectDelaysMs: [0, 10] }));
    await lab.closeCompanion();
    const { problem } = await claude.until(
      "the end",
      ({ problem: why }) => why?.includes("could not connect") === true,
    );
    expect(problem).toContain("could not connect");
  });
});
