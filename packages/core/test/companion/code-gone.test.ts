import { createMemoryEditor } from "@patchbay/testkit";
import { expect, it, onTestFinished, vi } from "vitest";
import { createCompanion, nullLogger } from "../../src/index.ts";
import { createWorkspaceLab } from "../workspace-lab.ts";

vi.mock("../../src/companion/question-doors.ts", () => {
  throw new Error("Cannot find module");
});
vi.mock("../../src/companion/socket-door.ts", () => {
  throw new Error("Cannot find module");
});

it("where code that is loaded later has gone from the disk, the log says what is lacking, and agents are served", async () => {
  const { platform, agent } = createWorkspaceLab();
  const warnings: string[] = [];
  const companion = createCompanion({
    host: createMemoryEditor({ folders: [platform.workspace] }),
    platform,
    logger: { ...nullLogger, warn: (message) => warnings.push(message) },
  });
  onTestFinished(() => companion.stop());
  await companion.start();
  await companion.restored;
  await agent();
  await expect.poll(() => warnings.toSorted()).toEqual(["Some agents cannot connect"]);
  expect(companion.state.kind).toBe("listening");
});
