import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { AgentHooks } from "../../src/node/agent-hooks.ts";

function setUp() {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const home = platform.process.homeDirectory;
  const settings = join(home, ".claude", "settings.json");
  const before = '{\n\t"model": "opus"\n}\n';
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(settings, before);
  const runtime = { program: "/usr/bin/node", isElectron: false };
  const hooks = new AgentHooks({ platform, runtime, program: "// the program" });
  return { hooks, home, settings, before };
}

it("a hook is written as it was shown, and leaves no trace in the settings", async () => {
  const { hooks, home, settings, before } = setUp();
  const plan = await hooks.plan("claude", "install");
  expect(readFileSync(settings, "utf8")).toBe(before);
  expect(await hooks.apply()).toBeUndefined();
  expect(plan).toEqual({ kind: "change", file: settings, before, after: readFileSync(settings, "utf8") });
  expect(readFileSync(join(home, ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
  expect(await hooks.list()).toContainEqual(expect.objectContaining({ agent: "claude", presence: "installed" }));
  expect(await hooks.plan("claude", "install")).toMatchObject({ kind: "nothing" });
  await hooks.plan("claude", "remove");
  expect(await hooks.apply()).toBeUndefined();
  expect(readFileSync(settings, "utf8")).toBe(before);
});

it("nothing is written that was not planned, or that has changed since", async () => {
  const { hooks, settings } = setUp();
  expect(await hooks.apply()).toBe("Nothing was planned.");
  await hooks.plan("claude", "install");
  writeFileSync(settings, "{}");
  expect(await hooks.apply()).toContain("has just been changed");
  expect(readFileSync(settings, "utf8")).toBe("{}");
});

it("what agents run is put right with the start of the application, and its log says so", async () => {
  const { hooks, home, settings, before } = setUp();
  const log: string[] = [];
  const warn = (line: string): void => void log.push(line);
  await hooks.repair(warn);
  expect(log).toEqual([]);
  await hooks.plan("claude", "install");
  await hooks.apply();
  const place = join(home, ".patchbay", "patchbay-hook.cjs");
  writeFileSync(
    settings,
    readFileSync(settings, "utf8").replaceAll(/"command": ".*"/gu, `"command": "node ${place} claude"`),
  );
  await hooks.repair(warn);
  expect(log).toMatchObject([expect.stringContaining(`The hook of Claude Code in ${settings}`)]);
  expect(readFileSync(settings, "utf8")).toContain("esac");
  await hooks.plan("claude", "remove");
  await hooks.apply();
  expect(readFileSync(settings, "utf8")).toBe(before);
});
