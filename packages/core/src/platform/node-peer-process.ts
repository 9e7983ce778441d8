import { promises as fs, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import type { TcpPorts } from "./platform.ts";

/** Programs that pass connections on: that one of them has ended says nothing about who is behind it. */
const forwarders: ReadonlySet<string> = new Set([
  "docker-proxy",
  "kubectl",
  "pasta",
  "rootlessport",
  "slirp4netns",
  "socat",
  "ssh",
  "sshd",
  "sshd-session",
]);

/** For how long processes are looked at in one go, ms: an editor's thread is not held up for longer. */
const sliceMs = 4;

/**
 * The process at the other end of a connection over the loopback interface, as Linux tells it: its socket stands in
 * /proc/net/tcp with its inode, and the process has a descriptor of that (proc(5)). Undefined where it belongs to another user,
 * lives in another container, or only passes connections on.
 */
export async function findPeerProcess(ports: TcpPorts, uid: number, proc = "/proc"): Promise<number | undefined> {
  const inode = (await findInode(`${proc}/net/tcp`, ports)) ?? (await findInode(`${proc}/net/tcp6`, ports));
  if (inode === undefined) return undefined;
  const link = `socket:[${inode}]`;
  let sliceEndsAt = performance.now() + sliceMs;
  // Agents are younger than most of what runs.
  for (const pid of processIds(proc)) {
    if (performance.now() > sliceEndsAt) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndsAt = performance.now() + sliceMs;
    }
    if (holds(`${proc}/${pid}`, uid, link)) return isForwarder(`${proc}/${pid}`) ? undefined : pid;
  }
  return undefined;
}

/** The words with which a process was started; undefined where the system is not Linux. */
export function readCommand(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    // It has ended, or is another user's.
    return undefined;
  }
}

/** The inode of the peer's socket: its local port is our remote one. */
async function findInode(table: string, { localPort, remotePort }: TcpPorts): Promise<string | undefined> {
  const text = await fs.readFile(table, "latin1").catch(() => "");
  const wanted = new RegExp(
    `^\\s*\\d+: [\\dA-F]+:${hexPort(remotePort)} [\\dA-F]+:${hexPort(localPort)} 01 \\S+ \\S+ \\S+ +\\d+ +\\d+ (\\d+) `,
    "mu",
  );
  const inode = wanted.exec(text)?.[1];
  return inode === "0" ? undefined : inode;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

function processIds(proc: string): readonly number[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .sort((one, other) => other - one);
}

function holds(directory: string, uid: number, link: string): boolean {
  try {
    if (statSync(directory).uid !== uid) return false;
    return readdirSync(`${directory}/fd`).some((name) => linkOf(`${directory}/fd/${name}`) === link);
  } catch {
    // It has ended meanwhile, or lets nobody look.
    return false;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}

function isForwarder(directory: string): boolean {
  try {
    return forwarders.has(readFileSync(`${directory}/comm`, "utf8").trim());
  } catch {
    // It has ended already, which is for the caller to find.
    return false;
  }
}
