import { createGeminiDriver } from "@patchbay/testkit";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunningExtension } from "./running-extension.ts";

vi.mock("../src/later.ts", () => {
  throw new Error("Cannot find module");
});

let window: RunningExtension;

beforeEach(() => {
  window = new RunningExtension();
});

afterEach(async () => await window.end());

it("where the extension was updated while it runs, the log says what is lacking, and agents are served", async () => {
  await window.activate();
  await window.connect(createGeminiDriver);
  const lacking = (): readonly string[] =>
    window.bench.logged.flatMap((line) => /[^\s\]][^\]]* cannot be \w+/u.exec(line)?.[0] ?? []);
  await expect
    .poll(lacking, { timeout: 5_000 })
    .toEqual([
      expect.stringContaining("The status bar cannot be written"),
      expect.stringContaining("The commands of hooks cannot be repaired"),
    ]);
});
