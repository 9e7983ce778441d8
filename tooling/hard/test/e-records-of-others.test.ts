import { spawn } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { asAttacker, attackerUid, noSecondUser, squatAsAttacker, victimUid } from "../src/attack/other-user.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { makeSandbox } from "./editor.ts";

const port = 45_871;
const name = `gemini-ide-server-1-${port}.json`;
const answer = z.object({ found: z.number(), outputs: z.array(z.string().nullable()) });

/** Asks a hook that runs as the victim, so many times. */
async function askHook(sandbox: Sandbox, times: number): Promise<z.output<typeof answer>> {
  const program = fileURLToPath(new URL("../src/attack/asking-hook.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--conditions=@patchbay/source", "--disable-warning=ExperimentalWarning", program, sandbox.workspace, `${times}`],
    {
      uid: victimUid,
      gid: victimUid,
      env: { HOME: sandbox.home, TMPDIR: sandbox.tmp, PATH: "/usr/bin:/bin" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  await new Promise((resolve) => child.once("close", resolve));
  return answer.parse(JSON.parse(output));
}

const commandLine = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

/** Has the victim's own commands look for running editors. */
async function look(sandbox: Sandbox): Promise<void> {
  const { workspace, home, tmp } = sandbox;
  for (const command of [["doctor", "--json", "--agent", "gemini", workspace], ["status", "--json"], ["env"]]) {
    const child = spawn(process.execPath, ["--conditions=@patchbay/source", "--no-warnings", commandLine, ...command], {
      uid: victimUid,
      gid: victimUid,
      cwd: workspace,
      env: { HOME: home, TMPDIR: tmp, PATH: "/usr/bin:/bin" },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.once("close", resolve));
  }
}

/** A record that a running editor might have left. */
function writeRecord(sandbox: Sandbox, path: string, uid: number): void {
  const record = { port, workspacePath: sandbox.workspace, authToken: "t", patchbay: { pid: process.pid } };
  writeFileSync(path, JSON.stringify(record), { mode: 0o600 });
  chownSync(path, uid, uid);
}

function makeRecords(sandbox: Sandbox, uid: number): string {
  for (const directory of [join(sandbox.tmp, "gemini"), join(sandbox.tmp, "gemini", "ide")]) {
    mkdirSync(directory, { mode: 0o755 });
    chownSync(directory, uid, uid);
  }
  return join(sandbox.tmp, "gemini", "ide");
}

/** The attacker puts his record in the place of the victim's, and the victim's back, until the test ends. */
function swapForEver(directory: string): void {
  const program = `
    const { renameSync } = require("node:fs");
    const [record, mine, theirs] = ["${name}", "mine", "theirs"].map((one) => "${directory}/" + one);
    process.on("SIGTERM", () => process.exit());
    setInterval(() => {}, 1000);
    const swap = () => {
      for (let i = 0; i < 200; i += 1) {
        renameSync(record, theirs); renameSync(mine, record);
        renameSync(record, mine); renameSync(theirs, record);
      }
      setImmediate(swap);
    };
    swap();`;
  const racer = spawn(process.execPath, ["-e", program], {
    uid: attackerUid,
    gid: attackerUid,
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    stdio: "ignore",
  });
  onTestFinished(() => void racer.kill("SIGKILL"));
}

describe("records that another user had his hands on", () => {
  it("E09 a hook tells a stranger nothing, however he swaps the record in a directory that he prepared", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    sandbox.ownedBy(victimUid);
    const directory = makeRecords(sandbox, attackerUid);
    writeRecord(sandbox, join(directory, name), victimUid);
    writeRecord(sandbox, join(directory, "mine"), attackerUid);
    // He may let everybody read his own.
    await asAttacker(`chmod 644 ${join(directory, "mine")}`);
    const stranger = await squatAsAttacker(port);
    onTestFinished(async () => await stranger.end());
    swapForEver(directory);
    const { found, outputs } = await askHook(sandbox, 150);
    expect(stranger.heard().trim()).toBe("listening");
    expect({ found, outputs }).toEqual({ found: 0, outputs: [null] });
  });

  it("E09 nor in a directory of the victim's, for a record of the stranger's, a link to one, or a pipe", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    sandbox.ownedBy(victimUid);
    const directory = makeRecords(sandbox, victimUid);
    const stranger = await squatAsAttacker(port);
    onTestFinished(async () => await stranger.end());
    const elsewhere = join(sandbox.tmp, "planted.json");
    writeRecord(sandbox, elsewhere, attackerUid);
    writeRecord(sandbox, join(directory, name), attackerUid);
    await asAttacker(`chmod 644 ${elsewhere}`);
    for (const plant of [`chmod 644 ${name}`, `ln -sf ${elsewhere} ${name}`, `rm ${name}; mkfifo ${name}`]) {
      await asRoot(directory, plant);
      expect((await askHook(sandbox, 3)).found, plant).toBe(0);
    }
    expect(stranger.heard().trim()).toBe("listening");
    // What is the victim's own is found there.
    await asRoot(directory, `rm ${name}`);
    writeRecord(sandbox, join(directory, name), victimUid);
    expect((await askHook(sandbox, 1)).found).toBe(1);
  });

  it("E09 nor does the command that looks for editors, and it believes what is the victim's own", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    sandbox.ownedBy(victimUid);
    const directory = makeRecords(sandbox, attackerUid);
    writeRecord(sandbox, join(directory, name), victimUid);
    writeRecord(sandbox, join(directory, "mine"), attackerUid);
    await asAttacker(`chmod 644 ${join(directory, "mine")}`);
    const stranger = await squatAsAttacker(port);
    onTestFinished(async () => await stranger.end());
    // The victim's own record, in a directory where a stranger may put another one in its place.
    await look(sandbox);
    expect(stranger.heard()).not.toMatch(/authorization/iu);
    swapForEver(directory);
    for (let round = 0; round < 3; round += 1) await look(sandbox);
    // Whether somebody listens there may be asked, as of every port: nothing is told with it.
    expect(stranger.heard()).not.toMatch(/authorization/iu);
    const safe = makeSandbox();
    safe.ownedBy(victimUid);
    writeRecord(safe, join(makeRecords(safe, victimUid), name), victimUid);
    await look(safe);
    expect(stranger.heard()).toContain('"authorization","Bearer t"');
  }, 120_000);
});

async function asRoot(directory: string, script: string): Promise<void> {
  const child = spawn("/bin/sh", ["-euc", script], { cwd: directory, stdio: "inherit" });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
}
