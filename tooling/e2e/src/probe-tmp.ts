import { readFile, realpath, writeFile, lstat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { WebSocket } from "ws";
import { codex } from "./agents/codex.ts";
import { listenModelServer } from "./models/model-server.ts";
import { codexBinary } from "./prerequisites/components.ts";
import { createLab } from "./support/lab.ts";
import { pause, poll } from "./support/poll.ts";
import { findProcesses, killTree } from "./support/processes.ts";
import { TmuxTerminal } from "./terminals/tmux.ts";
import { waitForScreen } from "./terminals/wait-for-screen.ts";

const combos: [string | undefined, string | undefined][] = [
  [undefined, undefined],
  ["read-only", "on-request"],
  ["read-only", undefined],
  ["read-only", "never"],
  ["workspace-write", "on-request"],
  ["workspace-write", "never"],
  ["danger-full-access", "on-request"],
  ["read-only", "untrusted"],
  ["workspace-write", "untrusted"],
];
for (const [sandbox, policy] of combos) {
  const lab = await createLab();
  const model = await listenModelServer(codex.protocol);
  const terminal = new TmuxTerminal();
  const methods: string[] = [];
  try {
    await codex.configureModel?.(lab, model.url, { isServed: true });
    const config = join(lab.home, ".codex", "config.toml");
    let text = await readFile(config, "utf8");
    text = text.replace(/sandbox_mode.*\n/, sandbox === undefined ? "" : `sandbox_mode = "${sandbox}"\n`).replace(/approval_policy.*\n/, policy === undefined ? "" : `approval_policy = "${policy}"\n`);
    await writeFile(config, text);
    await terminal.start({ directory: lab.workspace, env: lab.env, command: [codexBinary()] });
    try { await waitForScreen(terminal, codex.ready, 20_000); } catch { console.log(sandbox, policy, "NOT READY", (await terminal.screen()).slice(-600)); continue; }
    const link = join(lab.home, ".codex", "app-server-control", "app-server-control.sock");
    const socket = await poll("the service", () => realpath(link).catch(() => undefined), { timeout: 20_000 });
    await pause(2500);
    const ws = new WebSocket("ws://localhost/", { createConnection: () => connect({ path: socket }), perMessageDeflate: false });
    const send = (m: object) => ws.send(JSON.stringify(m));
    ws.on("message", (d) => {
      const m = JSON.parse(String(d));
      if (m.method) methods.push(m.method);
      if (m.method === "thread/status/changed" && m.params.status.type === "active") send({ id: 9, method: "thread/resume", params: { threadId: m.params.threadId, excludeTurns: true } });
      if (m.id === 9 && m.result) console.log("   resume:", JSON.stringify({ ap: m.result.approvalPolicy, sb: m.result.sandbox }));
    });
    await poll("open", () => ws.readyState === WebSocket.OPEN, { timeout: 5000 });
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "patchbay", title: "Patchbay", version: "0" }, capabilities: null } });
    send({ method: "initialized" });
    model.play({ kind: "tool", name: "apply_patch", input: { input: "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch" } });
    await terminal.type("Change it");
    await pause(400);
    await terminal.press("Enter");
    await pause(7000);
    const screen = await terminal.screen();
    console.log(`${sandbox} / ${policy}: asks=${/Would you like/.test(screen)} written=${existsSync(join(lab.workspace, "a.txt"))} approval=${methods.includes("item/fileChange/requestApproval")} told=${JSON.stringify((model.conversation.at(-1) ?? "").slice(-300))}`);
    const [l, t] = [await lstat(link), await lstat(socket)];
    // restart
    ws.terminate();
    for (const pid of await findProcesses(lab.root, /codex/u)) await killTree(pid);
    if (sandbox === undefined) {
      await pause(500);
      console.log("left", existsSync(socket));
      const again = new TmuxTerminal();
      await again.start({ directory: lab.workspace, env: lab.env, command: [codexBinary()] });
      await waitForScreen(again, codex.ready, 20_000);
      await pause(1500);
      const [l2, t2] = [await lstat(link), await lstat(await realpath(link))];
      console.log("link", l.ino, l.mtimeMs, l2.ino, l2.mtimeMs, "socket", t.ino, t.mtimeMs, t2.ino, t2.mtimeMs);
      await again.dispose();
    }
  } catch (error) {
    console.log(sandbox, policy, String(error));
  } finally {
    await terminal.dispose();
    model.close();
    for (const pid of await findProcesses(lab.root, /codex/u)) await killTree(pid);
    await lab.dispose();
  }
}
