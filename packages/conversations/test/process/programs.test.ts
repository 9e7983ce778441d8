import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { createFakeClock, isMissing } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentEnvironment, ProgramFinder, type ProgramFinderOptions } from "../../src/process/programs.ts";

const { clock } = createNodePlatform();
const need = { agentName: "Nova", command: "nova-agent", package: "@nova/agent" };

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "programs-")));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Puts a program there. */
async function install(folder: string, name = "nova-agent", text = "#!/bin/sh\n"): Promise<string> {
  await mkdir(join(root, folder), { recursive: true });
  const path = join(root, folder, name);
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

function finder(
  environment: Readonly<Record<string, string>>,
  more: Partial<ProgramFinderOptions> = {},
): ProgramFinder {
  return new ProgramFinder({ environment, homeDirectory: root, clock, logger: nullLogger, platform: "linux", ...more });
}

describe("the program of an agent", () => {
  it("is found on the path of the editor, in its order", async () => {
    await mkdir(join(root, "a", "nova-agent"), { recursive: true });
    const found = await install("b");
    await install("c");
    await writeFile(join(root, "plain"), "");
    const PATH = ["relative", "", join(root, "plain"), join(root, "a"), join(root, "b"), join(root, "c")].join(
      delimiter,
    );
    const launch = await finder({ PATH }).launch(need, {}, ["--acp"]);
    expect(launch).toMatchObject({ program: found, args: ["--acp"] });
  });

  it("is the one that the settings name, by its path, from the home, or as a command", async () => {
    await install("bin");
    const mine = await install("mine", "my-nova");
    const programs = finder({ PATH: [join(root, "bin"), join(root, "mine")].join(delimiter) });
    for (const program of [mine, " ~/mine/my-nova ", "my-nova"]) {
      expect(await programs.launch(need, { program }, [])).toMatchObject({ program: mine });
    }
    await expect(programs.launch(need, { program: "/no/nova" }, [])).rejects.toThrow(
      "/no/nova, which the settings name for Nova, was not found or cannot be run.",
    );
  });

  it.skipIf(isMissing("a POSIX shell"))(
    "is found on the path of a login shell, which is asked once, and its interpreter with it",
    async () => {
      const found = await install("shell-only");
      const asked = join(root, "asked");
      const shell = await install(
        "bin",
        "shell",
        `#!/bin/sh\necho "$*" >> "${asked}"\necho Welcome to my shell\nPATH="$PATH:${join(root, "shell-only")}:${join(root, "node")}"\nexport PATH\nshift 2\nexec /bin/sh "$@"\n`,
      );
      const programs = finder({ PATH: "/usr/bin:/bin", SHELL: shell });
      const launch = await programs.launch(need, {}, []);
      await programs.launch(need, {}, []);
      expect(launch.program).toBe(found);
      expect(launch.environment["PATH"]?.split(delimiter)).toEqual([
        "/usr/bin",
        "/bin",
        join(root, "shell-only"),
        join(root, "node"),
      ]);
      expect(await readFile(asked, "utf8")).toMatch(/^-i -l -c [^\n]*\n$/u);
    },
  );

  it.skipIf(isMissing("a POSIX shell"))(
    "is looked for without the shell that does not answer within three seconds",
    async () => {
      const found = await install(".local/bin");
      const shell = await install("bin", "shell", "#!/bin/sh\nexec sleep 600\n");
      const fake = createFakeClock();
      const launched = finder({ PATH: "/usr/bin:/bin", SHELL: shell }, { clock: fake }).launch(need, {}, []);
      const state = { isOver: false };
      void launched.then(() => (state.isOver = true));
      await expect
        .poll(async () => {
          await fake.advanceAsync(500);
          return state.isOver;
        })
        .toBe(true);
      expect((await launched).program).toBe(found);
      expect(fake.monotonic()).toBeGreaterThanOrEqual(3_000);
    },
  );

  it("is found where installers put programs, the newest version of Node first", async () => {
    await install(".nvm/versions/node/v9.1.0/bin");
    const newest = await install(".nvm/versions/node/v22.1.0/bin");
    const launch = await finder({ PATH: "/usr/bin:/bin" }).launch(need, {}, []);
    expect(launch.program).toBe(newest);
    expect(launch.environment["PATH"]?.split(delimiter)).toContain(join(newest, ".."));
  });

  it("is told with how to get it where there is none", async () => {
    await expect(finder({ PATH: join(root, "nothing") }).launch(need, {}, [])).rejects.toMatchObject({
      code: "not-installed",
      message: "Nova (nova-agent) is not installed. Install it with: npm install --global @nova/agent",
    });
  });

  it("is an argument of the wrapper that the settings name", async () => {
    const program = await install("bin");
    const wrapper = await install("bin", "wrap");
    const programs = finder({ PATH: join(root, "bin") });
    expect(await programs.launch(need, { wrapper: "wrap" }, ["a b", "$(c)"])).toMatchObject({
      program: wrapper,
      args: [program, "a b", "$(c)"],
    });
    await expect(programs.launch(need, { wrapper: "none" }, [])).rejects.toThrow(
      "The wrapper for Nova, none, was not found.",
    );
  });

  it("gets the variables of the session first, then those of the settings, then the user's", async () => {
    await install("bin");
    const programs = finder({ PATH: join(root, "bin"), ONE: "user", TWO: "user", THREE: "user" });
    const settings = { environment: { TWO: "settings", THREE: "settings" } };
    const { environment } = await programs.launch(need, settings, [], { THREE: "session" });
    expect(environment).toMatchObject({ ONE: "user", TWO: "settings", THREE: "session" });
  });
});

describe("the program of an agent on Windows", () => {
  const platform = "win32";
  const npmShim = (start: string): string =>
    `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n)\r\n\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & ${start} %*\r\n`;
  const pnpmShim = `@SETLOCAL\r\n@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\..\\nova\\cli.js" %*\r\n) ELSE (\r\n  node  "%~dp0\\..\\nova\\cli.js" %*\r\n)\r\n`;

  it.each([
    ["npm's, for a script", npmShim('"%_prog%"  "%dp0%\\node_modules\\nova\\cli.js"'), ["node_modules/nova/cli.js"]],
    [
      "npm's, for a script with options of Node's",
      npmShim('"%_prog%" --no-warnings=DEP0040 --max-old-space-size=99 "%dp0%\\node_modules\\nova\\cli.js"'),
      ["--no-warnings=DEP0040", "--max-old-space-size=99", "node_modules/nova/cli.js"],
    ],
    ["pnpm's", pnpmShim, ["../nova/cli.js"]],
  ])("is what a script of the command processor starts: %s", async (_whose, text, starts) => {
    await install("npm a", "nova-agent.cmd", text);
    // What is there for other shells is not for this system.
    await install("npm a");
    const node = await install("node js", "node.exe");
    const Path = [join(root, "npm a"), join(root, "node js")].join(delimiter);
    const programs = finder({ Path }, { platform });
    const args = starts.map((word) => (word.startsWith("--") ? word : join(root, "npm a", word)));
    const launch = await programs.launch(need, {}, ["--acp", 'say "%PATH%" & more']);
    expect(launch).toMatchObject({ program: node, args: [...args, "--acp", 'say "%PATH%" & more'] });
    expect(await programs.find("nova-agent")).toBe(join(root, "npm a", "nova-agent.cmd"));
    const wrapper = await install("bin", "safe.exe");
    const wrapped = await programs.launch(need, { wrapper }, ["--acp"]);
    expect(wrapped).toMatchObject({ program: wrapper, args: [node, ...args, "--acp"] });
    // A Node of its own, beside the script, comes first.
    const own = await install("npm a", "node.exe");
    expect(await programs.launch(need, {}, [])).toMatchObject({ program: own, args });
  });

  it("is the program that npm's script names, where it is none of Node's", async () => {
    const shim = npmShim('"%dp0%\\node_modules\\nova\\bin\\nova.exe"  ');
    const path = await install("npm", "nova-agent.cmd", shim);
    const launch = await finder({}, { platform }).launch(need, { program: path }, ["x"]);
    const program = join(root, "npm", "node_modules", "nova", "bin", "nova.exe");
    expect(launch).toMatchObject({ program, args: ["x"] });
  });

  it("is none where only the command processor could run it", async () => {
    await install("npm", "nova-agent.cmd", "@echo off\r\ncall something %*\r\n");
    const programs = finder({ PATH: join(root, "npm") }, { platform });
    expect(await programs.find("nova-agent")).toBeUndefined();
    await expect(programs.launch(need, {}, [])).rejects.toThrow("is not installed");
  });

  it("gets the path, however it is spelled, and once", async () => {
    await install("bin", "nova-agent.exe");
    const { environment } = await finder({ Path: join(root, "bin"), SystemRoot: "C:\\Windows" }, { platform }).launch(
      need,
      {},
      [],
    );
    expect(environment).toEqual({ PATH: join(root, "bin"), SystemRoot: "C:\\Windows" });
  });
});

describe("the environment of an agent", () => {
  it("has nothing of the editor that it is started from", () => {
    const inherited = {
      HOME: "/home/somebody",
      ANTHROPIC_API_KEY: "key",
      GEMINI_API_KEY: "key",
      TERM_PROGRAM: "vscode",
      TERM_PROGRAM_VERSION: "1",
      TERM_PRODUCT: "x",
      GEMINI_CLI_IDE_SERVER_PORT: "1",
      QWEN_CODE_IDE_SERVER_PORT: "1",
      CLAUDE_CODE_SSE_PORT: "1",
      ENABLE_IDE_INTEGRATION: "true",
      VSCODE_PID: "1",
      ELECTRON_RUN_AS_NODE: "1",
      CLAUDECODE: "1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      GONE: undefined,
    };
    expect(agentEnvironment(inherited)).toEqual({
      HOME: "/home/somebody",
      ANTHROPIC_API_KEY: "key",
      GEMINI_API_KEY: "key",
    });
    expect(agentEnvironment(inherited, { TERM_PROGRAM: "wanted" })).toMatchObject({ TERM_PROGRAM: "wanted" });
  });
});
