import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeProcessFacts } from "../../src/platform/node-process.ts";
import { findPeerProcess } from "../../src/platform/node-peer-process.ts";

const isLinux = process.platform === "linux";
const uid = process.getuid?.() ?? -1;

/** A process of its own that is connected to us from `host`, and our end of that. */
async function connected(
  host: string,
  name?: string,
): Promise<{ readonly child: ChildProcess; readonly socket: Socket }> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const program = `${name === undefined ? "" : `process.title="${name}";`}require("node:net").connect(${port}, ${JSON.stringify(host)}).resume()`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [socket]: readonly Socket[] = await once(server, "connection");
  if (socket === undefined) throw new Error("no connection");
  socket.on("error", () => {});
  return { child, socket };
}

function portsOf({ localPort = 0, remotePort = 0 }: Socket): { localPort: number; remotePort: number } {
  return { localPort, remotePort };
}

describe.runIf(isLinux)("the process behind a connection", () => {
  it.each(["127.0.0.1", "::1"])("is found over %s", async (host) => {
    const { child, socket } = await connected(host);
    expect(await findPeerProcess(portsOf(socket), uid)).toBe(child.pid);
    expect(await createNodeProcessFacts().peerOf?.(portsOf(socket))).toBe(child.pid);
  });

  it("is not told once the connection has ended", async () => {
    const { child, socket } = await connected("127.0.0.1");
    const ports = portsOf(socket);
    child.kill("SIGKILL");
    await once(socket.resume(), "close");
    expect(await findPeerProcess(ports, uid)).toBeUndefined();
  });

  it("is not told of a program that only passes connections on", async () => {
    const { socket } = await connected("127.0.0.1", "socat");
    expect(await findPeerProcess(portsOf(socket), uid)).toBeUndefined();
  });

  it("is not told where it is another user's, or /proc is not there", async () => {
    const { socket } = await connected("127.0.0.1");
    expect(await findPeerProcess(portsOf(socket), uid + 1)).toBeUndefined();
    expect(await findPeerProcess(portsOf(socket), uid, "/nonexistent")).toBeUndefined();
  });
});

it("is not asked for where the system does not tell it", async () => {
  const facts = createNodeProcessFacts({ kill: () => {}, platform: "darwin" });
  expect(await facts.peerOf?.({ localPort: 1, remotePort: 2 })).toBeUndefined();
});
