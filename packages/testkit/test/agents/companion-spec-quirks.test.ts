import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGeminiDriver, createQwenDriver } from "../../src/index.ts";
import { ScriptedLab } from "./scripted-lab.ts";

let lab: ScriptedLab;

beforeEach(() => {
  lab = new ScriptedLab();
});

afterEach(async () => {
  await lab.dispose();
});

describe("Gemini CLI", () => {
  it("counts verdicts for which nothing waits, and passes over them", async () => {
    const { notify } = await lab.listen();
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    const proposal = gemini.propose({ path, text: "proposed\n" });
    await proposal.asked;
    for (const content of ["first\n", "second\n"]) notify("ide/diffAccepted", { filePath: path, content });
    expect(await proposal.outcome).toMatchObject({ received: "first\n" });
    await gemini.until("the second", ({ unasked }) => unasked === 1);
    expect(readFileSync(path, "utf8")).toBe("first\n");
  });

  it("takes one malformed notification for the end", async () => {
    const { notify } = await lab.listen();
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const file = { path: "/a", timestamp: 1 };
    notify("ide/contextUpdate", { workspaceState: { openFiles: [file] } });
    await gemini.until("the context", ({ view }) => view?.openFiles[0] === "/a");
    notify("ide/contextUpdate", { workspaceState: { openFiles: [{ ...file, cursor: null }] } });
    await gemini.until("the end", ({ state, view }) => state === "disconnected" && view === undefined);
  });

  it("ignores unknown notifications and fields", async () => {
    const { notify } = await lab.listen();
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    notify("ide/somethingNew", { a: 1 });
    notify("ide/contextUpdate", { extra: 1, workspaceState: { openFiles: [], more: 2 } });
    expect((await gemini.until("the context", ({ contexts }) => contexts === 1)).state).toBe("connected");
  });

  it("believes the newest file only, and only if it says that it is active", async () => {
    const { notify } = await lab.listen();
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const openFiles = [
      { path: "/old", timestamp: 1, isActive: true, selectedText: "x", cursor: { line: 1, character: 1 } },
      { path: "/new", timestamp: 2 },
      ...Array.from({ length: 12 }, (_, index) => ({ path: `/older-${index}`, timestamp: 0 })),
    ];
    notify("ide/contextUpdate", { workspaceState: { openFiles } });
    const { view } = await gemini.until("the context", ({ contexts }) => contexts === 1);
    expect(view?.openFiles).toHaveLength(10);
    expect(view?.openFiles.slice(0, 2)).toEqual(["/new", "/old"]);
    expect(view?.active).toBeUndefined();
  });

  it("writes its own proposal when the accepted text is empty", async () => {
    const { notify } = await lab.listen();
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    const proposal = gemini.propose({ path, text: "proposed\n" });
    await proposal.asked;
    notify("ide/diffAccepted", { filePath: path, content: "" });
    expect(await proposal.outcome).toMatchObject({ received: "", written: "proposed\n", userModified: false });
    expect(readFileSync(path, "utf8")).toBe("proposed\n");
  });

  it("fails the edit when openDiff is an error, whatever the user says afterwards; Qwen Code asks in the terminal", async () => {
    await lab.listen({ answers: { openDiff: { error: "No window." }, closeDiff: { error: "No such diff." } } });
    const path = join(lab.where.cwd, "a.txt");
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const failed = gemini.propose({ path, text: "x" });
    expect(await failed.outcome).toEqual({ kind: "failed", message: "No window." });
    await gemini.end();
    const qwen = await lab.connect(createQwenDriver(lab.where));
    const asked = qwen.propose({ path, text: "x" });
    await asked.asked;
    expect(asked.refusal).toBe("No window.");
    expect(await asked.decideInTerminal("accept")).toMatchObject({ kind: "accepted", by: "terminal", written: "x" });
  });

  it("drops an answer of closeDiff that is not JSON", async () => {
    await lab.listen({ answers: { closeDiff: ["plain text"] } });
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const proposal = gemini.propose({ path: join(lab.where.cwd, "a.txt"), text: "proposed" });
    expect(await proposal.decideInTerminal("accept")).toMatchObject({ written: "proposed" });
  });

  it("takes what the view held when it is decided in the terminal", async () => {
    const { received } = await lab.listen({ answers: { closeDiff: ['{"content":"edited"}'] } });
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const path = join(lab.where.cwd, "a.txt");
    const outcome = await gemini.propose({ path, text: "proposed" }).decideInTerminal("accept");
    expect(outcome).toMatchObject({ written: "edited", userModified: true });
    expect(received.at(-1)?.params?.arguments).toEqual({ filePath: path, suppressNotification: true });
  });

  it("uses no diffs where one of the two tools is missing", async () => {
    const { received } = await lab.listen({ tools: ["openDiff"] });
    const gemini = await lab.connect(createGeminiDriver(lab.where));
    const proposal = gemini.propose({ path: join(lab.where.cwd, "a.txt"), text: "x" });
    await proposal.asked;
    expect(proposal.refusal).toContain("offers no diffs");
    expect(received.some(({ method }) => method === "tools/call")).toBe(false);
  });

  it("speaks in the order of the real client, with its name and revision", async () => {
    const { received } = await lab.listen();
    await lab.connect(createGeminiDriver(lab.where));
    expect(received.map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
    expect(received[0]?.params).toMatchObject({
      protocolVersion: "2025-06-18",
      clientInfo: { name: "streamable-http-client", version: "0.61.0" },
    });
  });
});
