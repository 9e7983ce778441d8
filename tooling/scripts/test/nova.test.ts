import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Companion } from "@patchbay/core";
import type { AgentDriver, AgentDriverOptions, MemoryEditor, TestPlatform } from "@patchbay/testkit";
import type * as CommandLine from "../../../packages/cli/src/command-line.ts";
import type * as Demo from "../../../packages/cli/src/demo/run-demo.ts";
import type * as Findings from "../../../packages/cli/src/doctor/print-findings.ts";
import type * as Environment from "../../../packages/cli/src/env/print-environment.ts";
import type * as Help from "../../../packages/cli/src/help.ts";
import type * as Serve from "../../../packages/cli/src/serve/serve-in-terminal.ts";
import type * as Status from "../../../packages/cli/src/status/print-status.ts";
import type * as Paint from "../../../packages/cli/src/terminal/paint.ts";

// The exercise of CONTRIBUTING.md ("Adding an agent"): a copy of the sources to which Nova is added as one folder and its
// name in the catalogue, and nothing else.

const repository = join(import.meta.dirname, "../../..");
/** What knows agents without an editor's own surface. */
const copied = [
  "packages/core",
  "packages/conversations",
  "packages/languages",
  "packages/panel",
  "packages/testkit",
  "packages/turns",
  "packages/cli",
];

let house = "";

function copyHouse(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-nova-")));
  for (const folder of copied) {
    for (const name of ["src", "package.json"]) {
      cpSync(join(repository, folder, name), join(root, folder, name), { recursive: true });
    }
    linkModules(join(repository, folder, "node_modules"), join(root, folder, "node_modules"), root);
  }
  return root;
}

/** What packages need: their own where it is not ours, and of ours the copies. */
function linkModules(from: string, to: string, root: string): void {
  mkdirSync(join(to, "@patchbay"), { recursive: true });
  for (const name of readdirSync(from)) {
    if (!name.startsWith(".") && name !== "@patchbay") symlinkSync(join(from, name), join(to, name));
  }
  const ours = existsSync(join(from, "@patchbay")) ? readdirSync(join(from, "@patchbay")) : [];
  for (const name of ours) symlinkSync(join(root, "packages", name), join(to, "@patchbay", name));
}

function addNova(root: string): void {
  const agents = join(root, "packages/core/src/agents");
  mkdirSync(join(agents, "nova"));
  for (const name of ["agent.ts", "behaviour.ts"]) {
    const text = readFileSync(join(import.meta.dirname, "nova", name), "utf8");
    const moved = text
      .replaceAll("../../../../packages/core/src/agents/", "../")
      .replaceAll("../../../../packages/core/src/", "../../");
    writeFileSync(join(agents, "nova", name), moved);
  }
  const catalogue = join(agents, "catalogue.ts");
  const before = readFileSync(catalogue, "utf8");
  const listed = before
    .replace("typeof qwen,", "typeof qwen, typeof nova,")
    .replace(/(?<=\] = \[[^\]]*\bqwen,)/u, " nova,");
  writeFileSync(catalogue, `import { nova } from "./nova/agent.ts";\n${listed}`);
}

/** A module of the copy. */
const at = (path: string): string => pathToFileURL(join(house, path)).href;

let core: typeof import("@patchbay/core");
let testkit: typeof import("@patchbay/testkit");

