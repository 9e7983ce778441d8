import { createMemoryEditor, createMemoryPlatform, MemoryFiles } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { isSameFile, ReviewedFiles } from "../../src/diff/reviewed-files.ts";
import { nullLogger } from "../../src/support/logger.ts";

const place = { path: "/ws/a.ts", real: "/ws/a.ts" };

/** A file that nobody has touched for a while. */
function start() {
  const { clock, files } = createMemoryPlatform();
  files.addFile(place.real, "one\n");
  clock.advance(5_000);
  let readings = 0;
  files.onBefore((call) => {
    if (call === "readReal") readings += 1;
  });
  const host = createMemoryEditor({ folders: ["/ws"] });
  const reviewed = new ReviewedFiles({ host, files, clock, logger: nullLogger });
  return { clock, files, reviewed, readings: () => readings };
}

it("a file that has not changed since it was read is not read once more", async () => {
  const { reviewed, clock, readings } = start();
  const known = await reviewed.readDisk(place);
  clock.advance(60_000);
  expect(await reviewed.read(place, known)).toBe(known);
  expect(readings()).toBe(1);
});

it("a file is read where another one has come in its place that is as long and as old", async () => {
  const { reviewed, files, clock } = start();
  files.addFile("/ws/b.ts", "two\n");
  files.addFile(place.real, "one\n");
  clock.advance(5_000);
  const known = await reviewed.readDisk(place);
  await files.rename("/ws/b.ts", place.real);
  expect(await reviewed.readDisk(place, known)).toMatchObject({ text: "two\n" });
});

it("a file that was written just before it was read may be written again at the same time", async () => {
  const { reviewed, files } = start();
  await files.replaceText(place.real, "one\n", "two\n");
  const known = await reviewed.readDisk(place);
  await files.replaceText(place.real, "two\n", "six\n");
  expect(await reviewed.readDisk(place, known)).toMatchObject({ text: "six\n" });
});

it("a file whose times have fractions of a second is not read once more a tenth of a second after it was written", async () => {
  const { reviewed, files, clock, readings } = start();
  clock.advance(1);
  await files.replaceText(place.real, "one\n", "two\n");
  clock.advance(100);
  const early = await reviewed.readDisk(place);
  clock.advance(1);
  const known = await reviewed.readDisk(place, early);
  expect(await reviewed.readDisk(place, known)).toBe(known);
  expect(readings()).toBe(2);
});

it("a file with a time in whole seconds may be written again at the same time for longer", async () => {
  const { reviewed, files, clock } = start();
  await files.replaceText(place.real, "one\n", "two\n");
  clock.advance(2_000);
  // As a program leaves it that takes the time of the text along: the system has noted the change itself more finely.
  const lstat = files.lstat.bind(files);
  files.lstat = async (path) => {
    const facts = await lstat(path);
    return facts === undefined ? undefined : { ...facts, changedMs: facts.changedMs + 0.5 };
  };
  const known = await reviewed.readDisk(place);
  expect(await reviewed.readDisk(place, known)).not.toBe(known);
});

it("a file that is gone is not taken for the one that was read", async () => {
  const { reviewed, files } = start();
  const known = await reviewed.readDisk(place);
  files.vanish(place.real);
  expect(await reviewed.readDisk(place, known)).toEqual({ text: "", unsaved: false, readable: true });
});

it("what was read of a file does for another proposal a moment later, and not for long", async () => {
  const { reviewed, files, clock, readings } = start();
  const check = async () => ({ facts: await files.lstat(place.real) });
  const first = await reviewed.readAfterCheck(place, await check());
  clock.advance(1_999);
  expect(await reviewed.readAfterCheck(place, await check())).toBe(first);
  expect(readings()).toBe(1);
  clock.advance(1);
  expect(await reviewed.readAfterCheck(place, await check())).toEqual(first);
  expect(readings()).toBe(2);
});

