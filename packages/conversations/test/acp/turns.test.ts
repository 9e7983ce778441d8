import { afterEach, describe, expect, it } from "vitest";
import { cleanLabs, geminiLab, qwenLab } from "./session-lab.ts";

afterEach(cleanLabs);

describe("a turn of an agent that speaks ACP", () => {
  it("streams thoughts and messages into entries of their own", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(({ think, say }) => {
      think("Hm");
      think("m.");
      say("Hello ");
      say("**you**.");
    });
    expect(await lab.prompt("Say hello")).toBe("done");
    expect(lab.entries().map((entry) => ("text" in entry ? [entry.kind, entry.text] : entry.kind))).toEqual([
      ["thought", "Hmm."],
      ["message", "Hello **you**."],
    ]);
    expect(lab.entries().every((entry) => !("isComplete" in entry) || entry.isComplete)).toBe(true);
    const states = lab.updates.flatMap((update) => (update.type === "state" ? [update.state.kind] : []));
    expect(states).toEqual(["starting", "idle", "running", "idle"]);
  });

  it.each([geminiLab, qwenLab])("writes an edit that the user accepts, and tells what was changed", async (makeLab) => {
    const lab = makeLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\ntwo\n");
    await lab.session.start();
    lab.agent.play(async ({ edit, say }) => {
      await edit(path, "one\nTWO\n");
      say("Edited.");
    });
    const turn = lab.prompt("Edit");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      type: "permission",
      change: { path, before: "one\ntwo\n", after: "one\nTWO\n", isEditable: true },
    });
    expect(lab.tools().map(({ state }) => state)).toEqual(["waiting"]);
    expect(lab.updates.at(-1)).toMatchObject({ type: "state", state: { kind: "waiting" } });
    expect(lab.session.answer(id, { type: "choice", choiceId: "proceed_once" })).toBe(true);
    expect(await turn).toBe("done");
    expect(lab.host.files.get(path)).toBe("one\nTWO\n");
    expect(lab.tools()).toMatchObject([{ tool: "edit", state: "done", changes: [{ path, after: "one\nTWO\n" }] }]);
    const changed = lab.updates.filter((update) => update.type === "file-changed");
    expect(changed).toEqual([{ type: "file-changed", path, toolId: lab.tools()[0]?.id, isAsked: true }]);
    expect(lab.entries().find(({ kind }) => kind === "question")).toMatchObject({
      outcome: { type: "answered", summary: "Allow", isAllowed: true },
    });
  });

  it("writes what the user made of an edit, and sends it with the next prompt", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    lab.agent.play(async ({ edit }) => void (await edit(path, "two\n")));
    const turn = lab.prompt("Edit");
    const { id } = await lab.question();
    lab.session.answer(id, { type: "choice", choiceId: "proceed_once", text: "three\n" });
    await turn;
    expect(lab.host.files.get(path)).toBe("three\n");
    expect(lab.tools()).toMatchObject([{ state: "done", changes: [{ path, before: "one\n", after: "three\n" }] }]);
    let sent: readonly unknown[] = [];
    lab.agent.play(
      ({ prompt }) => void (sent = prompt),
      ({ prompt }) => void (sent = prompt),
    );
    await lab.prompt("Go on");
    expect(sent).toEqual([
      { type: "text", text: expect.stringContaining(path) },
      { type: "resource", resource: { uri: `file://${path}`, mimeType: "text/plain", text: "three\n" } },
      { type: "text", text: "Go on" },
    ]);
    await lab.prompt("And on");
    expect(sent).toEqual([{ type: "text", text: "And on" }]);
  });

  it("sends what the user made of an edit in the same turn to the agent that asks for it", async () => {
    const lab = qwenLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    let drained: unknown;
    lab.agent.play(async ({ agent, edit }) => {
      await edit(path, "two\n");
      drained = await agent.ask("craft/drainMidTurnQueue", { sessionId: lab.agent.sessionId });
    });
    const turn = lab.prompt("Edit");
    const { id } = await lab.question();
    lab.session.answer(id, { type: "choice", choiceId: "proceed_once", text: "three\n" });
    await turn;
    expect(drained).toMatchObject({
      items: [{ content: [{ type: "text" }, { type: "resource", resource: { text: "three\n" } }] }],
      hasQueuedPrompt: false,
    });
    let sent: readonly unknown[] = [];
    lab.agent.play(({ prompt }) => void (sent = prompt));
    await lab.prompt("Go on");
    expect(sent).toEqual([{ type: "text", text: "Go on" }]);
  });

  it.each([geminiLab, qwenLab])("shows a rejected edit as such, whatever the agent says of it", async (makeLab) => {
    const lab = makeLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    lab.agent.play(async ({ edit }) => void (await edit(path, "two\n")));
    const turn = lab.prompt("Edit");
    const { id } = await lab.question();
    lab.session.answer(id, { type: "reject" });
    expect(await turn).toBe("done");
    expect(lab.host.files.get(path)).toBe("one\n");
    expect(lab.tools().map(({ state }) => state)).toEqual(["rejected"]);
    expect(lab.updates.some((update) => update.type === "file-changed")).toBe(false);
  });

  it("shows the whole command of a shell, its answer, and its output", async () => {
    const lab = qwenLab();
    await lab.session.start();
    const command = `echo ${"x".repeat(5_000)}`;
    lab.agent.play(async ({ shell }) => void (await shell(command, "x\n")));
    const turn = lab.prompt("Run");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ type: "permission", command });
    lab.session.answer(id, { type: "choice", choiceId: "proceed_once" });
    await turn;
    expect(lab.tools()).toMatchObject([{ tool: "execute", command, state: "done", output: "x\n" }]);
  });

  it("stops a turn with an open question: nothing is written, and the session lives on", async () => {
    const lab = geminiLab();
    const path = lab.path("a.txt");
    lab.host.files.set(path, "one\n");
    await lab.session.start();
    const outcomes: unknown[] = [];
    lab.agent.play(async ({ edit }) => void outcomes.push(await edit(path, "two\n")));
    const turn = lab.prompt("Edit");
    await lab.question();
    await lab.session.interrupt();
    expect(await turn).toBe("stopped");
    expect(outcomes).toEqual(["cancelled"]);
    expect(lab.agent.saidBy("session/cancel")).toHaveLength(1);
    expect(lab.host.files.get(path)).toBe("one\n");
    expect(lab.tools().map(({ state }) => state)).toEqual(["cancelled"]);
    expect(lab.entries().find(({ kind }) => kind === "question")).toMatchObject({ outcome: { type: "withdrawn" } });
    expect(await lab.prompt("Go on")).toBe("done");
  });

  it("ends a turn that the agent does not end when it is stopped", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(() => new Promise(() => {}));
    const turn = lab.prompt("Hang");
    await lab.agent.until("session/prompt");
    const stopped = lab.session.interrupt();
    await lab.clock.advanceAsync(10_000);
    await stopped;
    expect(await turn).toBe("stopped");
  });
});