beforeAll(async () => {
  house = copyHouse();
  addNova(house);
  core = await import(at("packages/core/src/index.ts"));
  testkit = await import(at("packages/testkit/src/index.ts"));
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

function nova(): (typeof core.agents)[number] {
  const found = core.agents.find(({ agentName }) => agentName === "Nova CLI");
  if (found === undefined) throw new Error("There is no Nova.");
  return found;
}

describe("Nova, added as one folder and its name in the catalogue", () => {
  it("changes no other file", () => {
    const isSame = (path: string): boolean =>
      existsSync(join(repository, path)) &&
      readFileSync(join(repository, path)).equals(readFileSync(join(house, path)));
    const files = copied.flatMap((folder) =>
      readdirSync(join(house, folder, "src"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(house, join(entry.parentPath, entry.name))),
    );
    expect(files.filter((path) => !isSame(path)).toSorted((one, other) => one.localeCompare(other))).toEqual([
      "packages/core/src/agents/catalogue.ts",
      "packages/core/src/agents/nova/agent.ts",
      "packages/core/src/agents/nova/behaviour.ts",
    ]);
  });

  it("leaves no table of agents behind that lacks it", async () => {
    symlinkSync(join(repository, "node_modules"), join(house, "node_modules"));
    const base = join(repository, "tooling/tsconfig/base.json");
    // As the panel's page, and all else, has it.
    const compilerOptions = { lib: ["es2023", "dom", "dom.iterable"], jsx: "react-jsx", jsxImportSource: "preact" };
    writeFileSync(
      join(house, "tsconfig.json"),
      JSON.stringify({ extends: base, compilerOptions, include: ["packages/*/src"] }),
    );
    const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [compiler, "-p", house], (_error, stdout) => resolve(stdout));
    });
    expect(said).toBe("");
  });

  it("has a place in the help, and can be asked about", async () => {
    const { helpText }: typeof Help = await import(at("packages/cli/src/help.ts"));
    const { parseCommandLine }: typeof CommandLine = await import(at("packages/cli/src/command-line.ts"));
    expect(helpText(undefined)).toContain(
      "Agents: Gemini CLI, Qwen Code, Nova CLI, Claude Code, Copilot CLI, Codex CLI, Pi, opencode, Kilo.",
    );
    expect(helpText("doctor")).toContain("gemini, qwen, nova, claude");
    expect(parseCommandLine(["doctor", "--agent", "nova"], "/")).toMatchObject({ agents: ["nova"] });
  });

  it("finds the companion, sees, proposes and is answered as the others are", async () => {
    const { runDemo }: typeof Demo = await import(at("packages/cli/src/demo/run-demo.ts"));
    const rows = await runDemo();
    expect(rows.filter(({ expected, happened }) => expected !== happened)).toEqual([]);
    const steps = (agentName: string): number => rows.filter(({ agent }) => agent === agentName).length;
    expect(steps("Nova CLI")).toBe(steps("Qwen Code"));
  });
});

