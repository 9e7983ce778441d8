import { createMemoryEditor, createMemoryPlatform } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { ReviewedFiles } from "../../src/diff/reviewed-files.ts";
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

it("a file that is gone is not taken for the one that was read", async () => {
  const { reviewed, files } = start();
  const known = await reviewed.readDisk(place);
  files.vanish(place.real);
  expect(await reviewed.readDisk(place, known)).toEqual({ text: "", unsaved: false, readable: true });
});

it("what was read of a file does for another proposal a moment later, and not for long", async () => {
  const { reviewed, clock } = start();
  const known = await reviewed.readDisk(place);
  expect(reviewed.recent(place)).toBe(known);
  expect(reviewed.recent({ path: "/ws/b.ts", real: "/ws/b.ts" })).toBeUndefined();
  clock.advance(1_999);
  expect(await reviewed.readDisk(place, reviewed.recent(place))).toBe(known);
  clock.advance(1);
  expect(reviewed.recent(place)).toBeUndefined();
});
