import type { Platform } from "@patchbay/core";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { readRecords } from "../../src/records/read-records.ts";

it("a place that may not be looked into holds nothing", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const refuse = async (): Promise<never> => {
    throw Object.assign(new Error("permission denied"), { code: "EACCES" });
  };
  const closed: Platform = { ...platform, files: { ...platform.files, lstat: refuse } };
  const found = await readRecords(closed);
  expect(found.map(({ facts, files }) => [facts, files])).toEqual(found.map(() => [undefined, []]));
});
