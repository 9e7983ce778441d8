import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { editorProcessOf } from "../../src/agents/gemini/behaviour.ts";
import { ancestorsOf, isStopped, otherSurroundings, surroundingsOf } from "../../src/agents/surroundings.ts";

/** The doctor (4000) below a shell (300) of an editor's terminal process (200), whose parent is the editor (100). */
function terminal(shell = "bash", environment: Readonly<Record<string, string>> = {}) {
  const platform = createMemoryPlatform({ pid: 4000, ppid: 300, environment });
  const names = new Map([
    [100, "editor"],
    [200, "pty-host"],
    [300, shell],
  ]);
  for (const [pid, name] of names) platform.files.addFile(`/proc/${pid}/comm`, `${name}\n`);
  platform.process.run(100, 1);
  platform.process.run(200, 100);
  platform.process.run(300, 200);
  return platform;
}

describe("the process that Gemini CLI takes for its editor", () => {
  it("is the grandparent of the shell, as the client's own walk has it", async () => {
    expect(await ancestorsOf(terminal())).toEqual([300, 200, 100, 1]);
    expect(await editorProcessOf(terminal())).toBe(100);
    expect(await editorProcessOf(terminal("-zsh"))).toBe(100);
  });

  it("is the shell's parent where the tree has one level only", async () => {
    const platform = terminal();
    platform.process.run(200, 1);
    expect(await editorProcessOf(platform)).toBe(200);
  });

  it("is what the variable says, and unknown without a shell", async () => {
    expect(await editorProcessOf(terminal("bash", { GEMINI_CLI_IDE_PID: "77" }))).toBe(77);
    expect(await editorProcessOf(terminal("python3"))).toBeUndefined();
  });
});

describe("what the system tells of a process", () => {
  it("is whether it is stopped", async () => {
    const platform = createMemoryPlatform();
    const states = new Map([
      [7, "T"],
      [8, "S"],
    ]);
    Object.assign(platform.process, { stateOf: async (pid: number) => states.get(pid) });
    expect([await isStopped(platform, 7), await isStopped(platform, 8), await isStopped(platform, 9)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is where its agents look", async () => {
    const platform = createMemoryPlatform();
    platform.files.addFile("/proc/7/environ", "HOME=/home/other\0TMPDIR=/var/tmp/\0QWEN_HOME=/q\0A=b=c\0");
    const found = await surroundingsOf(platform, 7);
    expect(found).toMatchObject({ homeDirectory: "/home/other", temporaryDirectory: "/var/tmp" });
    expect([found?.environment("QWEN_HOME"), found?.environment("A"), found?.environment("X")]).toEqual([
      "/q",
      "b=c",
      undefined,
    ]);
    expect(await surroundingsOf(platform, 8)).toBeUndefined();
  });

  it("is looked for above this terminal, in the user's home as written down, and in /tmp", async () => {
    const platform = terminal();
    platform.files.addFile("/proc/100/environ", "HOME=/home/editor\0");
    platform.files.addFile("/etc/passwd", "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n");
    const homes = (await otherSurroundings(platform)).map(({ homeDirectory, temporaryDirectory }) => [
      homeDirectory,
      temporaryDirectory,
    ]);
    expect(homes).toEqual([
      ["/home/editor", "/tmp"],
      ["/home/ada", "/tmp"],
      ["/home/ada", "/tmp"],
    ]);
  });
});
