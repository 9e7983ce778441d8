import { expect, it } from "vitest";
import { inBackground } from "../../src/support/background.ts";
import { nullLogger } from "../../src/support/logger.ts";

it("work in the background that fails is one line in the log, and rejects nothing", async () => {
  const lines: unknown[] = [];
  const begin = inBackground({ ...nullLogger, warn: (...line) => lines.push(line) });
  const gone = async (): Promise<void> => {
    throw new Error("Cannot find module './later.js'");
  };
  let done = 0;
  await begin(gone, "Nothing is shown");
  await begin(gone, "Nothing is shown");
  await begin(() => {
    throw new Error("at once");
  }, "Nothing is told");
  await begin(async () => (done += 1), "Nothing is counted");
  expect(lines).toEqual([
    ["Nothing is shown", { reason: "Cannot find module './later.js'" }],
    ["Nothing is told", { reason: "at once" }],
  ]);
  expect(done).toBe(1);
});
