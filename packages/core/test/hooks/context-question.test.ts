import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { followEditorContext } from "../../src/diagnosis/running-editors.ts";
import type { EditorContext } from "../../src/context/model.ts";
import { createWorkspaceLab } from "../workspace-lab.ts";
import { createHookLab } from "./hook-lab.ts";

async function setUp() {
  const lab = await createHookLab("one\ntwo\nthree\n");
  const ended = new AbortController();
  const heard: (EditorContext | undefined)[] = [];
  const { platform } = lab;
  const over = followEditorContext(platform, platform.workspace, (context) => heard.push(context), ended.signal);
  const end = async (): Promise<void> => {
    ended.abort();
    await over;
  };
  return { ...lab, heard, end };
}

const secondLine = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };

describe("what is open in the editor, for a program beside it", () => {
  it("is told at once and after each change, until the program hangs up", async () => {
    const { editor, file, heard, end } = await setUp();
    await expect.poll(() => heard).toHaveLength(1);
    editor.openFile(file, "one\ntwo\nthree\n");
    await expect.poll(() => heard.at(-1)?.files.map(({ path }) => path)).toEqual([file]);
    editor.select(secondLine);
    await expect.poll(() => heard.at(-1)?.active?.selection).toEqual({ range: secondLine, text: "two" });
    editor.setCursor({ line: 0, character: 0 });
    await expect.poll(() => heard.at(-1)?.active?.selection).toBeUndefined();
    await end();
    const count = heard.length;
    editor.select(secondLine);
    await expect.poll(() => editor.editors.active()?.selection).toEqual(secondLine);
    expect(heard).toHaveLength(count);
  });

  it("is nothing while the user shares nothing, and is over with the editor", async () => {
    const { editor, companion, file, heard, end } = await setUp();
    editor.openFile(file, "one\ntwo\nthree\n");
    await expect.poll(() => heard.at(-1)?.active?.path).toBe(file);
    companion.updateSettings({ sharing: false });
    await expect.poll(() => heard.at(-1)).toEqual({ files: [] });
    await companion.stop();
    await expect.poll(() => heard.at(-1)).toBeUndefined();
    await end();
  });

  it("is looked for again and again where no editor is, and no look leaves a listener on the signal", async () => {
    const { platform } = createWorkspaceLab();
    const ended = new AbortController();
    let rounds = 0;
    const clock = Object.create(platform.clock, {
      setTimeout: {
        value: (run: () => void, ms: number) => {
          rounds += 1;
          return platform.clock.setTimeout(run, Math.min(ms, 1));
        },
      },
    });
    const looking = followEditorContext({ ...platform, clock }, platform.workspace, () => {}, ended.signal);
    await expect.poll(() => rounds).toBeGreaterThan(20);
    expect(getEventListeners(ended.signal, "abort").length).toBeLessThanOrEqual(1);
    ended.abort();
    await looking;
  });
});
