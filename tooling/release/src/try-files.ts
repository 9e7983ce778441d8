import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { linesOf } from "../../../packages/core/src/support/line-reader.ts";
import { readFiles, root } from "./files.ts";

/** How long one program may take, ms: the registry may be slow. */
const patience = 5 * 60_000;

/** A user's machine on which nothing is installed but Node and npm. */
interface Machine {
  readonly home: string;
  /** A folder with nothing in it. */
  readonly work: string;
  readonly env: NodeJS.ProcessEnv;
  /** What a program prints. @throws where it fails or does not end. */
  run(command: string, args: readonly string[], directory?: string): string;
}

/** Installs every file of a release where nothing else is, and starts each once; resolves with the exit code. */
export async function tryFiles(folder: string): Promise<number> {
  const files = readFiles(folder).map(({ file }) => join(folder, file));
  const path = (name: RegExp): string => {
    const found = files.find((file) => name.test(file));
    if (found === undefined) throw new Error(`${folder} has no file ${String(name)}. Make them with release:files.`);
    return found;
  };
  const library = [/patchbay-core-/u, /patchbay-conversations-/u, /patchbay-testkit-/u].map(path);
  const steps: readonly (readonly [what: string, step: () => Promise<void> | void])[] = [
    [
      "core, conversations and testkit in a program of somebody else",
      () => onMachine((one) => tryLibraries(one, library)),
    ],
    ["cli, installed globally", () => onMachine(async (one) => await tryCommand(one, path(/patchbay-cli-/u)))],
    [
      "the editions, in their editors",
      () => tryEditions({ vsix: path(/\.vsix$/u), theia: path(/patchbay-theia-/u), coc: path(/coc-patchbay-/u) }),
    ],
  ];
  let failed = 0;
  for (const [what, step] of steps) {
    console.log(`==== ${what}`);
    try {
      await step();
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

async function onMachine(use: (machine: Machine) => Promise<void> | void): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-machine-")));
  const work = join(home, "work");
  mkdirSync(work);
  const ownSettings = process.env["npm_config_userconfig"] ?? join(homedir(), ".npmrc");
  const env = {
    HOME: home,
    PATH: [join(home, "npm", "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    TMPDIR: join(home, "tmp"),
    LANG: "C.UTF-8",
    npm_config_prefix: join(home, "npm"),
    npm_config_update_notifier: "false",
    // Which registry is asked, and how it is reached, is the machine's.
    npm_config_userconfig: ownSettings,
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$|^NODE_EXTRA_/iu.test(name)),
    ),
  };
  mkdirSync(env.TMPDIR);
  const run: Machine["run"] = (command, args, directory = work) =>
    execFileSync(command, args, {
      cwd: directory,
      env,
      encoding: "utf8",
      timeout: patience,
      stdio: ["ignore", "pipe", "pipe"],
    });
  try {
    await use({ home, work, env, run });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const quiet = ["--no-audit", "--no-fund", "--loglevel=error"] as const;

/** Imports every entry, compiles the testkit's own example with strict types, and runs its contract. */
function tryLibraries({ work, run }: Machine, tarballs: readonly string[]): void {
  writeFileSync(join(work, "package.json"), '{ "private": true, "type": "module" }\n');
  run("npm", ["install", ...quiet, ...tarballs, "@types/node@20", "typescript@5"]);
  const entries = ["core", "conversations", "testkit"].flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(work, "node_modules/@patchbay", name, "package.json"), "utf8"));
    return Object.keys(manifest.exports).map((entry) => `@patchbay/${name}${entry.slice(1)}`);
  });
  const imports = entries.map((entry, index) => `import * as module${index} from ${JSON.stringify(entry)};`);
  const count = `console.log([${entries.map((_, index) => `module${index}`).join(", ")}].map((one) => Object.keys(one).length).join(" "));`;
  writeFileSync(join(work, "entries.ts"), `${imports.join("\n")}\n${count}\n`);
  const readme = readFileSync(join(work, "node_modules/@patchbay/testkit/README.md"), "utf8");
  const example = /```ts\n(?<code>[\s\S]*?editorHostContract[\s\S]*?)```/u.exec(readme)?.groups?.["code"];
  if (example === undefined) throw new Error("The testkit's README has no example of the contract.");
  writeFileSync(join(work, "contract.test.ts"), example);
  const strict = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  run("npx", ["tsc", ...strict, "entries.ts", "contract.test.ts"]);
  console.log(`ok   types of ${entries.length} entries, strict, with their declarations`);
  console.log(`ok   imported; exports of each: ${run("node", ["entries.js"]).trim()}`);
  const tests = run("node", ["--test", "--test-reporter=tap", "contract.test.js"]);
  console.log(`ok   the contract's example: ${/^# pass \d+/mu.exec(tests)?.[0].slice(2) ?? "?"}`);
}

