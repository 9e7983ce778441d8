import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createTestPlatform, type TestPlatform, shownMode } from "@patchbay/testkit";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { agents, type AgentId } from "../../src/agents/catalogue.ts";
import type { HookSettings } from "../../src/agents/hook.ts";
import { applyPlan } from "../../src/hook-settings/apply.ts";
import { readJson } from "../../src/hook-settings/edit-json.ts";
import { hookPresence, planInstall, planRemove, type SettingsPlan } from "../../src/hook-settings/plan.ts";
import { anyFile, anyJson, handWritten } from "./settings-texts.ts";

// Whatever agent: what is installed goes again, and leaves every byte of what was there.

interface Hooked {
  readonly id: AgentId;
  readonly settings: HookSettings;
}

const found = agents.map(async ({ id, loadHook }): Promise<readonly Hooked[]> => {
  const hook = await loadHook?.();
  return hook === undefined ? [] : [{ id, settings: hook.settings }];
});
const hooked: readonly Hooked[] = (await Promise.all(found)).flat();
/** Those whose hook is a command in settings. */
const commands = hooked.filter(({ settings }) => settings.plugin === undefined);
/** Those that load a file of ours. */
const plugins = hooked.filter(({ settings }) => settings.plugin !== undefined);

/** A new platform's settings of one agent, in its own form. */
function settingsFor(platform: TestPlatform, { id, settings }: Hooked, text: string | undefined) {
  const request = { place: { platform, folder: undefined }, scope: "user", settings } as const;
  const file = settings.file(request.place, "user");
  mkdirSync(dirname(file), { recursive: true });
  if (text === undefined) rmSync(file, { force: true });
  else writeFileSync(file, text);
  const run = async (plan: SettingsPlan): Promise<SettingsPlan["kind"]> => {
    if (plan.kind === "change") await applyPlan(platform, plan);
    return plan.kind;
  };
  return {
    file,
    install: async (node = "/usr/bin/node") =>
      run(await planInstall({ ...request, command: `'${node}' '/home/user/.patchbay/patchbay-hook.cjs' ${id}` })),
    remove: async () => run(await planRemove(request)),
    presence: () => hookPresence(request),
    read: () => readFileSync(file, "utf8"),
    names: () => readdirSync(dirname(file)).toSorted(),
  };
}

function setUp(one: Hooked, text?: string) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  return { platform, ...settingsFor(platform, one, text) };
}

function named(id: AgentId): Hooked {
  const one = hooked.find((each) => each.id === id);
  if (one === undefined) throw new Error(`${id} has no hook`);
  return one;
}

const anyAgent = fc.constantFrom(...commands);
/** With comments and trailing commas, where the agent takes them. */
const anyAgentAndFile = anyAgent.chain((agent) => {
  const file = agent.settings.isStrict ? anyFile : fc.oneof({ weight: 3, arbitrary: anyFile }, handWritten);
  return fc.record({ agent: fc.constant(agent), text: file });
});

describe("the way there and back", () => {
  it("leaves any settings of each agent byte for byte as they were, however often and by whichever version", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    await fc.assert(
      fc.asyncProperty(anyAgentAndFile, fc.boolean(), async ({ agent, text }, isNewer) => {
        const { file, install, remove, presence, read, names } = settingsFor(platform, agent, text);
        expect(await install(isNewer ? "/opt/old/node" : undefined)).toBe("change");
        expect(await presence()).toBe("installed");
        if (isNewer) expect(await install()).toBe("change");
        const [{ mtimeNs, ino }, installed] = [statSync(file, { bigint: true }), read()];
        expect(readJson(installed.replace(/^\ufeff/u, ""))).toBeDefined();
        expect(await install()).toBe("nothing");
        expect(read()).toBe(installed);
        expect(statSync(file, { bigint: true })).toMatchObject({ mtimeNs, ino });
        expect(await remove()).toBe("change");
        expect(names()).toEqual(text === undefined ? [] : [basename(file)]);
        if (text !== undefined) expect(read()).toBe(text);
        expect(await remove()).toBe("nothing");
      }),
      { numRuns: 300 },
    );
  });

  it("leaves what was changed meanwhile, and each list that was empty before", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    await fc.assert(
      fc.asyncProperty(anyAgent, anyJson, async (agent, text) => {
        // Of settings in which nothing stood, the copy alone knows how they looked.
        fc.pre(!/^\ufeff?\s*\{\s*\}\s*$/u.test(text));
        const { file, install, remove, read } = settingsFor(platform, agent, text);
        await install();
        writeFileSync(`${file}.before-patchbay`, "{}");
        expect(await remove()).toBe("change");
        expect(read()).toBe(text);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['{\n  "hooks": {}\n}\n', '"hooks": {"'],
    ['{\n  "hooks": {\n    "Stop": []\n  }\n}\n', '"Stop": [{'],
  ])("tells by its form that a list was there before: %j", async (text, form) => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const { install, read } = settingsFor(platform, named("claude"), text);
    await install();
    expect(read()).toContain(form);
  });

  it.each([undefined, "", "{}", "{}\n", "{}\r\n"])(
    "ends a file in which nothing stood as people do: %j",
    async (text) => {
      const platform = createTestPlatform();
      onTestFinished(() => platform.dispose());
      const { install, read } = settingsFor(platform, named("gemini"), text);
      await install();
      const end = text?.includes("\r\n") === true ? "\r\n" : "\n";
      const layout = `${JSON.stringify(JSON.parse(read()), undefined, 2)}\n`.replaceAll("\n", end);
      expect(read()).toBe(text === "{}" ? layout.trimEnd() : layout);
    },
  );

  it("takes out what an agent has laid out anew on one line, with the lists that were ours", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const { file, install, remove, read } = settingsFor(platform, named("qwen"), '{\n  "a": 1\n}\n');
    await install();
    writeFileSync(file, JSON.stringify(JSON.parse(read())));
    expect(await install()).toBe("nothing");
    await remove();
    expect(read()).toBe('{"a":1}');
  });

  it("leaves its place to what others have put behind it", async () => {
    const platform = createTestPlatform();
    onTestFinished(() => platform.dispose());
    const { file, install, read } = settingsFor(platform, named("claude"), '{\n  "a": 1\n}\n');
    await install();
    writeFileSync(file, read().replace(/\n\}\n$/u, ',\n  "b": 2\n}\n'));
    expect(await install()).toBe("nothing");
  });
});

