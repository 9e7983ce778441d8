import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "@patchbay/core";
import { createTestPlatform, type MemoryDiffView, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestBackend } from "../support/backend.ts";
import type { WindowMessage } from "../../src/common/protocol.ts";
import { type Connected, open } from "./workspace-windows.ts";

let platform: TestPlatform;
let connected: Connected;
let stop: () => Promise<void>;

beforeEach(async () => {
  platform = createTestPlatform();
  vi.stubEnv("TMPDIR", platform.tmp);
  install([]);
  const companions: ReturnType<typeof createCompanion>[] = [];
  const backend = createTestBackend({
    createCompanion: (options) => {
      const companion = createCompanion({ ...options, platform });
      companions.push(companion);
      return companion;
    },
    storageFor: async () => join(platform.root, "storage"),
  });
  stop = async () => void (await Promise.all(companions.map((one) => one.stop())));
  connected = await open(backend, "one", [platform.workspace]);
});

afterEach(async () => {
  await stop();
  platform.dispose();
  vi.unstubAllEnvs();
});

/** The agents that this machine has. */
function install(programs: readonly string[]): void {
  const bin = join(platform.root, "bin");
  mkdirSync(bin, { recursive: true });
  for (const program of programs) {
    writeFileSync(join(bin, program), "");
    chmodSync(join(bin, program), 0o755);
  }
  vi.stubEnv("PATH", bin);
}

/** What is said, and the answers to what is asked, by what it begins with. */
function listen(answers: Readonly<Record<string, string>>): readonly string[] {
  const said: string[] = [];
  vi.spyOn(connected.window, "showMessage").mockImplementation(async ({ text, actions }: WindowMessage) => {
    said.push([text, ...actions].join(" | "));
    return actions.length === 0 ? undefined : answers[text.split(".")[0] ?? ""];
  });
  return said;
}

async function shown(): Promise<MemoryDiffView> {
  await expect.poll(() => connected.window.shown.length).toBe(1);
  const [view] = connected.window.shown;
  if (view === undefined) throw new Error("nothing is shown");
  return view;
}

const left = (): readonly string[] => readdirSync(platform.tmp).filter((name) => name.startsWith("patchbay-try-"));

describe("a review without an agent", () => {
  it("is shown in the window, explained, and followed by an agent that is there", async () => {
    install(["claude"]);
    const said = listen({ Accepted: "Run Claude Code" });
    const next = connected.service.tryReview();
    const view = await shown();
    expect(view.request).toMatchObject({ agentName: "Patchbay", isTrial: true });
    expect(left()).toHaveLength(1);
    // A second wish shows the same once more.
    expect(await connected.service.tryReview()).toBeUndefined();
    view.type(view.text.replace('"..."', '"…"'));
    view.accept();
    expect(await next).toBe("claude");
    // What to do is not said any longer than it is to be done.
    expect(connected.window.withdrawn).toHaveLength(1);
    expect(said).toEqual([
      expect.stringContaining("No agent is running, and none of your files is touched."),
      "Accepted. An agent would now write what stood on the right: 2 of its 3 changes, with your edits. | Run Claude Code | Try Again",
    ]);
    expect(left()).toEqual([]);
  });

  it("can be had again, and leads to the diagnosis where no agent can be started", async () => {
    const said = listen({ Rejected: "Try Again", Closed: "Connect an Agent" });
    const next = connected.service.tryReview();
    const first = await shown();
    first.reject();
    await expect.poll(() => connected.window.shown.map(({ request }) => request.id)).not.toContain(first.request.id);
    (await shown()).closeByUser();
    expect(await next).toBe("diagnose");
    expect(said.at(-1)).toMatch(/^Closed\. .*it would now write nothing\. \| Connect an Agent \| Try Again$/u);
  });

  it("says what is in the way", async () => {
    const said = listen({});
    writeFileSync(join(platform.root, "nowhere"), "");
    vi.stubEnv("TMPDIR", join(platform.root, "nowhere"));
    expect(await connected.service.tryReview()).toBeUndefined();
    expect(said).toEqual([expect.stringContaining("nowhere is not a directory")]);
  });

  it("offers no agent where the folder is not trusted", async () => {
    install(["claude"]);
    await connected.window.attach(connected.service, { trusted: false });
    const said = listen({});
    const next = connected.service.tryReview();
    (await shown()).reject();
    expect(await next).toBeUndefined();
    expect(said.at(-1)).toContain("| Connect an Agent | Try Again");
  });
});
