import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentOf, createNodePlatform } from "@patchbay/core";
import { runHook } from "@patchbay/core/hook";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../src/sandbox.ts";
import { makeSandbox, pause } from "./editor.ts";

const program = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
const secret = "hunter2-very-secret";
const open = "what may be kept";

const names =
  ".env .env.local .env.production prod.env .envrc .netrc _netrc .npmrc .pypirc .htpasswd .pgpass .git-credentials .dockercfg .my.cnf .vault-token credentials secrets.yaml id_rsa id_ed25519 server.key cert.pem store.p12 prod.tfvars a.tfstate .ssh/config .aws/config id_rsa.bak .ENV".split(
    " ",
  );

/** The command, as a user of the sandbox starts it. */
function patchbay(sandbox: Sandbox, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, ["--no-warnings", "--conditions=@patchbay/source", program, ...args], {
    cwd: sandbox.workspace,
    env: { PATH: process.env["PATH"], HOME: sandbox.home, TMPDIR: sandbox.tmp },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Claude Code writes a file, and tells of it by its hook. */
async function write(sandbox: Sandbox, name: string, text: string): Promise<void> {
  const { process: own, ...node } = createNodePlatform();
  const facts = { homeDirectory: sandbox.home, temporaryDirectory: sandbox.tmp, environment: () => undefined };
  const tell = async (event: string): Promise<string | undefined> =>
    await runHook({
      platform: { ...node, process: { ...own, ...facts } },
      dialect: agentOf("claude"),
      event: JSON.stringify({
        session_id: "s1",
        cwd: sandbox.workspace,
        hook_event_name: event,
        permission_mode: "bypassPermissions",
        tool_name: "Write",
        tool_input: { file_path: sandbox.file(name), content: text },
      }),
      cwd: sandbox.workspace,
      limitMs: 10_000,
    });
  expect(await tell("PreToolUse")).toBeUndefined();
  mkdirSync(dirname(sandbox.file(name)), { recursive: true });
  writeFileSync(sandbox.file(name), text);
  await tell("PostToolUse");
}

function textsBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
}

describe("what is kept of turns", () => {
  it("C08 no text of .env and key files is kept of turns, nor shown by the command", async () => {
    const sandbox = makeSandbox();
    for (const name of names.slice(0, 8)) writeFileSync(sandbox.file(name), `BEFORE=${secret}\n`);
    const serving = patchbay(sandbox, ["serve", "--json", "--reviews", "never"]);
    serving.stdout?.resume();
    for (let waited = 0; readdirIn(sandbox.recordsOf("claude")) === 0; waited += 50) {
      expect(waited, "it serves").toBeLessThan(10_000);
      await pause(50);
    }
    for (const name of names) await write(sandbox, name, `TOKEN=${secret} ${name}\n`);
    await write(sandbox, "public.ts", `${open}\n`);
    await pause(500);
    const ended = once(serving, "close");
    serving.kill("SIGTERM");
    await ended;
    const state = join(sandbox.home, ".local", "state");
    const kept = textsBelow(state);
    expect(kept.filter((text) => text.includes(secret))).toEqual([]);
    expect(kept.filter((text) => text.startsWith(open))).toHaveLength(1);
    // The names are known, and no text of them is shown.
    const diff = patchbay(sandbox, ["diff"]);
    let shown = "";
    diff.stdout?.on("data", (chunk: Buffer) => (shown += chunk.toString("utf8")));
    await once(diff, "close");
    for (const name of names) expect(shown, name).toContain(name);
    expect(shown).not.toContain(secret);
    expect(shown).toContain(open);
  });
});

function readdirIn(directory: string): number {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".lock")).length;
  } catch {
    return 0;
  }
}