/** The command as a user has it: its version, its help, what the doctor says, an editor that answers, and its end. */
async function tryCommand({ work, env, run }: Machine, tarball: string): Promise<void> {
  run("npm", ["install", "--global", ...quiet, tarball]);
  const version = run("patchbay", ["--version"]).trim();
  if (!tarball.includes(`-${version}.tgz`)) throw new Error(`patchbay --version says ${version}.`);
  console.log(`ok   patchbay --version: ${version}`);
  const report = run("patchbay", ["doctor", "--report"]);
  if (!report.includes(version)) throw new Error(`The doctor's report does not name the version:\n${report}`);
  console.log(`ok   patchbay doctor --report: ${report.split("\n").length} lines`);
  const server = spawn("patchbay", ["serve", "--json"], { cwd: work, env, stdio: ["pipe", "pipe", "inherit"] });
  try {
    const port = await portOf(server);
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST" });
    if (answer.status < 400) throw new Error(`Without a token it answers ${answer.status}.`);
    console.log(`ok   patchbay serve: listens, and refuses who has no token (${answer.status})`);
    const status = run("patchbay", ["status"]);
    if (!status.includes(String(port))) throw new Error(`patchbay status does not know it:\n${status}`);
    console.log("ok   patchbay status: lists it");
  } finally {
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  const left = run("patchbay", ["status"]);
  if (/port \d+/u.test(left)) throw new Error(`It has left something behind:\n${left}`);
  console.log("ok   nothing is left of it");
}

async function portOf(server: ChildProcess): Promise<number> {
  if (server.stdout === null) throw new Error("It has no output.");
  for await (const line of linesOf(server.stdout)) {
    const event: unknown = JSON.parse(line);
    if (typeof event === "object" && event !== null && "port" in event && typeof event.port === "number")
      return event.port;
  }
  throw new Error("patchbay serve ended before it said its port.");
}

/** Each edition from its file in a real editor, with a home of its own, until a real agent is connected. */
function tryEditions(files: { readonly vsix: string; readonly theia: string; readonly coc: string }): void {
  const cases = ["vscode:gemini:connected", "theia:gemini:connected"];
  const coc = process.env["COC_NVIM_DIR"];
  if (coc !== undefined && existsSync(coc)) cases.push("coc-vim:gemini:connected", "coc-neovim:gemini:connected");
  else console.log("skip Vim and Neovim: COC_NVIM_DIR names no checkout of coc.nvim's release branch");
  const env = {
    ...process.env,
    PATCHBAY_E2E_VSIX: files.vsix,
    PATCHBAY_E2E_THEIA: files.theia,
    PATCHBAY_E2E_COC: files.coc,
  };
  const program = join(root, "tooling/e2e/src/main.ts");
  execFileSync(process.execPath, [program, "--only", cases.join(","), "--lanes", "1"], {
    env,
    cwd: root,
    stdio: "inherit",
  });
}