it("tries each agent of the catalogue that has a hook", () => {
  expect(commands.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["claude", "gemini", "qwen", "copilot", "codex"]),
  );
  expect(plugins.map(({ id }) => id)).toEqual(expect.arrayContaining(["pi", "opencode", "kilo"]));
});

describe.each(commands)("the hook of $id", (one) => {
  const before = '{\n\t"theirs": [1,  2],\n\t"hooks": {}}';

  it.each(["file", "folder"])("leaves every byte of what a link of the %s leads to, and the link", async (kind) => {
    const { platform, file, install, remove } = setUp(one);
    const linked = kind === "file" ? file : dirname(file);
    const real = join(platform.root, "dotfiles");
    rmSync(linked, { recursive: true, force: true });
    if (kind === "folder") mkdirSync(real);
    symlinkSync(real, linked);
    const target = kind === "folder" ? join(real, basename(file)) : real;
    writeFileSync(target, before, { mode: 0o640 });
    expect(await install()).toBe("change");
    expect(readFileSync(target, "utf8")).toContain("patchbay-hook");
    expect(await remove()).toBe("change");
    expect(readFileSync(target, "utf8")).toBe(before);
    expect(statSync(target).mode & 0o777).toBe(shownMode(0o640));
    expect(lstatSync(linked).isSymbolicLink()).toBe(true);
    expect(existsSync(`${target}.before-patchbay`)).toBe(false);
  });

  it("leaves what was written by hand since", async () => {
    const { file, install, remove, read, names } = setUp(one, before);
    await install();
    writeFileSync(file, read().replace("[1,  2]", "[1,   3]"));
    expect(await remove()).toBe("change");
    expect(read()).toBe(before.replace("[1,  2]", "[1,   3]"));
    expect(names()).toEqual([basename(file)]);
  });

  it("goes with its file where that was ours alone, and with a link to where it was moved", async () => {
    const { platform, file, install, remove, names } = setUp(one);
    await install();
    const moved = join(platform.root, "moved.json");
    renameSync(file, moved);
    symlinkSync(moved, file);
    expect(await remove()).toBe("change");
    expect([existsSync(moved), names()]).toEqual([false, []]);
    expect(await install()).toBe("change");
  });
});

describe.each(plugins)("the plugin of $id", (one) => {
  it("goes without a trace, and others' beside it stay", async () => {
    const { file, install, remove, read, names } = setUp(one);
    const theirs = join(dirname(file), "theirs.js");
    writeFileSync(theirs, "export default () => {};\n");
    expect(await install()).toBe("change");
    expect(read()).toBe(one.settings.plugin);
    expect(await install()).toBe("nothing");
    expect(await remove()).toBe("change");
    expect(names()).toEqual(["theirs.js"]);
    expect(readFileSync(theirs, "utf8")).toBe("export default () => {};\n");
    expect(await remove()).toBe("nothing");
  });

  it("is renewed, and taken away, where it was changed by hand", async () => {
    const { file, install, remove, read, names, presence } = setUp(one);
    await install();
    writeFileSync(file, `${read()}// by hand\n`);
    expect(await presence()).toBe("installed");
    expect(await install()).toBe("change");
    expect(read()).toBe(one.settings.plugin);
    writeFileSync(file, read().replaceAll("\n", "\r\n"));
    expect(await remove()).toBe("change");
    expect(names()).toEqual([]);
  });

  it("leaves every byte of a file of another's that has its name", async () => {
    const text = "// My own plugin for Patchbay.\nexport default () => {};\n";
    const { install, remove, read, presence } = setUp(one, text);
    expect(await presence()).toBe("absent");
    expect(await install()).toBe("refused");
    expect(await remove()).toBe("nothing");
    expect(read()).toBe(text);
  });

  it("goes through a link of its folder, and leaves the link", async () => {
    const { platform, file, install, remove } = setUp(one);
    const real = join(platform.root, "dotfiles");
    rmSync(dirname(file), { recursive: true });
    mkdirSync(real);
    symlinkSync(real, dirname(file));
    await install();
    expect(readdirSync(real)).toEqual([basename(file)]);
    expect(await remove()).toBe("change");
    expect(readdirSync(real)).toEqual([]);
    expect(lstatSync(dirname(file)).isSymbolicLink()).toBe(true);
  });

  it("goes with a link to where it was moved", async () => {
    const { platform, file, install, remove, names } = setUp(one);
    await install();
    const moved = join(platform.root, "moved.js");
    renameSync(file, moved);
    symlinkSync(moved, file);
    expect(await remove()).toBe("change");
    expect([existsSync(moved), names()]).toEqual([false, []]);
    expect(await install()).toBe("change");
  });
});
