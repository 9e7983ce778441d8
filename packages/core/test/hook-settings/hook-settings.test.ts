import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createTestPlatform, type TestPlatform, shownMode } from "@patchbay/testkit";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeHook } from "../../src/agents/claude/behaviour.ts";
import { geminiHook } from "../../src/agents/gemini/behaviour.ts";
import { applyPlan } from "../../src/hook-settings/apply.ts";
import { readJson } from "../../src/hook-settings/edit-json.ts";
import { hookPresence, planInstall, planRemove, type SettingsPlan } from "../../src/hook-settings/plan.ts";
import { handWritten } from "./settings-texts.ts";

const command = '"/usr/bin/node" "/opt/patchbay/dist/patchbay-hook.cjs" claude';

function setUp(text?: string) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  return settingsOf(platform, text);
}

function settingsOf(platform: TestPlatform, text?: string, isStrict = false) {
  const request = {
    place: { platform, folder: platform.workspace },
    scope: "user",
    // The same in the form of agents that read comments.
    settings: { ...claudeHook.settings, isStrict },
    command,
  } as const;
  const file = request.settings.file(request.place, "user");
  mkdirSync(dirname(file), { recursive: true });
  if (text !== undefined) writeFileSync(file, text);
  const run = async (plan: SettingsPlan): Promise<SettingsPlan["kind"]> => {
    if (plan.kind === "change") await applyPlan(platform, plan);
    return plan.kind;
  };
  return {
    platform,
    request,
    file,
    install: async () => run(await planInstall(request)),
    remove: async () => run(await planRemove(request)),
    presence: () => hookPresence(request),
    read: () => readFileSync(file, "utf8"),
    names: () => readdirSync(dirname(file)).toSorted(),
  };
}

const people = `// mine
{
  "model": "opus", // the good one
  /* others' */
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "check.sh" }] }, // keep
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "beep" }] }]
  },
  "env": { "A": "1" }
}
`;

const others = JSON.stringify({
  hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "patchbay hooked" }] }] },
});

