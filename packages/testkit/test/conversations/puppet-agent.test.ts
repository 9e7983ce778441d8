import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PuppetAgent } from "../../src/index.ts";

it("does what it is told before its prompt has come when the prompt has come", async () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-puppet-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const puppet = await PuppetAgent.create(folder);
  onTestFinished(async () => await puppet.dispose());
  const program = spawn(puppet.program, { stdio: ["pipe", "pipe", "ignore"] });
  let said = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await expect.poll(() => puppet.starts).toBe(1);
  puppet.do({ act: "say", text: "Early" });
  puppet.do({ act: "end" });
  const ask = (id: number, method: string, params: object): boolean =>
    program.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  // What it was told has long come when it has answered this.
  ask(1, "session/new", {});
  await expect.poll(() => said).toContain('"id":1');
  ask(2, "session/new", {});
  await expect.poll(() => said).toContain('"id":2');
  expect(said).not.toContain("Early");
  ask(3, "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "Begin" }] });
  await expect.poll(() => said).toMatch(/Early[^]*"id":3,"result":\{"stopReason":"end_turn"\}/);
});
