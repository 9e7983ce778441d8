import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";
import { makePlace } from "../doctor/place.ts";
import { kiloBinary, nodeBinary, opencodeBinary } from "../prerequisites/components.ts";
import { ensurePrerequisites } from "../prerequisites/prerequisites.ts";

// Writes down what the real opencode and Kilo say to an editor: the golden transcripts of core's tests.

const goldens = fileURLToPath(new URL("../../../../packages/core/test/companion/golden", import.meta.url));

/** Of each connection, and not of the client. */
const ofConnection: ReadonlySet<string> = new Set(["host", "sec-websocket-key"]);

/** After what it was sent last, ms: it says nothing on its own. */
const listeningMs = 3_000;

/** The editor's token, in the transcript as well. */
const authToken = "TOKEN";

async function record(binary: string): Promise<readonly object[]> {
  const { root, home, folder, environment, put } = makePlace(dirname(nodeBinary()));
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await new Promise((resolve) => server.on("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const path = join(folder, "a.txt");
  put(path, "one\ntwo\nthree\n");
  const lock = { pid: process.pid, workspaceFolders: [folder], ideName: "Editor", transport: "ws", authToken };
  put(join(home, ".claude", "ide", `${port}.lock`), JSON.stringify(lock));
  const said: object[] = [];
  const isHeard = new Promise<WebSocket>((resolve) => {
    server.on("connection", (socket, { headers }) => {
      said.push({
        headers: Object.fromEntries(Object.entries(headers).filter(([header]) => !ofConnection.has(header))),
      });
      socket.on("message", (data) => {
        const message: { readonly id?: number; readonly method?: string } = JSON.parse(
          Buffer.isBuffer(data) ? data.toString("utf8") : "",
        );
        said.push({ message });
        const result = {
          protocolVersion: "2025-11-25",
          capabilities: {},
          serverInfo: { name: "Editor", version: "1" },
        };
        if (message.method === "initialize") socket.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
        if (message.method === "notifications/initialized") resolve(socket);
      });
    });
  });
  const agent = spawn("script", ["-qfec", binary, "/dev/null"], {
    cwd: folder,
    env: environment,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  try {
    const socket = await isHeard;
    const selection = { start: { line: 2, character: 0 }, end: { line: 2, character: 3 } };
    const told = [
      { method: "selection_changed", params: { filePath: path, text: "two", selection } },
      { method: "at_mentioned", params: { filePath: path, lineStart: 2, lineEnd: 3 } },
    ];
    for (const notification of told) socket.send(JSON.stringify({ jsonrpc: "2.0", ...notification }));
    await wait(listeningMs);
    return said;
  } finally {
    if (agent.pid !== undefined) process.kill(-agent.pid, "SIGKILL");
    server.close();
    await wait(300);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

await ensurePrerequisites(["opencode", "kilo"], (line) => console.log(line));
for (const [name, binary] of [
  ["opencode", opencodeBinary()],
  ["kilo", kiloBinary()],
] as const) {
  const lines = (await record(binary)).map((line) => JSON.stringify(line));
  writeFileSync(join(goldens, `${name}.jsonl`), `${lines.join("\n")}\n`);
  console.log(`${name}: ${lines.length} lines`);
}
process.exit(0);
