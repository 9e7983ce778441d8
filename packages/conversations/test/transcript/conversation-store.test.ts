import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";

it("neither reads nor writes behind a link in the directory for state, and the conversation goes on", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const state = join(platform.home, ".local", "state");
  const directory = join(state, "patchbay", "panel", "x");
  const open = (): ConversationStore =>
    new ConversationStore({ platform, files: nodeLineFiles, directory, logger: nullLogger });
  const about = { id: "c1", agent: "claude", folder: "/w", at: 0, usedAt: 0, title: "", titleFrom: "nobody" } as const;
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const first = await open().open("c1");
  first.transcript.describe(about);
  await first.transcript.flush();
  await first.release();
  expect(await open().list()).toHaveLength(1);
  const planted = join(platform.root, "planted");
  renameSync(join(state, "patchbay"), planted);
  symlinkSync(planted, join(state, "patchbay"));
  const before = readdirSync(planted, { recursive: true, encoding: "utf8" }).toSorted();
  const store = open();
  expect(await store.list()).toEqual([]);
  expect(await store.read("c1")).toBeUndefined();
  expect(await store.locate("c1")).toBeUndefined();
  const again = await store.open("c1");
  expect([again.isOwn, again.transcript.about]).toEqual([true, undefined]);
  again.transcript.describe(about);
  await again.transcript.flush();
  await again.release();
  expect(readdirSync(planted, { recursive: true, encoding: "utf8" }).toSorted()).toEqual(before);
});
