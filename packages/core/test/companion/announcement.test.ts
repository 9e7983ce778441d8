import { createMemoryEditor, createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { Announcement, WorkspaceRoots } from "../../src/companion/announcement.ts";
import { copilot } from "../../src/agents/copilot/agent.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { nullLogger } from "../../src/support/logger.ts";

const announced = {
  address: { kind: "tcp", port: 4_321 } as const,
  tokens: { gemini: "secret", qwen: "secret", claude: "secret" },
};
const workspace = "GEMINI_CLI_IDE_WORKSPACE_PATH";

function start() {
  const platform = createMemoryPlatform();
  const editor = createMemoryEditor({ folders: ["/one"] });
  platform.files.addDirectory("/one");
  platform.files.addDirectory("/two");
  const roots = new WorkspaceRoots(editor.workspace, platform.files);
  const ending = new AbortController();
  const announcement = new Announcement({
    host: editor,
    dialects: [gemini, copilot],
    platform,
    logger: nullLogger,
    roots,
    ending: ending.signal,
  });
  let fired = 0;
  announcement.onDidChangeEnvironment(() => (fired += 1));
  /** How often the disk was asked about records. */
  let looks = 0;
  platform.files.onBefore((call, path) => {
    if (call === "lstat" && path.endsWith(".json")) looks += 1;
  });
  return {
    announcement,
    clock: platform.clock,
    editor,
    ending,
    files: platform.files,
    roots,
    fired: () => fired,
    looks: () => looks,
  };
}

describe("announcement", () => {
  it("is of the folders that were there last, although those before take longer to look at", async () => {
    const { announcement, editor, files, roots } = start();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { realPath } = files;
    files.realPath = async (path) => {
      if (path === "/one") await held;
      return await realPath.call(files, path);
    };
    const first = announcement.announce(announced);
    // The first one has asked for its folders by now.
    await new Promise((resolve) => setImmediate(resolve));
    editor.setFolders(["/two"]);
    roots.refresh();
    const second = announcement.announce(announced);
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await Promise.all([first, second]);
    expect(announcement.environment[workspace]).toBe("/two");
  });

  it("gives terminals nothing new once the end has begun", async () => {
    const { announcement, ending, fired } = start();
    const announcing = announcement.announce(announced);
    ending.abort();
    expect(await announcing).toEqual([]);
    expect(announcement.environment).toEqual({});
    expect(fired()).toBe(0);
  });

  it("looks after its records at most every ten seconds, and not before there are any", async () => {
    const { announcement, clock, files, looks } = start();
    clock.advance(60_000);
    expect(await announcement.verify()).toBeUndefined();
    await announcement.announce(announced);
    const [record] = files.paths.filter((path) => path.endsWith(".json"));
    expect(record).toBeDefined();
    expect(await announcement.verify()).toEqual([]);
    const before = looks();
    files.vanish(record ?? "");
    clock.advance(9_999);
    expect(await announcement.verify()).toBeUndefined();
    expect(looks()).toBe(before);
    clock.advance(1);
    expect(await announcement.verify()).toEqual([]);
    expect(files.paths).toContain(record);
  });

  it("is made anew after it was withdrawn, and never after its end", async () => {
    const { announcement, clock, files } = start();
    const records = (): number => files.paths.filter((path) => path.endsWith(".json")).length;
    await announcement.announce(announced);
    expect(records()).toBe(1);
    await announcement.withdraw();
    expect(records()).toBe(0);
    clock.advance(60_000);
    expect(await announcement.verify()).toBeUndefined();
    await announcement.announce(announced);
    expect(records()).toBe(1);
    await announcement.remove();
    expect(announcement.environment).toEqual({});
    await announcement.announce(announced);
    expect(records()).toBe(0);
  });

  it("takes away what a run that was killed left, also where it announces nothing itself yet", async () => {
    const { announcement, files } = start();
    await announcement.announce(announced);
    const left = "/home/user/.copilot/ide/patchbay-7.lock";
    await files.makeDirectory("/home/user/.copilot", 0o700);
    await files.makeDirectory("/home/user/.copilot/ide", 0o700);
    await files.createExclusive(left, JSON.stringify({ patchbay: { pid: 999_999 } }), 0o600);
    await announcement.sweepStale();
    expect(files.paths).not.toContain(left);
  });
});
