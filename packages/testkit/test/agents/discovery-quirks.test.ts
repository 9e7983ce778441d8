import { symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createQwenDriver, findGeminiCompanion, findQwenCompanions } from "../../src/index.ts";
import { ScriptedLab } from "./scripted-lab.ts";

let lab: ScriptedLab;

beforeEach(() => {
  lab = new ScriptedLab();
});

afterEach(async () => {
  await lab.dispose();
});

describe("where Gemini CLI looks", () => {
  const find = (environment: Record<string, string> = {}, idePid = 1): number | undefined =>
    findGeminiCompanion({ ...lab.where, environment, idePid })?.port;

  it("ranks the port in the environment, its own pid, live pids, the largest pid", async () => {
    const { record } = await lab.listen();
    const dead = 2 ** 22;
    record("gemini", { port: 11 }, `gemini-ide-server-${dead + 1}-11.json`);
    record("gemini", { port: 12 }, `gemini-ide-server-${dead + 2}-12.json`);
    expect(find()).toBe(12);
    record("gemini", { port: 13 }, `gemini-ide-server-${process.pid}-13.json`);
    expect(find()).toBe(13);
    expect(find({}, dead + 1)).toBe(11);
    expect(find({ GEMINI_CLI_IDE_PID: String(dead + 1) })).toBe(11);
    expect(find({ GEMINI_CLI_IDE_SERVER_PORT: "12" })).toBe(12);
    record("gemini", { port: 14 }, "gemini-ide-server-7.json");
    expect(find({ GEMINI_CLI_IDE_SERVER_PORT: "12" }, 7)).toBe(14);
  });

  it("wants its folder among the roots, through links and below as well, and ideInfo", async () => {
    const { record, port } = await lab.listen();
    record("gemini", { workspacePath: "/elsewhere" });
    expect(find()).toBeUndefined();
    record("gemini", { workspacePath: `/elsewhere:${lab.where.cwd}` });
    expect(find()).toBe(port);
    symlinkSync(lab.where.cwd, join(lab.root, "link"));
    expect(findGeminiCompanion({ ...lab.where, cwd: join(lab.root, "link") })?.port).toBe(port);
    record("gemini", { workspacePath: "/elsewhere:" });
    expect(find()).toBe(port);
    record("gemini", { ideInfo: undefined });
    expect(find()).toBeUndefined();
  });

  it("falls back on the environment", async () => {
    const environment = {
      GEMINI_CLI_IDE_SERVER_PORT: "15",
      GEMINI_CLI_IDE_WORKSPACE_PATH: lab.where.cwd,
      GEMINI_CLI_IDE_AUTH_TOKEN: "secret",
    };
    expect(findGeminiCompanion({ ...lab.where, environment })).toMatchObject({ port: 15, token: "secret" });
  });
});

describe("where Qwen Code looks", () => {
  it("goes on to the next lock when a port is dead, newest first, the environment's before all", async () => {
    const { record, port } = await lab.listen();
    const good = record("qwen", {});
    const dead = record("qwen", { port: 1 }, "1.lock");
    utimesSync(good, 1000, 1000);
    utimesSync(dead, 2000, 2000);
    expect(findQwenCompanions(lab.where).map((found) => found.port)).toEqual([1, port]);
    const environment = { QWEN_CODE_IDE_SERVER_PORT: String(port) };
    expect(findQwenCompanions({ ...lab.where, environment })[0]?.port).toBe(port);
    const agent = await lab.start(createQwenDriver(lab.where));
    expect(agent.status.port).toBe(port);
  });

  it("refuses another workspace even where the environment names the port, and honours QWEN_HOME", async () => {
    const { record, port } = await lab.listen();
    record("qwen", { workspacePath: "/elsewhere" });
    const environment = { QWEN_CODE_IDE_SERVER_PORT: String(port), QWEN_HOME: join(lab.where.home, ".qwen") };
    expect(findQwenCompanions({ ...lab.where, environment })).toEqual([]);
    record("qwen", {});
    expect(findQwenCompanions({ ...lab.where, environment })).toHaveLength(1);
    expect(findQwenCompanions({ ...lab.where, environment: { QWEN_HOME: join(lab.root, "none") } })).toEqual([]);
  });
});
