import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentId, createCompanion, type HostMessage } from "@patchbay/core";
import { findWeakenedReviews } from "@patchbay/core/diagnosis";
import { agentsWithHooks, applyPlan, planInstall } from "@patchbay/core/hook-settings";
import { createMemoryEditor, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { warnOfSettings } from "../../src/diagnosis/settings-warnings.ts";

/** A machine on which our hook is installed in every agent. */
async function setUp(environment: Readonly<Record<string, string>> = {}) {
  const platform = createTestPlatform({ environment });
  onTestFinished(() => platform.dispose());
  const put = (path: string, text: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const program = put(join(platform.home, ".patchbay", "patchbay-hook.cjs"), "");
  for (const { id, request } of await agentsWithHooks(platform)) {
    const plan = await planInstall({ ...request, command: `'${process.execPath}' '${program}' ${id}` });
    if (plan.kind === "change") await applyPlan(platform, plan);
  }
  const inFolder = (path: string, settings: unknown): string =>
    put(join(platform.workspace, path), JSON.stringify(settings));
  const trust = (level: string): string =>
    put(join(platform.home, ".gemini", "trustedFolders.json"), JSON.stringify({ [platform.workspace]: level }));
  return { platform, put, inFolder, trust };
}

type Row = readonly [path: string, agent: AgentId, setting: string, settings: unknown];

const rows: readonly Row[] = [
  [".claude/settings.json", "claude", "disableAllHooks", { disableAllHooks: true }],
  [".claude/settings.local.json", "claude", "disableAllHooks", { disableAllHooks: true }],
  [".qwen/settings.json", "qwen", "disableAllHooks", { disableAllHooks: true }],
  [".github/copilot/settings.json", "copilot", "disableAllHooks", { disableAllHooks: true }],
  [".gemini/settings.json", "gemini", "hooksConfig.enabled", { hooksConfig: { enabled: false } }],
  [
    ".gemini/settings.json",
    "gemini",
    "hooksConfig.disabled",
    { hooksConfig: { disabled: ["node patchbay-hook.cjs"] } },
  ],
];

describe("what a folder's own settings take away from reviews", () => {
  it.each(rows)("%s of %s: %s", async (path, agent, setting, settings) => {
    const { platform, inFolder } = await setUp();
    expect(await findWeakenedReviews(platform, platform.workspace)).toEqual([]);
    const file = inFolder(path, settings);
    const found = await findWeakenedReviews(platform, platform.workspace);
    expect(found).toMatchObject([{ agent, setting, file, isOfFolder: true }]);
  });

  it.each([
    ["-extensions/patchbay.js", true],
    ["-./extensions/patchbay.js", true],
    ["!patchbay.js", true],
    ["!extensions/*.js", true],
    ["!**/patch*", true],
    ["!other.js", false],
    ["-patchbay.js", false],
    ["extensions/patchbay.js", false],
  ])("is what the user's own settings say to Pi of its extension: %s", async (entry, isOff) => {
    const { platform, put, inFolder } = await setUp();
    const file = put(join(platform.home, ".pi", "agent", "settings.json"), JSON.stringify({ extensions: [entry] }));
    // A folder's settings count for the extensions of that folder.
    inFolder(".pi/settings.json", { extensions: ["-extensions/patchbay.js"] });
    const found = await findWeakenedReviews(platform, platform.workspace);
    expect(found).toMatchObject(isOff ? [{ agent: "pi", setting: "extensions", file, isOfFolder: false }] : []);
    put(file, JSON.stringify({ extensions: [entry, "+extensions/patchbay.js"] }));
    const isForced = isOff && entry.startsWith("-");
    expect(await findWeakenedReviews(platform, platform.workspace)).toHaveLength(isForced ? 1 : 0);
  });

  it("is nothing in a folder that the user has told Gemini CLI not to trust", async () => {
    const { platform, inFolder, trust } = await setUp();
    inFolder(".gemini/settings.json", { hooksConfig: { enabled: false } });
    trust("DO_NOT_TRUST");
    expect(await findWeakenedReviews(platform, platform.workspace)).toEqual([]);
  });

  it("is nothing where no hook is installed, and told apart from what the user has set", async () => {
    const { platform, put, inFolder } = await setUp();
    put(join(platform.home, ".qwen", "settings.json"), '{ "disableAllHooks": true }');
    inFolder(".qwen/settings.json", { disableAllHooks: true });
    expect(await findWeakenedReviews(platform, platform.workspace)).toEqual([]);
  });

  it("is told of each agent, also while nobody closes what was said of another", async () => {
    const { platform, inFolder } = await setUp();
    inFolder(".claude/settings.json", { disableAllHooks: true });
    inFolder(".gemini/settings.json", { hooksConfig: { enabled: false } });
    const said: string[] = [];
    const show = ({ values }: HostMessage): Promise<undefined> => {
      said.push(values["agent"] ?? "nobody");
      return new Promise(() => {});
    };
    void warnOfSettings({ messages: { show } }, platform, { folders: [platform.workspace], told: new Set() });
    await expect.poll(() => said.toSorted(), { timeout: 10_000 }).toEqual(["Claude Code", "Gemini CLI"]);
  });

  it("is told beside what is no JSON, of agents that are used", async () => {
    // No agent is on it: one is used that has left settings in the home.
    const { platform, put, inFolder } = await setUp({ PATH: "/nowhere" });
    const own = put(join(platform.home, ".qwen", "settings.json"), "{ nonsense");
    const shared = put(join(platform.workspace, ".gemini", "settings.json"), "");
    put(join(platform.workspace, ".github", "copilot", "settings.json"), "{ nonsense");
    rmSync(join(platform.home, ".copilot"), { recursive: true });
    const off = inFolder(".claude/settings.json", { disableAllHooks: true });
    const said: (readonly [string, string | undefined])[] = [];
    const show = async ({ code, values }: HostMessage): Promise<undefined> => void said.push([code, values["file"]]);
    const facts = { folders: [platform.workspace], told: new Set<string>() };
    await warnOfSettings({ messages: { show } }, platform, facts);
    const expected = [
      ["settings-not-json", shared],
      ["settings-not-json", own],
      ["hooks-off", off],
    ];
    expect(said).toEqual(expected);
    await warnOfSettings({ messages: { show } }, platform, facts);
    expect(said).toEqual(expected);
  });

  it("is told when the editor opens the folder, once", async () => {
    const { platform, inFolder } = await setUp();
    const file = inFolder(".claude/settings.json", { disableAllHooks: true });
    const host = createMemoryEditor({ folders: [platform.workspace] });
    const companion = createCompanion({ host, platform });
    onTestFinished(() => companion.stop());
    await companion.start();
    const { message } = await host.messages.next("hooks-off");
    expect(message).toMatchObject({
      severity: "warning",
      text: `Claude Code runs no hooks in this folder, because ${file} says so (disableAllHooks). In modes that do not ask, its changes are not reviewed here.`,
      values: { agent: "Claude Code", file, setting: "disableAllHooks" },
    });
    host.setFolders([]);
    const other = inFolder(".gemini/settings.json", { hooksConfig: { enabled: false } });
    host.setFolders([platform.workspace]);
    const files = () =>
      host.shownMessages.flatMap(({ message: { code, values } }) => (code === "hooks-off" ? [values["file"]] : []));
    // The folder is looked at again, and what was said of it is not said again.
    await expect.poll(files, { timeout: 10_000 }).toEqual([file, other]);
  });
});
