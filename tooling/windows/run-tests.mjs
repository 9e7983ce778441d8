import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { writeSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/**
 * Runs test files in this process, with Vitest's own functions and without Vite, whose native parts Wine cannot load. Node itself takes the
 * types away. Prints a line of JSON for each file as it begins and for each test as it ends.
 */

const timeout = 60_000;
const poll = { timeout: 20_000, interval: 20 };
const config = {
  root: process.cwd(),
  name: "",
  setupFiles: [],
  passWithNoTests: true,
  allowOnly: false,
  sequence: { hooks: "stack", setupFiles: "list", concurrent: false, shuffle: false, seed: 1 },
  maxConcurrency: 1,
  testTimeout: timeout,
  hookTimeout: timeout,
  retry: 0,
  tags: [],
  fakeTimers: {},
  // For whoever looks into one test.
  ...(process.env.TEST_NAME === undefined ? {} : { testNamePattern: new RegExp(process.env.TEST_NAME, "u") }),
  chaiConfig: {},
  expect: { poll },
  snapshotOptions: {},
};

const state = {
  config,
  filepath: "",
  durations: { environment: 0, prepare: 0 },
  environment: { name: "node" },
  ctx: {},
  rpc: {},
  moduleExecutionInfo: new Map(),
  providedContext: {},
  metaEnv: process.env,
};
Reflect.set(globalThis, "__vitest_worker__", state);

const { startTests } = await import("vitest/internal/browser");

const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

const reasonOf = ({ errors } = {}) => {
  const [error] = errors ?? [];
  const lines = String(error?.stack ?? error?.message ?? error).split("\n");
  const differences = error?.diff === undefined ? [] : stripVTControlCharacters(error.diff).split("\n").slice(0, 30);
  return [...lines.slice(0, 8), ...differences].join("\n");
};

const runner = {
  pool: "threads",
  config,
  importFile: async (path) => await import(pathToFileURL(path).href),
  onBeforeRunTask: (test) => {
    state.current = test;
  },
  onAfterRunTask: (test) => {
    if (test.type !== "test") return;
    const how = test.result?.state;
    say({ test: test.fullTestName ?? test.name, how, ...(how === "fail" ? { reason: reasonOf(test.result) } : {}) });
  },
};

/** How many tests are not for this system. */
function skippedIn({ mode, type, result, tasks = [] } = {}) {
  if (type === "test") return mode === "skip" || result?.state === "skip" ? 1 : 0;
  return tasks.reduce((count, task) => count + skippedIn(task), 0);
}

for (const name of process.argv.slice(2)) {
  const path = resolve(name);
  say({ file: name });
  state.filepath = path;
  const [file] = await startTests([path], runner);
  if (file?.result?.state === "fail" && (file.result.errors ?? []).length > 0)
    say({ test: "(the file)", how: "fail", reason: reasonOf(file.result) });
  say({ end: name, skipped: skippedIn(file) });
}
process.exit(0);
