import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeVariables } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";

const module = join(import.meta.dirname, "..", "..", "src", "hook", "main.ts");

/** A home with a record of a companion for Claude Code that answers so, and the hook in it. */
async function start(answer: RequestListener, stdout: "pipe" | number = "pipe", companions = 1) {
  const home = mkdtempSync(join(tmpdir(), "patchbay-hook-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, ".claude", "ide"), { recursive: true });
  const record = { workspaceFolders: [home], transport: "ws", authToken: "token", patchbay: { pid: process.pid } };
  for (let count = 0; count < companions; count += 1) {
    const port = await listen(answer);
    writeFileSync(join(home, ".claude", "ide", `${port}.lock`), JSON.stringify(record), { mode: 0o600 });
  }
  const hook = spawn(process.execPath, ["--no-warnings", "--conditions=@patchbay/source", module, "claude"], {
    env: { PATH: process.env["PATH"], ...homeVariables(home) },
    cwd: home,
    stdio: ["pipe", stdout, "pipe"],
  });
  onTestFinished(() => void hook.kill("SIGKILL"));
  let printed = "";
  let failed = "";
  hook.stdout?.on("data", (chunk) => (printed += String(chunk)));
  hook.stderr?.on("data", (chunk) => (failed += String(chunk)));
  const ended = once(hook, "close").then(([code]) => ({ code: Number(code), printed, failed }));
  return { hook, ended, event: JSON.stringify({ hook_event_name: "PreToolUse", cwd: home }) };
}

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const yes: RequestListener = (_request, response) => void response.end('{"state":"done","output":"yes"}\n');
const nothing = { code: 0, printed: "", failed: "" };

it("a hook reads an event whose pipe its agent never closes", async () => {
  const { hook, ended, event } = await start(yes);
  hook.stdin?.write(event);
  expect(await ended).toEqual({ ...nothing, printed: "yes" });
});

it("a hook reads an event that comes in pieces", async () => {
  const asked: string[] = [];
  const { hook, ended, event } = await start((request, response) => {
    request.setEncoding("utf8").on("data", (chunk) => asked.push(String(chunk)));
    request.on("end", () => yes(request, response));
  });
  const long = event.replace("{", `{"x":"${"ä}".repeat(200_000)}",`);
  hook.stdin?.write(long.slice(0, 10));
  hook.stdin?.write(long.slice(10, -5));
  hook.stdin?.write(long.slice(-5));
  expect(await ended).toEqual({ ...nothing, printed: "yes" });
  expect(asked.join("")).toBe(long);
});

it("a hook has no opinion where its event stops in the middle", async () => {
  const { hook, ended, event } = await start(yes);
  hook.stdin?.write(event.slice(0, -3));
  expect(await ended).toEqual(nothing);
});

it("a hook has no opinion of an event that is no JSON", async () => {
  const { hook, ended } = await start(yes);
  hook.stdin?.end(Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0xc3, 0x28]));
  expect(await ended).toEqual(nothing);
});

it.runIf(process.platform === "linux")(
  "a hook that cannot print what it knows is no failure of its agent",
  async () => {
    const { hook, ended, event } = await start(yes, openSync("/dev/full", "w"));
    hook.stdin?.end(event);
    expect(await ended).toEqual(nothing);
  },
);

it("a hook asks no further once companions that let nobody in have taken its time", async () => {
  let times = 0;
  const { hook, ended, event } = await start(() => void (times += 1), "pipe", 5);
  hook.stdin?.end(event);
  expect(await ended).toEqual(nothing);
  expect(times).toBe(2);
});

it("a hook that a hung editor does not let in asks the next one", async () => {
  let times = 0;
  const answer: RequestListener = (request, response) => {
    times += 1;
    if (times > 1) yes(request, response);
  };
  const { hook, ended, event } = await start(answer, "pipe", 2);
  hook.stdin?.end(event);
  expect(await ended).toEqual({ ...nothing, printed: "yes" });
});

it("a hook leaves a companion that ends each time it has asked its user, and says no", async () => {
  let times = 0;
  const { hook, ended, event } = await start((_request, response) => {
    times += 1;
    response.write('{"state":"waiting","late":"late"}\n', () => response.destroy());
  });
  hook.stdin?.end(event);
  expect(await ended).toEqual({ ...nothing, printed: "late" });
  expect(times).toBe(4);
});
