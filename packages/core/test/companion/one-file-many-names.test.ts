import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGeminiDriver, createMemoryEditor } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCompanion } from "../../src/create-companion.ts";
import { createWorkspaceLab, type WorkspaceLab } from "../workspace-lab.ts";

const composed = "caf\u00e9.ts";
const decomposed = "cafe\u0301.ts";

function createMacLab(): WorkspaceLab & { readonly path: (name: string) => string } {
  const lab = createWorkspaceLab("one\n", { system: "macos" });
  return { ...lab, path: (name) => join(lab.platform.workspace, name) };
}

describe.each([
  { what: "decomposed on disk, composed in the editor", onDisk: decomposed, open: composed, asked: decomposed },
  { what: "composed by the agent, decomposed in the editor", onDisk: decomposed, open: decomposed, asked: composed },
  { what: "in another case", onDisk: "Readme.md", open: "Readme.md", asked: "README.MD" },
  { what: "in a folder of another case", onDisk: "src/a.ts", open: "src/a.ts", asked: "SRC/A.ts" },
])("one file by two names: $what", ({ onDisk, open, asked }) => {
  it("is reviewed on what the editor holds unsaved, and follows it", async () => {
    const { agent, build, path } = createMacLab();
    mkdirSync(path("src"));
    writeFileSync(path(onDisk), "one\ntwo\nthree\n");
    const { companion, editor } = build();
    await companion.start();
    editor.openFile(path(open), "one\ntwo\nthree\n");
    editor.makeDirty(path(open), "one\ntwo\n3\n");
    (await agent()).propose({ path: path(asked), text: "1\ntwo\nthree\n" });
    const view = await editor.nextView();
    expect(view.request).toMatchObject({ unsaved: true, originalText: "one\ntwo\n3\n" });
    expect(view.text).toBe("1\ntwo\n3\n");
    editor.makeDirty(path(open), "one\ntwo\n33\n");
    await expect.poll(() => view.text).toBe("1\ntwo\n33\n");
  });

  it("is one file: what one agent was told is known to the review of another", async () => {
    const { agent, build, path } = createMacLab();
    mkdirSync(path("src"));
    writeFileSync(path(onDisk), "one\ntwo\nthree\n");
    const { companion, editor } = build();
    await companion.start();
    const [first, second] = [await agent(), await agent()];
    first.propose({ path: path(onDisk), text: "1\ntwo\nthree\n" });
    const view = await editor.nextView();
    second.propose({ path: path(asked), text: "one\ntwo\n3\n" });
    const other = await editor.nextView((one) => one !== view);
    view.accept();
    await expect.poll(() => other.text).toBe("1\ntwo\n3\n");
  });
});

it("a file that the editor has opened by a link is known by its own name, too", async () => {
  const { agent, build, platform } = createWorkspaceLab("one\ntwo\n");
  const link = join(platform.root, "link");
  symlinkSync(platform.workspace, link);
  const { companion, editor } = build([link]);
  await companion.start();
  editor.openFile(join(link, "main.ts"), "one\ntwo\n");
  editor.makeDirty(join(link, "main.ts"), "one\n2\n");
  (await agent()).propose({ path: join(platform.workspace, "main.ts"), text: "1\ntwo\n" });
  expect((await editor.nextView()).request).toMatchObject({ unsaved: true, originalText: "one\n2\n" });
});

it("an excluded file is excluded in either form of its letters", async () => {
  const { build, path } = createMacLab();
  const { companion, editor } = build();
  companion.updateSettings({ exclude: [composed] });
  await companion.start();
  editor.openFile(path("main.ts"), "one\n");
  editor.openFile(path(decomposed), "secret\n");
  await expect.poll(() => companion.sharedContext().files.map((file) => file.path)).toEqual([path("main.ts")]);
});

it("an agent in /private/tmp finds the editor that has the folder open in /tmp", async () => {
  const { agent, platform } = createMacLab();
  const folder = join(platform.root, "tmp/project");
  mkdirSync(folder);
  const editor = createMemoryEditor({ folders: [folder], readDisk: (path) => readFileSync(path, "utf8") });
  const companion = createCompanion({ host: editor, platform });
  onTestFinished(() => companion.stop());
  await companion.start();
  const driver = await agent((options) =>
    createGeminiDriver({ ...options, cwd: join(platform.root, "private/tmp/project") }),
  );
  writeFileSync(join(folder, "a.txt"), "one\n");
  const proposal = driver.propose({ path: join(platform.root, "private/tmp/project/a.txt"), text: "two\n" });
  (await editor.nextView()).accept();
  expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
});
