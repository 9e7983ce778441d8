import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HookCommand } from "../../src/command-line.ts";
import { manageHooks } from "../../src/hook/manage-hooks.ts";
import { createPaint } from "../../src/terminal/paint.ts";

function setUp(settings?: string) {
  const platform = createTestPlatform({ environment: { PATH: "/nowhere" } });
  onTestFinished(() => platform.dispose());
  const file = join(platform.home, ".claude", "settings.json");
  mkdirSync(join(platform.home, ".claude"));
  if (settings !== undefined) writeFileSync(file, settings);
  const printed: string[] = [];
  const run = (action: HookCommand["action"], answer?: boolean, changes: Partial<HookCommand> = {}): Promise<number> =>
    manageHooks({
      command: {
        kind: "hook",
        action,
        agent: "claude",
        folder: platform.workspace,
        project: false,
        yes: false,
        ...changes,
      },
      platform,
      script: "/opt/patch bay/dist/patchbay-hook.cjs",
      paint: createPaint(false),
      print: (text) => void printed.push(text),
      ask: async () => answer,
    });
  return { platform, file, run, printed };
}

describe("patchbay hook", () => {
  it("shows what it is about to write, and writes it after a yes", async () => {
    const { file, run, printed } = setUp('{\n  "model": "opus"\n}\n');
    expect(await run("install", true)).toBe(0);
    expect(printed.join("\n")).toMatch(/settings\.json[\s\S]*\+ .*"PreToolUse"[\s\S]*Claude Code: installed\./u);
    expect(readFileSync(file, "utf8")).toMatch(/patchbay-hook\.cjs' claude",/u);
    expect(await run("status")).toBe(0);
    expect(printed.at(-1)).toBe(`Claude Code: installed (${file})`);
    expect(await run("install", true)).toBe(0);
    expect(printed.at(-1)).toBe("Claude Code: installed already.");
    expect(await run("remove", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it.each([[false], [undefined]])("writes nothing where the answer is %s", async (answer) => {
    const { file, run, printed } = setUp();
    expect(await run("install", answer)).toBe(1);
    expect(printed.at(-1)).toContain("Nothing was written");
    expect(existsSync(file)).toBe(false);
  });

  it("does not ask with --yes, and writes into the folder with --project", async () => {
    const { platform, file, run } = setUp();
    expect(await run("install", undefined, { yes: true, project: true })).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(platform.workspace, ".claude", "settings.local.json"))).toBe(true);
  });

  it("says why it leaves settings alone", async () => {
    const { file, run, printed } = setUp("{");
    expect(await run("install", true)).toBe(1);
    expect(printed).toEqual([expect.stringContaining("was left as it is: it is not JSON")]);
    expect(readFileSync(file, "utf8")).toBe("{");
  });

  it("looks for the agents that are used, where none is named", async () => {
    const { run, printed } = setUp("{}");
    expect(await run("status", undefined, { agent: undefined })).toBe(0);
    expect(printed).toEqual([expect.stringMatching(/^Claude Code: not installed/u)]);
  });
});