it("what was read of a file does not for another proposal where the file has changed", async () => {
  const { reviewed, files } = start();
  await reviewed.readAfterCheck(place, { facts: await files.lstat(place.real) });
  files.addFile(place.real, "two\n");
  expect(await reviewed.readAfterCheck(place, { facts: await files.lstat(place.real) })).toMatchObject({
    text: "two\n",
  });
  expect(await reviewed.readAfterCheck(place, { facts: undefined })).toMatchObject({ text: "", readable: true });
});

describe("a watch of a file whose text is known", () => {
  /** Watches from now on. */
  async function watch() {
    const test = start();
    const known = await test.reviewed.readDisk(place);
    let told = 0;
    let asked = 0;
    const { files } = test;
    Object.assign(files, {
      watch: (directory: string, onChange: () => void) => {
        asked += 1;
        return MemoryFiles.prototype.watch.call(files, directory, onChange);
      },
    });
    const watching = test.reviewed.watch(
      place,
      () => (told += 1),
      () => known,
    );
    return { ...test, watching, told: () => told, asked: () => asked };
  }

  it("tells nothing of a file that stays as it is", async () => {
    const { clock, told, asked, readings } = await watch();
    await clock.advanceAsync(60_000);
    expect({ told: told(), asked: asked(), readings: readings() }).toEqual({ told: 0, asked: 1, readings: 1 });
  });

  it("tells of a change that came before it began", async () => {
    const { clock, files, told } = await watch();
    files.addFile(place.real, "two\n");
    await clock.advanceAsync(100);
    expect(told()).toBe(1);
  });

  it("tells of a change that came after it began", async () => {
    const { clock, files, told } = await watch();
    await clock.advanceAsync(100);
    files.addFile(place.real, "two\n");
    await clock.advanceAsync(100);
    expect(told()).toBe(1);
  });

  it("tells of a file that is being written when it begins once that is done", async () => {
    const { clock, files, told } = await watch();
    await clock.advanceAsync(99);
    files.addFile(place.real, "two\n");
    await clock.advanceAsync(60);
    files.addFile(place.real, "two\nthree\n");
    await clock.advanceAsync(99);
    expect(told()).toBe(0);
    await clock.advanceAsync(1);
    expect(told()).toBe(1);
  });

  it("does not take a file that is cut to nothing before it is written for an emptied one", async () => {
    const { clock, files, told } = await watch();
    files.addFile(place.real, "");
    await clock.advanceAsync(499);
    expect(told()).toBe(0);
    await clock.advanceAsync(1);
    expect(told()).toBe(1);
  });

  it("costs nothing where it ends at once", async () => {
    const { clock, watching, asked } = await watch();
    await clock.advanceAsync(99);
    watching.dispose();
    await clock.advanceAsync(60_000);
    expect(asked()).toBe(0);
  });

  it("looks again and again where the system cannot tell", async () => {
    const { clock, files, told } = await watch();
    files.canWatch = false;
    await clock.advanceAsync(100);
    const before = told();
    files.addFile(place.real, "two\n");
    await clock.advanceAsync(2_000);
    expect(told()).toBe(before + 1);
  });
});

it("a file that is no text is another one once it was written, also where its time was set back", async () => {
  const { files, clock } = start();
  let changedMs = 1_000;
  const noText = Object.assign(Object.create(files), {
    lstat: async () => ({ kind: "file", uid: 1, mode: 0o600, size: 2, modifiedMs: 1_000, changedMs, id: "1" }),
    readReal: async () => Uint8Array.from([0xff, 0xfe]),
  });
  const host = createMemoryEditor({ folders: ["/ws"] });
  const reviewed = new ReviewedFiles({ host, files: noText, clock, logger: nullLogger });
  const known = await reviewed.readDisk(place);
  expect(known.readable).toBe(false);
  expect(isSameFile(known, await reviewed.readDisk(place))).toBe(true);
  changedMs = 2_000;
  expect(isSameFile(known, await reviewed.readDisk(place))).toBe(false);
});
