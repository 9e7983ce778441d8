import { spawn } from "node:child_process";

/** `nobody` of most systems: the attacker. */
export const attackerUid = 65_534;

/** An unprivileged user of no special rights: the victim, where the tests run as root. */
export const victimUid = 65_533;

/** Why the tests of two users cannot run here, or undefined where they can. */
export const noSecondUser: string | undefined =
  process.getuid?.() === 0 ? undefined : "needs root, to act as a second user";

/** Runs a shell script as the attacker; rejects where it fails. */
export async function asAttacker(script: string): Promise<string> {
  const child = spawn("/bin/sh", ["-euc", script], {
    uid: attackerUid,
    gid: attackerUid,
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`The attacker's script failed with ${code}: ${output}`);
  return output;
}
