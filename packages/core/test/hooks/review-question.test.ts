import { describe, expect, it } from "vitest";
import { askEditorForReview } from "../../src/diagnosis/running-editors.ts";
import { createWorkspaceLab } from "../workspace-lab.ts";
import { createHookLab } from "./hook-lab.ts";

const conversation = { id: "c1", agent: "gemini", agentName: "Gemini CLI" } as const;

async function setUp() {
  const lab = await createHookLab();
  const { platform, file } = lab;
  const ended = new AbortController();
  const ask = async (more: { readonly path?: string; readonly isEditable?: boolean } = {}) => {
    const request = { conversation, path: file, text: "one\n2\n", base: "one\ntwo\n", isEditable: true, ...more };
    return await askEditorForReview(platform, platform.workspace, request, ended.signal);
  };
  return { ...lab, ask, hangUp: () => ended.abort() };
}

describe("a change of a conversation beside the editor", () => {
  it("is reviewed in the editor that has the folder open, and the user's text comes back", async () => {
    const { ask, editor, companion } = await setUp();
    const reply = ask();
    const view = await editor.nextView();
    expect(view.request).toMatchObject({
      agentName: "Gemini CLI",
      originalText: "one\ntwo\n",
      proposedText: "one\n2\n",
    });
    // It is no session of an agent.
    expect(companion.activities).toEqual([]);
    view.type("one\n2\nand 3\n");
    view.accept();
    expect(await reply).toEqual({ kind: "accepted", text: "one\n2\nand 3\n" });
  });

  it("is rejected there with the user's reason", async () => {
    const { ask, editor, companion } = await setUp();
    const reply = ask();
    await editor.nextView();
    await companion.reject(companion.proposals[0]?.id ?? "", "Use a constant");
    expect(await reply).toEqual({ kind: "rejected", reason: "Use a constant" });
  });

  it("is taken back when it was decided elsewhere", async () => {
    const { ask, editor, companion, hangUp } = await setUp();
    const reply = ask();
    await editor.nextView();
    hangUp();
    expect(await reply).toBeUndefined();
    await expect.poll(() => companion.proposals).toEqual([]);
  });

  it("cannot be edited where the agent takes no other text", async () => {
    const { ask, editor } = await setUp();
    const reply = ask({ isEditable: false });
    const view = await editor.nextView();
    expect(view.request.isReadOnly).toBe(true);
    view.reject();
    expect(await reply).toEqual({ kind: "rejected" });
  });

  it("is asked of nobody where no editor has the folder open", async () => {
    const { platform, file } = createWorkspaceLab();
    const request = { conversation, path: file, text: "", isEditable: true };
    const { signal } = new AbortController();
    expect(await askEditorForReview(platform, platform.workspace, request, signal)).toBeUndefined();
  });
});
