// pnpm conformance: the official MCP conformance scenarios that fit a companion, and the inspector's command line.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { installedPackage } from "./conformance/installed-package.ts";
import { TokenProxy } from "./conformance/token-proxy.ts";
import { EditorProcess } from "./editor-process.ts";
import { Sandbox } from "./sandbox.ts";

const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "logging-set-level",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

interface Outcome {
  readonly code: number;
  readonly output: string;
}

function run(script: string, args: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}\n${stderr}` });
    });
  });
}

const conformance = await installedPackage("@modelcontextprotocol/conformance", "0.1.16");
const inspectorPackage = await installedPackage("@modelcontextprotocol/inspector", "2.12.0");
const inspectorEntry = join(inspectorPackage, "clients", "launcher", "build", "index.js");

const sandbox = new Sandbox();
const editor = await EditorProcess.spawn(sandbox);
const scratch = mkdtempSync(join(tmpdir(), "patchbay-conformance-"));
let passed = 0;
let failed = 0;
try {
  await editor.start();
  const token = sandbox.token("gemini");
  const proxy = await TokenProxy.listen({ port: editor.port, token });

  for (const scenario of scenarios) {
    const url = `http://localhost:${proxy.port}/mcp`;
    const { code, output } = await run(
      join(conformance, "dist", "index.js"),
      ["server", "--url", url, "--scenario", scenario],
      scratch,
    );
    tell(`conformance ${scenario}`, code === 0, output);
  }
  console.log(`conformance ${passed}/${scenarios.length}`);
  proxy.close();

  const inspect = (args: readonly string[]): Promise<Outcome> =>
    run(
      inspectorEntry,
      [
        "--cli",
        `http://127.0.0.1:${editor.port}/mcp`,
        "--transport",
        "http",
        "--header",
        `Authorization: Bearer ${token}`,
        ...args,
      ],
      scratch,
    );
  const listed = await inspect(["--method", "tools/list"]);
  const listsBoth = listed.output.includes('"openDiff"') && listed.output.includes('"closeDiff"');
  tell("inspector lists the tools", listed.code === 0 && listsBoth, listed.output);
  const called = await inspect([
    "--method",
    "tools/call",
    "--tool-name",
    "openDiff",
    "--tool-arg",
    `filePath=${sandbox.file("a.txt")}`,
    "--tool-arg",
    "newContent=hello",
  ]);
  tell("inspector calls openDiff", called.code === 0 && called.output.includes('"content": []'), called.output);
} finally {
  await editor.kill();
  sandbox.remove();
  rmSync(scratch, { recursive: true, force: true });
}
console.log("");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function tell(what: string, holds: boolean, output: string): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) console.log(output);
}
