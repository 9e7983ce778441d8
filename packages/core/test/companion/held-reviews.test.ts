import { readFileSync, writeFileSync } from "node:fs";
import { createClaudeDriver, createGeminiDriver } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { createHookLab } from "../hooks/hook-lab.ts";
import { createWorkspaceLab } from "../workspace-lab.ts";

describe("held reviews of agents that are connected", () => {
  it.each([
    { name: "Gemini CLI", create: createGeminiDriver },
    { name: "Claude Code", create: createClaudeDriver },
  ])("$name goes on waiting, and gets what was typed before", async ({ create }) => {
    const { agent, build, file } = createWorkspaceLab();
    const { companion, editor } = build();
    await companion.start();
    const proposal = (await agent(create)).propose({ path: file, text: "one\n2\n" });
    const view = await editor.nextView();
    view.type("one\n2, or two\n");
    const id = companion.proposals[0]?.id ?? "";
    expect(await companion.hold(id)).toBe(true);
    expect(companion.proposals).toMatchObject([{ id, isHeld: true, edited: true, lines: { added: 1, removed: 1 } }]);
    await companion.reveal(id);
    const again = await editor.nextView((one) => one.isOpen);
    expect(again.text).toBe("one\n2, or two\n");
    again.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(file, "utf8")).toBe("one\n2, or two\n");
  });

  it("one of Claude Code dies with the connection; what was typed is kept", async () => {
    const { agent, build, file } = createWorkspaceLab();
    const { companion, editor } = build();
    await companion.start();
    const driver = await agent(createClaudeDriver);
    driver.propose({ path: file, text: "one\n2\n" });
    (await editor.nextView()).type("mine\n");
    await companion.hold(companion.proposals[0]?.id ?? "");
    await driver.end();
    await expect.poll(() => companion.keptTexts).toMatchObject([{ reason: "agent-exited", isShown: false }]);
    expect(await companion.readKeptText(companion.keptTexts[0]?.id ?? "")).toBe("mine\n");
  });

  it("one is held in the next run, too, and follows what became of its file meanwhile", async () => {
    const { agent, build, file } = createWorkspaceLab("one\ntwo\nthree\n");
    const { companion, editor } = build();
    await companion.start();
    (await agent()).propose({ path: file, text: "one\n2\nthree\n" });
    (await editor.nextView()).type("one\ntwo or so\nthree\n");
    const id = companion.proposals[0]?.id ?? "";
    await companion.hold(id);
    await companion.stop({ reload: true });
    writeFileSync(file, "zero\none\ntwo\nthree\n");
    const next = build();
    await next.companion.start();
    await next.companion.restored;
    expect(next.editor.views).toEqual([]);
    expect(next.companion.proposals).toMatchObject([{ id, isHeld: true, edited: true, standing: "merged" }]);
    await next.companion.reveal(id);
    expect(next.editor.openViews).toMatchObject([{ text: "zero\none\ntwo or so\nthree\n" }]);
  });

  it("one of a conversation is not answered by that", async () => {
    const { build, file } = createWorkspaceLab();
    const { companion, editor } = build();
    const conversation = { id: "c1", agent: "gemini", agentName: "Gemini CLI" };
    const review = await companion.review({ conversation, path: file, text: "one\n2\n", isEditable: true });
    (await editor.nextView()).type("mine\n");
    expect(await companion.hold(review.id)).toBe(true);
    expect(companion.proposals).toMatchObject([{ id: review.id, isHeld: true }]);
    await companion.reveal(review.id);
    expect(editor.openViews).toMatchObject([{ text: "mine\n" }]);
    await companion.hold(review.id);
    expect(await review.accept()).toBe(true);
    expect(await review.outcome).toEqual({ kind: "accepted", text: "mine\n", edited: true });
  });
});

it("reviews open when the setting says so, from the moment it is changed", async () => {
  const { agent, build, file } = createWorkspaceLab();
  const { companion, editor } = build();
  await companion.start();
  companion.updateSettings({ openReviews: "onDemand" });
  (await agent()).propose({ path: file, text: "one\n2\n" });
  await expect.poll(() => companion.proposals).toMatchObject([{ state: "listed", lines: { added: 1, removed: 1 } }]);
  expect(editor.views).toEqual([]);
  companion.updateSettings({ openReviews: "always" });
  expect((await editor.nextView()).request.path).toBe(file);
});

it("what a session's hook tells of its first prompt is the title of what it asks", async () => {
  const { ask, companion, editor, file, tell } = await createHookLab();
  await tell("claude", { hook_event_name: "UserPromptSubmit", prompt: "Count to two\nplease" });
  const asked = ask("claude", { tool: "Write", input: { file_path: file, content: "one\n2\n" } });
  const view = await editor.nextView();
  expect(companion.proposals).toMatchObject([{ sessionTitle: "Count to two" }]);
  view.reject();
  await asked;
});