describe("the hook in an agent's settings", () => {
  it("makes them where there are none, and leaves nothing behind", async () => {
    const { install, remove, presence, read, names, file } = setUp();
    expect(await presence()).toBe("absent");
    expect(await install()).toBe("change");
    expect(statSync(file).mode & 0o777).toBe(shownMode(0o600));
    const settings: unknown = JSON.parse(read());
    expect(settings).toMatchObject({
      hooks: {
        PreToolUse: [
          {
            matcher: "Write|Edit|MultiEdit|NotebookEdit|Bash",
            hooks: [{ type: "command", command, timeout: 3_600 }],
          },
        ],
        Stop: [{ hooks: [{ command }] }],
      },
    });
    expect(await presence()).toBe("installed");
    expect(await install()).toBe("nothing");
    expect(await remove()).toBe("change");
    expect(names()).toEqual([]);
    expect(await remove()).toBe("nothing");
  });

  it("gives back a file in which nothing stood", async () => {
    const { install, remove, read, names } = setUp("{}\n");
    await install();
    await remove();
    expect(read()).toBe("{}\n");
    expect(names()).toEqual(["settings.json"]);
  });

  it("stands beside what people and others wrote, which stays as it is", async () => {
    const { install, remove, read, names } = setUp(people);
    await install();
    const now = read();
    for (const line of people.split("\n")) expect(now.replaceAll(/,(?=\n)/gu, "")).toContain(line.replace(/,$/u, ""));
    expect(names()).toEqual(["settings.json", "settings.json.before-patchbay"]);
    await remove();
    expect(read()).toBe(people);
    expect(names()).toEqual(["settings.json"]);
  });

  it("is taken out of what was changed since", async () => {
    const { install, remove, read, file } = setUp(people);
    await install();
    writeFileSync(file, read().replace('"opus"', '"haiku"'));
    await remove();
    expect(read()).toBe(people.replace('"opus"', '"haiku"'));
  });

  it.each([people, '{ "model": "opus", }\n'])(
    "is not entered where its agent would ignore all of it: %j",
    async (text) => {
      const platform = createTestPlatform();
      onTestFinished(() => platform.dispose());
      const loose = settingsOf(platform, text);
      await loose.install();
      const installed = loose.read();
      const strict = settingsOf(platform, undefined, true);
      expect(await strict.presence()).toBe("unreadable");
      expect(await strict.remove()).toBe("change");
      expect(strict.read()).toBe(text);
      const plan = await planInstall(strict.request);
      expect(plan).toMatchObject({ kind: "refused", reason: expect.stringContaining("comments or trailing commas") });
      expect(installed).not.toBe(text);
    },
  );

  it("takes the place of an earlier one, and tells when a part is missing", async () => {
    const { install, presence, read, file, remove } = setUp(people);
    await install();
    writeFileSync(
      file,
      read().replaceAll("/opt/patchbay/dist", "/old/patchbay/dist").replaceAll("SessionEnd", "Other"),
    );
    expect(await presence()).toBe("partly");
    await install();
    expect(read()).not.toContain("/old/");
    await remove();
    expect(read()).toBe(people);
  });

  it("leaves what others have put beside it", async () => {
    const { install, remove, read, file } = setUp(people);
    await install();
    const theirs = '{ "type": "command", "command": "theirs.sh" }';
    const at = read().lastIndexOf("{", read().indexOf("patchbay-hook.cjs"));
    writeFileSync(file, `${read().slice(0, at)}${theirs}, ${read().slice(at)}`);
    expect(read()).toContain(theirs);
    await remove();
    expect(read()).toContain(theirs);
    expect(read()).not.toContain("patchbay");
    expect(readJson(read())).toBeDefined();
  });

  it("is not mistaken for a hook of others", async () => {
    const { remove, presence, read } = setUp(others);
    expect(await presence()).toBe("absent");
    expect(await remove()).toBe("nothing");
    expect(read()).toBe(others);
  });

  it.each([
    ["{", "not JSON"],
    ["[]", "no JSON object"],
    ['{"hooks":[]}', '"hooks" is no object'],
    ['{"hooks":{"Stop":{}}}', '"Stop" that is no list'],
    ["\u0000", "not JSON"],
  ])("leaves what it cannot understand alone: %j", async (text, sentence) => {
    const { request, read, names, presence } = setUp(text);
    for (const plan of [await planInstall(request), await planRemove(request)]) {
      expect(plan).toMatchObject({ kind: "refused", reason: expect.stringContaining(sentence) });
    }
    expect(await presence()).toBe("unreadable");
    expect(read()).toBe(text);
    expect(names()).toEqual(["settings.json"]);
  });

  it("follows links, and keeps the mode of the file", async () => {
    const { platform, file, install, remove } = setUp();
    const real = join(platform.root, "dotfiles.json");
    writeFileSync(real, "{}");
    chmodSync(real, 0o640);
    symlinkSync(real, file);
    await install();
    expect(readFileSync(real, "utf8")).toContain(" claude");
    expect(statSync(real).mode & 0o777).toBe(shownMode(0o640));
    await remove();
    expect(readFileSync(real, "utf8")).toBe("{}");
    expect(existsSync(`${real}.before-patchbay`)).toBe(false);
  });

  it("goes nowhere out of the folder, whatever links lie in it", async () => {
    const { platform, request } = setUp();
    const project = { ...request, scope: "project" } as const;
    const plans = async (): Promise<readonly string[]> =>
      (await Promise.all([planInstall(project), planRemove(project)])).map(({ kind }) => kind);
    const outside = join(platform.root, "outside");
    const own = join(platform.workspace, ".claude");
    mkdirSync(outside);
    symlinkSync(outside, own);
    expect(await plans()).toEqual(["refused", "refused"]);
    expect(readdirSync(outside)).toEqual([]);
    unlinkSync(own);
    mkdirSync(own);
    writeFileSync(join(outside, "others.json"), "{}");
    symlinkSync(join(outside, "others.json"), join(own, "settings.local.json"));
    expect(await plans()).toEqual(["refused", "refused"]);
    unlinkSync(join(own, "settings.local.json"));
    writeFileSync(join(platform.workspace, "shared.json"), "{}");
    symlinkSync("../shared.json", join(own, "settings.local.json"));
    expect(await plans()).toEqual(["change", "nothing"]);
  });

  it.each([
    ['{"hooks":{},"hooks":{"Stop":[]}}', /has "hooks" twice/u],
    ['{"hooks":{"PreToolUse":[],"PreToolUse":[]}}', /has "PreToolUse" twice/u],
    [`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested too deeply/u],
  ])("is not put where the agent may not find it: %.40s", async (text, reason) => {
    const { request, presence } = setUp(text);
    expect(await planInstall(request)).toMatchObject({ kind: "refused", reason: expect.stringMatching(reason) });
    expect(await presence()).toBe("unreadable");
  });

  it("says of links in a circle what they are", async () => {
    const { request, file } = setUp();
    symlinkSync("settings.json", file);
    const plan = await planInstall(request);
    expect(plan).toMatchObject({ kind: "refused", reason: expect.stringContaining("a link that leads nowhere") });
  });

  it("is not written over what somebody has just written", async () => {
    const { platform, request, read, file } = setUp("{}");
    const plan = await planInstall(request);
    writeFileSync(file, '{"model":"opus"}');
    if (plan.kind !== "change") throw new Error("Nothing was planned.");
    await expect(applyPlan(platform, plan)).rejects.toMatchObject({ code: "storage-failed" });
    expect(read()).toBe('{"model":"opus"}');
  });

  it("goes into the file of the folder that is the user's own", () => {
    const { request } = setUp();
    const { workspace } = request.place.platform;
    expect(claudeHook.settings.file(request.place, "project")).toBe(join(workspace, ".claude", "settings.local.json"));
    expect(geminiHook.settings.file(request.place, "project")).toBe(join(workspace, ".gemini", "settings.json"));
  });

  it("leaves any settings byte for byte as they were, with and without its copy", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    await fc.assert(
      fc.asyncProperty(handWritten, fc.boolean(), async (text, keepsCopy) => {
        const { install, remove, read, names, file } = settingsOf(platform, text);
        expect(await install()).toBe("change");
        expect(await hookPresence({ ...settingsOf(platform).request })).toBe("installed");
        if (!keepsCopy) writeFileSync(`${file}.before-patchbay`, "gone");
        expect(await remove()).toBe("change");
        expect(read()).toBe(text);
        expect(names()).toEqual(["settings.json"]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("settings that somebody else writes, or that cannot be written", () => {
  it.each([undefined, "{}\n"])("are left as the agent wrote them while ours were prepared: %j before", async (text) => {
    const { platform, request, file, names } = setUp(text);
    const plan = await planInstall(request);
    if (plan.kind !== "change") throw new Error(plan.kind);
    const { files } = platform;
    const late = {
      ...platform,
      files: {
        ...files,
        createExclusive: async (path: string, data: string | Iterable<string>, mode: number): Promise<void> => {
          await files.createExclusive(path, data, mode);
          if (path.endsWith(".tmp")) writeFileSync(file, '{ "model": "opus" }\n');
        },
      },
    };
    await expect(applyPlan(late, plan)).rejects.toThrow("has just been changed by somebody else. Try again.");
    expect(readFileSync(file, "utf8")).toBe('{ "model": "opus" }\n');
    expect(names()).toEqual(["settings.json"]);
  });

  it("are left as they were where the disk is full, and the user reads what to do", async () => {
    const { platform, request, read, names } = setUp("{}\n");
    const plan = await planInstall(request);
    if (plan.kind !== "change") throw new Error(plan.kind);
    const { files } = platform;
    const full = {
      ...platform,
      files: {
        ...files,
        createExclusive: async (path: string, data: string | Iterable<string>, mode: number): Promise<void> => {
          if (path.endsWith(".tmp"))
            throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
          await files.createExclusive(path, data, mode);
        },
      },
    };
    await expect(applyPlan(full, plan)).rejects.toThrow(
      "cannot be written (ENOSPC). The disk is full: free some space.",
    );
    expect(read()).toBe("{}\n");
    expect(names()).toEqual(["settings.json"]);
  });
});
