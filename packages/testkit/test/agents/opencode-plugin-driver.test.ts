import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "@patchbay/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryEditor, createTestPlatform, OpenCodePluginDriver, PiDriver } from "../../src/index.ts";

async function start(agent: "opencode" | "kilo" = "opencode") {
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
  const place = { cwd: platform.workspace, home: platform.home };
  const driver = new OpenCodePluginDriver({ ...place, agent });
  return { editor, companion, driver, place, file: join(platform.workspace, "a.txt") };
}

describe.each(["opencode", "kilo"] as const)("%s with Patchbay's plugin", (agent) => {
  it("writes what the user made of its change, and its model reads that", async () => {
    const { editor, companion, driver, file } = await start(agent);
    writeFileSync(file, "\ufeffone\r\ntwo\r\n");
    await driver.prompt("Change it.");
    const outcome = driver.edit("a.txt", "one", "1");
    const view = await editor.nextView();
    expect(companion.activities).toMatchObject([{ agent, state: "waiting", title: "Change it." }]);
    view.type(view.text.replace("two", "2 by me"));
    view.accept();
    expect(await outcome).toMatchObject({ kind: "written", note: expect.stringContaining("2 by me") });
    expect(readFileSync(file, "utf8")).toBe("\ufeff1\r\n2 by me\r\n");
    await driver.idle();
    expect(companion.activities).toMatchObject([{ state: "idle" }]);
  });

  it("writes nothing that the user rejects, and its model reads why", async () => {
    const { editor, driver } = await start(agent);
    const outcome = driver.write("b/new.txt", "new\n");
    (await editor.nextView()).reject();
    expect(await outcome).toEqual({ kind: "failed", reason: expect.stringContaining("rejected it") });
  });
});

describe("opencode with Patchbay's plugin", () => {
  it("asks about two edits of one answer one after the other, and writes both", async () => {
    const { editor, companion, driver, file } = await start();
    writeFileSync(file, "one\ntwo\n");
    const outcomes = [driver.edit("a.txt", "one", "1"), driver.edit("a.txt", "two", "2")];
    const view = await editor.nextView();
    expect(companion.proposals).toHaveLength(1);
    view.accept();
    const next = await editor.nextView((one) => one !== view);
    expect(next.originalText).toBe("1\ntwo\n");
    next.accept();
    expect(await Promise.all(outcomes)).toMatchObject([{ kind: "written" }, { kind: "written" }]);
    expect(readFileSync(file, "utf8")).toBe("1\n2\n");
  });

  it("takes its reviews back when its user interrupts it", async () => {
    const { editor, companion, driver } = await start();
    const outcomes = [driver.write("new.txt", "new\n"), driver.write("other.txt", "new\n")];
    const view = await editor.nextView();
    driver.interrupt();
    expect(await Promise.all(outcomes)).toEqual([{ kind: "interrupted" }, { kind: "interrupted" }]);
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
    expect(editor.views).toHaveLength(1);
  });

  it("goes on without an editor", async () => {
    const { companion, driver, file } = await start();
    await companion.stop();
    expect(await driver.write("a.txt", "alone\n")).toEqual({ kind: "written", written: "alone\n" });
    expect(readFileSync(file, "utf8")).toBe("alone\n");
  });

  it("works on one file with two other agents: each review follows what the others have written", async () => {
    const { editor, driver, place, file } = await start();
    writeFileSync(file, "one\ntwo\nthree\n");
    const outcomes = [
      driver.edit("a.txt", "one", "1"),
      new OpenCodePluginDriver({ ...place, agent: "kilo" }).edit("a.txt", "two", "2"),
      new PiDriver(place).edit("a.txt", ["three", "3"]),
    ];
    for (const line of ["1", "2", "3"]) {
      const view = await editor.nextView(
        (one) => one.text.split("\n").includes(line) && !one.originalText.includes(line),
      );
      view.accept();
      await outcomes[Number(line) - 1];
    }
    expect(await Promise.all(outcomes)).toMatchObject(outcomes.map(() => ({ kind: "written" })));
    expect(readFileSync(file, "utf8")).toBe("1\n2\n3\n");
  });
});
