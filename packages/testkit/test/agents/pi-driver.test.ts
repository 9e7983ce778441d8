import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "@patchbay/core";
import { expect, it, onTestFinished } from "vitest";
import { createMemoryEditor, createTestPlatform, PiDriver } from "../../src/index.ts";

async function start() {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const editor = createMemoryEditor({
    folders: [platform.workspace],
    storageDirectory: join(platform.root, "storage"),
    readDisk: (path) => readFileSync(path, "utf8"),
  });
  const companion = createCompanion({ host: editor, platform });
  onTestFinished(() => companion.stop());
  await companion.start();
  const pi = new PiDriver({ cwd: platform.workspace, home: platform.home });
  return { editor, companion, pi, file: join(platform.workspace, "a.txt") };
}

it("Pi writes what the user made of its change, and its model reads that", async () => {
  const { editor, pi, file } = await start();
  writeFileSync(file, "\ufeffone\r\ntwo\r\nthree\r\n");
  const outcome = pi.edit("a.txt", ["one", "1"], ["three", "3"]);
  const view = await editor.nextView();
  expect(view.text.replaceAll("\r", "").replace("\ufeff", "")).toBe("1\ntwo\n3\n");
  view.type(view.text.replace("two", "2 by me"));
  view.accept();
  expect(await outcome).toMatchObject({ kind: "written", note: expect.stringContaining("2 by me") });
  expect(readFileSync(file, "utf8")).toBe("\ufeff1\r\n2 by me\r\n3\r\n");
});

it("Pi writes nothing that the user rejects, and its model reads why", async () => {
  const { editor, pi } = await start();
  const outcome = pi.write("b/new.txt", "new\n");
  (await editor.nextView()).reject();
  expect(await outcome).toEqual({ kind: "blocked", reason: expect.stringContaining("rejected it") });
});

it("Pi takes its review back when its user interrupts it", async () => {
  const { editor, companion, pi } = await start();
  const outcome = pi.write("new.txt", "new\n");
  const view = await editor.nextView();
  pi.interrupt();
  expect(await outcome).toEqual({ kind: "interrupted" });
  await editor.ended(view);
  expect(companion.proposals).toEqual([]);
});

it("Pi goes on without an editor", async () => {
  const { companion, pi, file } = await start();
  await companion.stop();
  expect(await pi.write("a.txt", "alone\n")).toEqual({ kind: "written", written: "alone\n" });
  expect(readFileSync(file, "utf8")).toBe("alone\n");
});
