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

/** A program of the attacker's on a port of ours, which notes every header that agents show it. */
export interface Squatter {
  /** What came so far. */
  heard(): string;
  end(): Promise<void>;
}

/** Has the attacker listen on a port as soon as he can. */
export async function squatAsAttacker(port: number): Promise<Squatter> {
  const program = `
    const server = require("node:http").createServer((request, response) => {
      process.stdout.write(JSON.stringify(request.rawHeaders) + "\\n");
      response.writeHead(204, { "patchbay-proof": String(request.headers["patchbay-challenge"]) }).end();
    });
    const take = () => server.listen(${port}, "127.0.0.1");
    server.on("error", () => setTimeout(take, 5));
    server.on("listening", () => process.stdout.write("listening\\n"));
    take();`;
  const child = spawn(process.execPath, ["-e", program], {
    uid: attackerUid,
    gid: attackerUid,
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      if (output.includes("listening")) resolve();
    });
  });
  return {
    heard: () => output,
    end: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
