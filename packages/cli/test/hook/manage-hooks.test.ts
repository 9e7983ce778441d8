import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTestPlatform, homeVariables } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { repairHooks } from "@patchbay/core/hook-settings";
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
  let program = "console.log(1);";
  const release = (): void => {
    program = "console.log(2);";
  };
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
      readProgram: async () => program,
      runtime: { program: process.execPath, isElectron: false },
      paint: createPaint(false),
      print: (text) => void printed.push(text),
      ask: async () => answer,
    });
  const placed = join(platform.home, ".patchbay", "patchbay-hook.cjs");
  return { platform, file, run, printed, placed, release };
}

/** As it stands between the quotation marks of JSON. */
function inJson(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

function stubHome(home: string): void {
  for (const [name, value] of Object.entries(homeVariables(home))) vi.stubEnv(name, value);
}

describe("patchbay hook", () => {
  it("shows what it is about to write, and writes it after a yes", async () => {
    const { file, run, printed } = setUp('{\n  "model": "opus"\n}\n');
    expect(await run("install", true)).toBe(0);
    expect(printed.join("\n")).toMatch(/settings\.json[\s\S]*\+ .*"PreToolUse"[\s\S]*Claude Code: installed\./u);
    expect(readFileSync(file, "utf8")).toMatch(/patchbay-hook\.cjs' claude .*(?:esac|exit 0)",/u);
    expect(await run("status")).toBe(0);
    expect(printed.at(-1)).toBe(`Claude Code: installed (${file})`);
    expect(await run("install", true)).toBe(0);
    expect(printed.at(-1)).toBe("Claude Code: installed already.");
    expect(await run("remove", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it("says where the folder's own settings have the agent run no hooks", async () => {
    const { platform, run, printed } = setUp("{}\n");
    await run("install", true);
    const own = join(platform.workspace, ".claude", "settings.local.json");
    mkdirSync(join(platform.workspace, ".claude"));
    writeFileSync(own, '{ "disableAllHooks": true }');
    await run("status");
    expect(printed.at(-1)).toBe(
      `  It runs no hooks in this folder (disableAllHooks in ${own}), so nothing is reviewed by it.`,
    );
  });

  it("has agents run a copy in the home, which stays where the package goes, and brings it up to date", async () => {
    const { file, run, placed, release } = setUp("{}\n");
    expect(await run("install", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(`'${inJson(placed)}' claude `);
    expect(readFileSync(placed, "utf8")).toBe("console.log(1);");
    release();
    expect(await run("install")).toBe(0);
    expect(readFileSync(placed, "utf8")).toBe("console.log(2);");
  });

  it("knows a hook that runs from a package, moves it to the home, and takes it out", async () => {
    const { platform, file, run, printed, placed } = setUp("{}\n");
    const dist = join(platform.home, "npx", "dist", "patchbay-hook.cjs");
    mkdirSync(join(platform.home, "npx", "dist"), { recursive: true });
    writeFileSync(dist, "");
    await run("install", true);
    const earlier = readFileSync(file, "utf8").replaceAll(inJson(placed), inJson(dist));
    writeFileSync(file, earlier);
    await run("status");
    expect(printed.at(-1)).toBe(`Claude Code: installed (${file})`);
    rmSync(dist);
    await run("status");
    expect(printed.at(-1)).toContain(`it cannot run ${dist}: install it again`);
    expect(await run("install", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(earlier.replaceAll(inJson(dist), inJson(placed)));
    await run("status");
    expect(printed.at(-1)).toBe(`Claude Code: installed (${file})`);
    writeFileSync(file, earlier);
    expect(await run("remove", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
  });

  it("names one of an earlier version, and puts it right before a folder is served", async () => {
    const { platform, file, run, printed, placed } = setUp("{}\n");
    await run("install", true);
    const text = readFileSync(file, "utf8");
    const old = JSON.stringify(`'${process.execPath}' '${placed}' claude`);
    writeFileSync(file, text.replaceAll(/(?<="command": )".*"/gu, old));
    await run("status");
    expect(printed.at(-1)).toBe(`Claude Code: installed by an earlier version: install it again (${file})`);
    const runtime = { program: process.execPath, isElectron: false };
    const lines: string[] = [];
    const warn = (line: string): void => void lines.push(line);
    const repair = async (): Promise<void> =>
      await repairHooks({ platform, runtime, readProgram: async () => "console.log(3);", warn });
    await repair();
    expect(lines).toEqual([`The hook of Claude Code in ${file} cannot run, or is an earlier one. Repaired.`]);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readFileSync(placed, "utf8")).toBe("console.log(3);");
    await repair();
    expect(lines).toHaveLength(1);
    await run("remove", true);
    expect(readFileSync(file, "utf8")).toBe("{}\n");
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

describe("patchbay hook for an agent that loads a program", () => {
  function setUpPi() {
    const lab = setUp();
    const file = join(lab.platform.home, ".pi", "agent", "extensions", "patchbay.js");
    const run = (action: HookCommand["action"], answer?: boolean, changes: Partial<HookCommand> = {}) =>
      lab.run(action, answer, { agent: "pi", ...changes });
    return { ...lab, file, run };
  }

  it("shows the file, writes it with its program after a yes, and takes it away again", async () => {
    const { platform, file, run, printed, placed } = setUpPi();
    await run("status");
    expect(printed.at(-1)).toBe(`Pi: not installed (${file})`);
    expect(await run("install", false)).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect(await run("install", true)).toBe(0);
    expect(printed.join("\n")).toMatch(/patchbay\.js[\s\S]*\+ .*attachToAgent[\s\S]*Pi: installed\./u);
    expect(readFileSync(placed, "utf8")).toBe("console.log(1);");
    await run("status");
    expect(printed.at(-1)).toBe(`Pi: installed (${file})`);
    expect(await run("install")).toBe(0);
    expect(printed.at(-1)).toBe("Pi: installed already.");
    rmSync(placed);
    await run("status");
    expect(printed.at(-1)).toBe(`Pi: it cannot run ${placed}: install it again (${file})`);
    expect(await run("remove", true)).toBe(0);
    expect(readdirSync(join(platform.home, ".pi", "agent", "extensions"))).toEqual([]);
    await run("remove", true);
    expect(printed.at(-1)).toBe("Pi: not installed.");
  });

  it("leaves a file of that name alone that is somebody else's", async () => {
    const { file, run, printed } = setUpPi();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "export default () => {};\n");
    expect(await run("install", true)).toBe(1);
    expect(printed.at(-1)).toContain("it is not Patchbay's");
    expect(await run("remove", true)).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("export default () => {};\n");
  });

  it("writes that of an earlier version anew, also by itself", async () => {
    const { platform, file, run, printed } = setUpPi();
    await run("install", true);
    const text = readFileSync(file, "utf8");
    const earlier = text.replace("attachToAgent", "attachToNothing");
    writeFileSync(file, earlier);
    await run("status");
    expect(printed.at(-1)).toBe(`Pi: installed by an earlier version: install it again (${file})`);
    const runtime = { program: process.execPath, isElectron: false };
    const lines: string[] = [];
    await repairHooks({ platform, runtime, readProgram: async () => "", warn: (line) => void lines.push(line) });
    expect(lines).toEqual([`The hook of Pi in ${file} cannot run, or is an earlier one. Repaired.`]);
    expect(readFileSync(file, "utf8")).toBe(text);
    writeFileSync(file, earlier);
    expect(await run("remove", true)).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it("is in the folder where that is asked for", async () => {
    const { platform, file, run, printed } = setUpPi();
    const own = join(platform.workspace, ".pi", "extensions", "patchbay.js");
    expect(await run("install", true, { project: true })).toBe(0);
    expect([existsSync(own), existsSync(file)]).toEqual([true, false]);
    await run("status", undefined, { project: true });
    expect(printed.at(-1)).toBe(`Pi: installed (${own})`);
  });

  it("names a file by which Pi goes on where the program is gone, or can only be run", async () => {
    const { platform, file, run, placed } = setUpPi();
    await run("install", true);
    const module = join(platform.root, "patchbay.mjs");
    writeFileSync(module, readFileSync(file, "utf8"));
    const loaded: { default(host: unknown): void } = await import(pathToFileURL(module).href);
    stubHome(platform.home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const host = { heard: "" };
    const program = (name: string): string => `exports.${name} = (id, host) => { host.heard += id; };`;
    rmSync(placed);
    loaded.default(host);
    writeFileSync(placed, `throw new Error("It was run.");`);
    loaded.default(host);
    writeFileSync(placed, `${program("somethingElse")} // attachToAgent`);
    loaded.default(host);
    expect(host.heard).toBe("");
    const fresh = join(platform.home, "fresh");
    mkdirSync(join(fresh, ".patchbay"), { recursive: true });
    writeFileSync(join(fresh, ".patchbay", "patchbay-hook.cjs"), program("attachToAgent"));
    stubHome(fresh);
    loaded.default(host);
    expect(host.heard).toBe("pi");
  });

  it.each(["opencode", "kilo"] as const)(
    "gives %s what it calls, also by a link, and takes the file away",
    async (agent) => {
      const { platform, run, printed, placed } = setUp();
      const real = join(platform.home, "dotfiles");
      const directory = join(platform.home, ".config", agent);
      mkdirSync(real);
      mkdirSync(dirname(directory), { recursive: true });
      symlinkSync(real, directory);
      const file = join(directory, "plugin", "patchbay.js");
      expect(await run("install", true, { agent })).toBe(0);
      await run("status", undefined, { agent });
      expect(printed.at(-1)).toContain(`: installed (${file})`);
      const module = join(platform.root, "patchbay.mjs");
      writeFileSync(module, readFileSync(file, "utf8"));
      const loaded: { default(host: unknown): Promise<unknown> } = await import(pathToFileURL(module).href);
      stubHome(platform.home);
      onTestFinished(() => void vi.unstubAllEnvs());
      rmSync(placed);
      expect(await loaded.default({})).toEqual({});
      writeFileSync(placed, "exports.attachToAgent = (id, host) => ({ id, host });");
      expect(await loaded.default("host")).toEqual({ id: agent, host: "host" });
      writeFileSync(file, `${readFileSync(file, "utf8")}// by hand\n`);
      expect(await run("remove", true, { agent })).toBe(0);
      expect([readdirSync(join(real, "plugin")), readdirSync(real)]).toEqual([[], ["plugin"]]);
      expect(await run("install", true, { agent, project: true })).toBe(0);
      expect(existsSync(join(platform.workspace, `.${agent}`, "plugin", "patchbay.js"))).toBe(true);
    },
  );
});
