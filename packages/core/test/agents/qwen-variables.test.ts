import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { qwenChecks } from "../../src/agents/qwen/behaviour.ts";
import type { OwnSettings } from "../../src/agents/settings.ts";

const folder = "/home/user/code/app";
const off = '{ "ide": { "enabled": false } }';

async function read(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<OwnSettings> {
  const platform = createMemoryPlatform({ environment });
  platform.files.addDirectory(folder);
  for (const [path, text] of Object.entries(files)) platform.files.addFile(path, text);
  return await qwenChecks.readSettings({ platform, folder });
}

const port = "QWEN_CODE_IDE_SERVER_PORT";
const trusting = JSON.stringify({ security: { folderTrust: { enabled: true } } });
const level = (trust: string, of: string = folder): string => JSON.stringify({ [of]: trust });

describe("the variables that Qwen Code takes from files", () => {
  it("are those of the nearest .env, then its user's own", async () => {
    const files = {
      [`${folder}/.qwen/.env`]: `${port}=1`,
      [`${folder}/.env`]: `${port}=2\nOTHER=2`,
      "/home/user/code/.env": "ABOVE=3",
      "/home/user/.qwen/.env": `${port}=4\nMINE='4'`,
      "/home/user/.env": "MINE=5\nexport HOME_TOO=5",
    };
    expect((await read(files)).variables).toEqual({ [port]: "1", MINE: "4", HOME_TOO: "5" });
    const { [`${folder}/.qwen/.env`]: _nearest, ...others } = files;
    expect((await read(others)).variables).toEqual({ [port]: "2", OTHER: "2", MINE: "4", HOME_TOO: "5" });
    const { [`${folder}/.env`]: _next, ...above } = others;
    expect((await read(above)).variables).toEqual({ ABOVE: "3", [port]: "4", MINE: "4", HOME_TOO: "5" });
    const { "/home/user/code/.env": _above, ...none } = above;
    expect((await read(none)).variables).toEqual({ [port]: "4", MINE: "4", HOME_TOO: "5" });
    expect((await read(above)).variableFiles).toMatchObject({
      ABOVE: "/home/user/code/.env",
      MINE: "/home/user/.qwen/.env",
    });
  });

  it("are not looked for beyond the home", async () => {
    expect((await read({ "/home/.env": `${port}=1` })).variables).toEqual({});
  });

  it("do not count beside the terminal's, unless those are empty", async () => {
    const files = { "/home/user/.env": `${port}=1` };
    expect((await read(files, { [port]: "2" })).variables).toEqual({});
    expect((await read(files, { [port]: "" })).variables).toEqual({ [port]: "1" });
  });

  it("are also those of its settings, after all files", async () => {
    const settings = JSON.stringify({ env: { [port]: "3", OTHER: "3", QWEN_HOME: "/elsewhere" } });
    const files = { "/home/user/.qwen/settings.json": settings, "/home/user/.env": `${port}=1` };
    expect((await read(files)).variables).toEqual({ [port]: "1", OTHER: "3" });
  });

  it("are not those of a folder before its user trusts it", async () => {
    const files = {
      "/home/user/.qwen/settings.json": trusting,
      [`${folder}/.env`]: `${port}=1`,
      "/home/user/.env": "MINE=2",
    };
    const trusts = "/home/user/.qwen/trustedFolders.json";
    expect((await read(files)).variables).toEqual({ MINE: "2" });
    expect((await read({ ...files, [trusts]: level("DO_NOT_TRUST") })).variables).toEqual({ MINE: "2" });
    expect((await read({ ...files, [trusts]: level("TRUST_FOLDER") })).variables).toEqual({ [port]: "1", MINE: "2" });
    // A folder above that they do not trust has a file of its own.
    const { [`${folder}/.env`]: _own, ...above } = { ...files, "/home/user/code/.env": `${port}=1` };
    const distrusted = JSON.stringify({ [folder]: "TRUST_FOLDER", "/home/user/code": "DO_NOT_TRUST" });
    expect((await read({ ...above, [trusts]: distrusted })).variables).toEqual({ MINE: "2" });
  });

  it("leave out of a folder's .env what the user wants left out", async () => {
    const settings = JSON.stringify({ advanced: { excludedEnvVars: [port] } });
    const files = { "/home/user/.qwen/settings.json": settings, [`${folder}/.env`]: `${port}=1` };
    expect((await read(files)).variables).toEqual({});
    expect((await read({ ...files, [`${folder}/.qwen/.env`]: `${port}=1` })).variables).toEqual({ [port]: "1" });
  });

  it.each(["QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"])(
    "say by %s which settings count, if they are its user's",
    async (variable) => {
      const files = { "/off.json": off };
      const text = `${variable}=/off.json`;
      for (const path of ["/home/user/.qwen/.env", "/home/user/.env"])
        expect(await read({ ...files, [path]: text }), path).toMatchObject({ looksForEditor: "no" });
      for (const path of [`${folder}/.qwen/.env`, `${folder}/.env`])
        expect(await read({ ...files, [path]: text }), path).toMatchObject({ looksForEditor: "yes" });
      // Then it does not start itself anew with them.
      const once = { QWEN_CODE_NO_RELAUNCH: "true" };
      expect(await read({ ...files, "/home/user/.env": text }, once)).toMatchObject({ looksForEditor: "yes" });
    },
  );

  it("say by QWEN_HOME where its settings are, if they are its user's, and the tilde is the home", async () => {
    const files = { "/home/user/elsewhere/settings.json": off };
    for (const path of ["/home/user/.qwen/.env", "/home/user/.env"])
      expect(await read({ ...files, [path]: "QWEN_HOME=~/elsewhere" }), path).toMatchObject({
        looksForEditor: "no",
        settingsFile: "/home/user/elsewhere/settings.json",
        variableFiles: { QWEN_HOME: path },
      });
    expect(await read({ ...files, [`${folder}/.qwen/.env`]: "QWEN_HOME=~/elsewhere" })).toMatchObject({
      looksForEditor: "yes",
    });
    // What the terminal has counts, and with it the file there.
    const text = "QWEN_HOME=~/elsewhere";
    expect(await read({ ...files, "/home/user/.env": text }, { QWEN_HOME: "/q" })).toMatchObject({
      settingsFile: "/q/settings.json",
    });
  });

  it("say by QWEN_CODE_TRUSTED_FOLDERS_PATH which folders are trusted", async () => {
    const files = {
      "/home/user/.qwen/settings.json": trusting,
      "/home/user/.env": "QWEN_CODE_TRUSTED_FOLDERS_PATH=/trusted.json",
      [`${folder}/.qwen/settings.json`]: off,
    };
    expect(await read({ ...files, "/trusted.json": level("DO_NOT_TRUST") })).toMatchObject({ looksForEditor: "yes" });
    expect(await read({ ...files, "/trusted.json": level("TRUST_FOLDER") })).toMatchObject({ looksForEditor: "no" });
  });
});
