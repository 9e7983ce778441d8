import { createGeminiDriver } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { createWorkspaceLab } from "../workspace-lab.ts";

describe("files that the user leaves out", () => {
  it("are left out from the first moment, and told again when the pattern goes", async () => {
    const { build, file, agent } = createWorkspaceLab();
    const { companion, editor } = build();
    companion.updateSettings({ exclude: ["main.[tj]s"] });
    editor.openFile(file);
    expect(companion.sharedContext().files).toEqual([]);
    await companion.start();
    const other = `${file}x`;
    editor.openFile(other);
    const driver = await agent(createGeminiDriver);
    await driver.until("the other file", (status) => status.view?.active === other);
    expect(companion.sharedContext().files.map(({ path }) => path)).toEqual([other]);
    companion.updateSettings({ exclude: [] });
    expect(companion.sharedContext().files.map(({ path }) => path)).toContain(file);
    expect(editor.shownMessages).toEqual([]);
  });

  it("are all files while a pattern cannot be understood, and the user is told which", async () => {
    const { build, file } = createWorkspaceLab();
    const { companion, editor } = build();
    await companion.start();
    editor.openFile(file);
    companion.updateSettings({ exclude: ["*.log", "!main.ts"] });
    const { message } = await editor.messages.next("unclear-pattern");
    expect(message.text).toContain('"!main.ts"');
    expect(companion.sharedContext().files).toEqual([]);
    // The same settings again are no news.
    companion.updateSettings({ exclude: ["*.log", "!main.ts"] });
    companion.updateSettings({ exclude: ["*.log"] });
    await expect.poll(() => companion.sharedContext().files.map(({ path }) => path)).toEqual([file]);
    expect(editor.shownMessages).toHaveLength(1);
  });
});