describe("Nova, beside Gemini CLI and Qwen Code in a running companion", () => {
  let root = "";
  let platform: TestPlatform;
  let editor: MemoryEditor;
  let companion: Companion;
  const drivers: AgentDriver[] = [];

  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-nova-lab-")));
    put("bin/nova", "", 0o755);
    platform = testkit.createTestPlatform({ root, environment: { PATH: join(root, "bin") } });
    editor = testkit.createMemoryEditor({ folders: [platform.workspace] });
    companion = core.createCompanion({ host: editor, platform });
  });

  afterEach(async () => {
    await Promise.all(drivers.splice(0).map(async (driver) => await driver.end()));
    await companion.stop();
    rmSync(root, { recursive: true, force: true });
  });

  function put(path: string, text: string, mode = 0o600): void {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, path), text, { mode });
  }

  /** What stands in the first record of an agent. */
  function recordOf(directory: string): { readonly port: number; readonly authToken: string } {
    const [name = ""] = readdirSync(directory);
    const { authToken }: { readonly authToken: string } = JSON.parse(readFileSync(join(directory, name), "utf8"));
    return { port: Number(/(\d+)\.\w+$/u.exec(name)?.[1]), authToken };
  }

  async function connect(options: Partial<AgentDriverOptions> = {}): Promise<AgentDriver> {
    const { workspace: cwd, home, tmp: temporaryDirectory } = platform;
    const driver = testkit.createAgentDriver(nova().id, { cwd, home, temporaryDirectory, ...options });
    drivers.push(driver);
    await driver.connect();
    return driver;
  }

  async function diagnosed(): Promise<readonly string[]> {
    const { printFindings }: typeof Findings = await import(at("packages/cli/src/doctor/print-findings.ts"));
    const { createPaint }: typeof Paint = await import(at("packages/cli/src/terminal/paint.ts"));
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const folder = platform.workspace;
    const paint = createPaint(false);
    await printFindings({ folder, json: false, agents: [nova().id], platform, paint, print, elsewhere: [] });
    return lines;
  }

  it("has a record in its own place, with a token of its own", async () => {
    await companion.start();
    const own = recordOf(join(platform.home, ".nova/editors"));
    expect(companion.state).toMatchObject({ kind: "listening", port: own.port, warnings: [] });
    const others = [join(platform.tmp, "gemini/ide"), join(platform.home, ".qwen/ide")].map(recordOf);
    expect(others.map(({ authToken }) => authToken)).not.toContain(own.authToken);
    expect(companion.environment).toMatchObject({ NOVA_EDITOR_PORT: String(own.port) });
  });

  it.each([
    { says: "its own name", options: {} },
    { says: "what Gemini CLI says", options: { clientName: "streamable-http-client", version: "0.61.0" } },
  ])("is known by its token while it says $says", async ({ options }) => {
    await companion.start();
    const driver = await connect(options);
    expect(companion.sessions.map(({ agentName }) => agentName)).toEqual(["Nova CLI"]);
    put("workspace/a.txt", "one\n");
    const proposal = driver.propose({ path: join(platform.workspace, "a.txt"), text: "two\n" });
    const view = await editor.nextView();
    expect(view.request.agentName).toBe("Nova CLI");
    view.accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "two\n", by: "editor" });
  });

  it.each([
    { name: "nova", version: "1.0.0", protocolVersion: "2025-06-18", agent: "nova" },
    { name: "streamable-http-client", version: "0.61.0", protocolVersion: "2025-06-18", agent: "gemini" },
    { name: "streamable-http-client", version: "1.0.0", protocolVersion: "2025-11-25", agent: "qwen" },
  ])("is told from others by what it says where the token does not tell ($agent)", async (client) => {
    await companion.start();
    // Claude Code speaks WebSocket: over HTTP its token lets in and names nobody.
    const { port, authToken } = recordOf(join(platform.home, ".claude/ide"));
    const { name, version, protocolVersion, agent } = client;
    const params = { protocolVersion, capabilities: {}, clientInfo: { name, version } };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${authToken}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    expect(response.headers.get("mcp-session-id")).toMatch(new RegExp(`^${agent}\\.`, "u"));
  });

  it("is diagnosed by its own places and settings", async () => {
    const before = (await diagnosed()).join("\n");
    expect(before).toContain("No running editor was found for Nova CLI.");
    expect(before).toContain('Nova CLI\'s approval is "auto" by default');
    expect(before).toContain("type: nova --approval ask");
    put("home/.nova/settings.json", '{ "approval": "ask" }');
    await companion.start();
    const { port } = recordOf(join(platform.home, ".nova/editors"));
    expect((await diagnosed())[0]).toBe(`✓ Nova CLI connects to Memory Editor (port ${port}).`);
    put("home/.nova/settings.json", '{ "approval": "ask", "editor": false }');
    expect((await diagnosed()).join("\n")).toContain("type: /editor on   # ");
  });

  it("stands in the lists of editors and in the variables for another terminal", async () => {
    await companion.start();
    const { port } = recordOf(join(platform.home, ".nova/editors"));
    const { printStatus }: typeof Status = await import(at("packages/cli/src/status/print-status.ts"));
    const { printEnvironment }: typeof Environment = await import(at("packages/cli/src/env/print-environment.ts"));
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    await printStatus({ platform, json: false, print });
    await printEnvironment({ folder: platform.workspace, shell: "sh", port: undefined, platform, print, tell: print });
    expect(lines.join("\n")).toContain("Gemini CLI, Qwen Code, Nova CLI, Claude Code");
    expect(lines).toContain(`export NOVA_EDITOR_PORT='${port}'`);
  });

  it("is offered by the headless companion, and reviewed there", async () => {
    const { serveInTerminal }: typeof Serve = await import(at("packages/cli/src/serve/serve-in-terminal.ts"));
    const { createPaint }: typeof Paint = await import(at("packages/cli/src/terminal/paint.ts"));
    const [input, output, end] = [new PassThrough(), new PassThrough(), new AbortController()];
    let written = "";
    output.on("data", (chunk) => {
      written += String(chunk);
    });
    const running = serveInTerminal({
      command: { kind: "serve", folder: "", demo: false, json: false, difftool: undefined, port: undefined, open: [] },
      folder: platform.workspace,
      platform,
      streams: { input, output },
      paint: createPaint(false),
      environment: {},
      suspend: () => {},
      onDidContinue: () => core.toDisposable(() => {}),
      signal: end.signal,
      others: [],
    });
    await expect.poll(() => written).toContain("patchbay run nova\n");
    const driver = await connect();
    await expect.poll(() => written).toContain("Nova CLI 1.0.0 has connected.");
    const path = join(platform.workspace, "new.txt");
    const proposal = driver.propose({ path, text: "new\n" });
    await expect.poll(() => written).toContain("Nova CLI wants to create new.txt");
    await expect.poll(() => written).toContain("new.txt: [a]ccept");
    await proposal.decideInTerminal("accept");
    expect(readFileSync(path, "utf8")).toBe("new\n");
    end.abort();
    await running;
  });
});
