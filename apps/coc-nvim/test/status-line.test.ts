import { createCompanion, Emitter, nullLogger } from "@patchbay/core";
import { createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished, vi } from "vitest";
import { readSettings } from "../src/settings.ts";
import { showStatus } from "../src/status-line.ts";

vi.mock("../src/status-text.ts", () => {
  throw new Error("Cannot find module");
});

it("where the extension was updated while it runs, the log says once that nothing is shown", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const companion = createCompanion({ host: createMemoryEditor({ folders: [platform.workspace] }), platform });
  onTestFinished(() => companion.stop());
  const warnings: string[] = [];
  const changes = new Emitter<void>(() => {});
  const item = { text: "", priority: 10, isProgress: false, show: () => {}, hide: () => {}, dispose: () => {} };
  const shown = showStatus({
    coc: { window: { createStatusBarItem: () => item } },
    vim: { call: async () => undefined, notify: () => {} },
    notice: () => ({ clicked: Promise.resolve(0), close: () => {} }),
    companion,
    turns: { count: () => 0, onDidChange: changes.event },
    settings: () => readSettings(() => undefined),
    panel: {},
    logger: { ...nullLogger, warn: (message) => warnings.push(message) },
  });
  onTestFinished(() => shown.dispose());
  changes.fire();
  changes.fire();
  await expect.poll(() => warnings).toEqual(["The status line is stale"]);
});
