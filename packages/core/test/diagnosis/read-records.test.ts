import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { agents } from "../../src/agents/catalogue.ts";
import { agentPlaces, readPlaces } from "../../src/diagnosis/records.ts";
import type { Platform } from "../../src/platform/platform.ts";

it("a place that may not be looked into holds nothing", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const refuse = async (): Promise<never> => {
    throw Object.assign(new Error("permission denied"), { code: "EACCES" });
  };
  const closed: Platform = { ...platform, files: { ...platform.files, lstat: refuse } };
  const found = await readPlaces(closed, agentPlaces(closed, closed.process));
  expect(found).toHaveLength(agents.length);
  for (const { facts, files, isClosed } of found) expect([facts, files, isClosed]).toEqual([undefined, [], true]);
});
