import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { createFakeClock } from "@patchbay/testkit";
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
  return new ProgramFinder({ environment, homeDirectory: root, clock, logger: nullLogger, ...more });
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

  it("is found on the path of a login shell, which is asked once, and its interpreter with it", async () => {
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
  });

  it("is looked for without the shell that does not answer within three seconds", async () => {
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
  });

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
