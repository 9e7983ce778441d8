import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { asAttacker, noSecondUser, victimUid } from "../src/attack/other-user.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { makeSandbox, pause } from "./editor.ts";

const program = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/** What `patchbay serve --json` says within two seconds; it runs as a user who owns the sandbox. */
async function serve(sandbox: Sandbox, variables: Readonly<Record<string, string>>, uid?: number): Promise<string> {
  const child = spawn(
    process.execPath,
    ["--no-warnings", "--conditions=@patchbay/source", program, "serve", "--json"],
    {
      cwd: sandbox.workspace,
      env: { PATH: process.env["PATH"], HOME: sandbox.home, TMPDIR: sandbox.tmp, ...variables },
      stdio: ["pipe", "pipe", "pipe"],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, "close");
  for (let waited = 0; waited < 10_000 && !said.includes('"event":"listening"'); waited += 100) await pause(100);
  await pause(1_000);
  child.kill("SIGTERM");
  await ended;
  return said;
}

function pathsBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}

describe("the directory for state", () => {
  it("E10 nothing is kept in another user's directory for state, nor behind his link, and the user hears why", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const plants: readonly ((state: string) => string)[] = [
      (state) => `umask 0; mkdir ${state}/patchbay`,
      (state) => `umask 0; mkdir -p ${state}/patchbay/serve ${state}/patchbay/turns`,
      (state) => `umask 0; mkdir -p ${dirname(state)}/theirs/serve; ln -s ${dirname(state)}/theirs ${state}/patchbay`,
      (state) => `ln -s ${dirname(state)}/not-there ${state}/patchbay`,
    ];
    for (const plant of plants) {
      const sandbox = makeSandbox();
      sandbox.ownedBy(victimUid);
      // Shared, as a temporary directory is.
      const state = join(sandbox.tmp, "state");
      mkdirSync(state);
      chmodSync(state, 0o1777);
      await asAttacker(plant(state));
      const before = pathsBelow(sandbox.tmp);
      const said = await serve(sandbox, { XDG_STATE_HOME: state }, victimUid);
      const after = pathsBelow(sandbox.tmp).filter((path) => !/^(?:gemini|qwen)(?:\/|$)/u.test(path));
      expect(after, plant("STATE")).toEqual(before);
      expect(said, plant("STATE")).toContain(join(state, "patchbay"));
      expect(said, plant("STATE")).toMatch(/is a symbolic link|belongs to another user/u);
      expect(said, plant("STATE")).toContain("XDG_STATE_HOME");
    }
  });

  it("E10 a relative XDG_STATE_HOME is no place for it: nothing is written into the workspace", async () => {
    const sandbox = makeSandbox();
    await serve(sandbox, { XDG_STATE_HOME: "state", XDG_CONFIG_HOME: "config", XDG_DATA_HOME: "data" });
    expect(pathsBelow(sandbox.workspace)).toEqual([]);
    const kept = join(sandbox.home, ".local", "state", "patchbay", "serve");
    expect(existsSync(kept)).toBe(true);
    expect(lstatSync(kept).mode & 0o022).toBe(0);
  });
});
