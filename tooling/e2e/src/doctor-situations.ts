import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AgentId } from "@patchbay/core";
import { claudeBinary, geminiEntry, nodeBinary, qwenEntry } from "./prerequisites/components.ts";

/**
 * Makes situations for real, each in a home of its own, and has the doctor and the agent meet them: what the doctor says must be what
 * the agent does. Without arguments all of them, else those whose title holds one of them.
 */

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly port: string;
  readonly put: (path: string, text: string) => void;
}

interface Situation {
  readonly title: string;
  readonly agent: AgentId;
  readonly make?: (place: Place) => void;
  /** What the real agent does here; `ends`: it does not even start. */
  readonly does: "connects" | "stays away" | "ends";
}

/** No model answers, and none is asked. */
const key = "sk-ant-api03-not-a-real-key-000000000000000000000000";
const off = '{ "ide": { "enabled": false } }';
const geminiOn = { ide: { enabled: true, hasSeenNudge: true } };
const user = (more: object): string => JSON.stringify({ ...quiet, ...geminiOn, ...more });

const quiet = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
  general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ui: { theme: "Default", hideTips: true },
};

function trusted(level: string) {
  return ({ home, folder, put }: Place): void =>
    put(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [folder]: level }));
}

function all(...steps: readonly ((place: Place) => void)[]) {
  return (place: Place): void => {
    for (const step of steps) step(place);
  };
}

const inHome =
  (path: string, text: string) =>
  ({ home, put }: Place): void =>
    put(join(home, path), text);
const inFolder =
  (path: string, text: string) =>
  ({ folder, put }: Place): void =>
    put(join(folder, path), text);
const variable =
  (name: string, value: string | undefined) =>
  ({ environment }: Place): void => {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  };

const port = ({ environment, port: value }: Place): void => void (environment["CLAUDE_CODE_SSE_PORT"] = value);
const untrusting = JSON.stringify({ ...quiet, ...geminiOn, security: { ...quiet.security, folderTrust: {} } });

const situations: readonly Situation[] = [
  { title: "gemini: all is well", agent: "gemini", make: trusted("TRUST_FOLDER"), does: "connects" },
  {
    title: "gemini: off by a trusted folder",
    agent: "gemini",
    make: all(trusted("TRUST_FOLDER"), inFolder(".gemini/settings.json", off)),
    does: "stays away",
  },
  {
    title: "gemini: off by a folder that is not trusted",
    agent: "gemini",
    make: all(trusted("DO_NOT_TRUST"), inFolder(".gemini/settings.json", off)),
    does: "connects",
  },
  {
    title: "gemini: off by a folder of which nobody was asked, with trust on by default",
    agent: "gemini",
    make: all(inHome(".gemini/settings.json", untrusting), inFolder(".gemini/settings.json", off)),
    does: "connects",
  },
  {
    title: "gemini: off by a folder, and trust is switched off",
    agent: "gemini",
    make: all(
      inHome(".gemini/settings.json", user({ security: { ...quiet.security, folderTrust: { enabled: false } } })),
      inFolder(".gemini/settings.json", off),
    ),
    does: "stays away",
  },
  {
    title: "gemini: off by a folder below one that is trusted with its parent",
    agent: "gemini",
    make: all(
      ({ home, folder, put }) =>
        put(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [join(folder, "x")]: "TRUST_PARENT" })),
      inFolder(".gemini/settings.json", off),
    ),
    does: "stays away",
  },
  {
    title: "gemini: off by a folder that a variable trusts",
    agent: "gemini",
    make: all(variable("GEMINI_CLI_TRUST_WORKSPACE", "true"), inFolder(".gemini/settings.json", off)),
    does: "stays away",
  },
  {
    title: "gemini: a comma too much",
    agent: "gemini",
    make: inHome(".gemini/settings.json", '{ "ide": { "enabled": true }, }'),
    does: "ends",
  },
  {
    title: "gemini: an empty file of settings in the folder",
    agent: "gemini",
    make: inFolder(".gemini/settings.json", ""),
    does: "ends",
  },
  {
    title: "gemini: a comment",
    agent: "gemini",
    make: all(trusted("TRUST_FOLDER"), inFolder(".gemini/settings.json", "{} // nothing")),
    does: "connects",
  },
  {
    title: "gemini: the user's own settings say no",
    agent: "gemini",
    make: all(trusted("TRUST_FOLDER"), inHome(".gemini/settings.json", user({ ide: { enabled: false } }))),
    does: "stays away",
  },
  { title: "claude: the port variable", agent: "claude", make: port, does: "connects" },
  { title: "claude: no variable", agent: "claude", does: "stays away" },
  {
    title: "claude: told to connect to nothing, with the port",
    agent: "claude",
    make: all(port, variable("CLAUDE_CODE_AUTO_CONNECT_IDE", "false")),
    does: "stays away",
  },
  {
    title: "claude: told so with 0",
    agent: "claude",
    make: all(port, variable("CLAUDE_CODE_AUTO_CONNECT_IDE", "0")),
    does: "stays away",
  },
  {
    title: "claude: told to connect, without a port",
    agent: "claude",
    make: variable("CLAUDE_CODE_AUTO_CONNECT_IDE", "true"),
    does: "connects",
  },
  {
    title: "claude: told by its settings to connect to nothing",
    agent: "claude",
    make: all(port, inHome(".claude/settings.json", '{ "env": { "CLAUDE_CODE_AUTO_CONNECT_IDE": "false" } }')),
    does: "stays away",
  },
  {
    title: "claude: a port that is no number",
    agent: "claude",
    make: variable("CLAUDE_CODE_SSE_PORT", "abc"),
    does: "stays away",
  },
  {
    title: "claude: a port that nobody has",
    agent: "claude",
    make: variable("CLAUDE_CODE_SSE_PORT", "9"),
    does: "connects",
  },
  {
    title: "claude: a port in hexadecimal that nobody has",
    agent: "claude",
    make: variable("CLAUDE_CODE_SSE_PORT", "0x9"),
    does: "connects",
  },
  {
    title: "claude: a port with a fraction",
    agent: "claude",
    make: variable("CLAUDE_CODE_SSE_PORT", "9.5"),
    does: "stays away",
  },
  {
    title: "claude: in a terminal that says it is VS Code's, without a port",
    agent: "claude",
    make: variable("TERM_PROGRAM", "vscode"),
    does: "connects",
  },
  {
    title: "claude: FORCE_CODE_TERMINAL, without a port",
    agent: "claude",
    make: variable("FORCE_CODE_TERMINAL", "1"),
    does: "connects",
  },
  { title: "qwen: all is well", agent: "qwen", does: "connects" },
  { title: "qwen: off by the folder", agent: "qwen", make: inFolder(".qwen/settings.json", off), does: "stays away" },
  {
    title: "qwen: off by a folder that is not trusted, with trust on",
    agent: "qwen",
    make: all(
      inHome(".qwen/settings.json", JSON.stringify({ ...quiet, ...geminiOn })),
      ({ home, folder, put }) =>
        put(join(home, ".qwen", "trustedFolders.json"), JSON.stringify({ [folder]: "DO_NOT_TRUST" })),
      inFolder(".qwen/settings.json", off),
    ),
    does: "connects",
  },
  { title: "qwen: no JSON", agent: "qwen", make: inHome(".qwen/settings.json", "nonsense"), does: "ends" },
];

const main = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
const cli = ["--conditions=@patchbay/source", "--no-warnings", main];

/** Longer than any of them takes to connect, ms. */
const patienceMs = Number(process.env["PATIENCE"] ?? 15_000);

const programs: Partial<Record<AgentId, () => readonly string[]>> = {
  gemini: () => [nodeBinary(), geminiEntry()],
  qwen: () => [nodeBinary(), qwenEntry()],
  claude: () => [claudeBinary()],
};

const words = process.argv.slice(2);
let wrong = 0;
for (const situation of situations) {
  if (words.length > 0 && !words.some((word) => situation.title.includes(word))) continue;
  const said = await meet(situation);
  const isRight = said.doctor === situation.does && said.agent === situation.does;
  if (!isRight) wrong += 1;
  console.log(
    `${isRight ? "ok " : "NOT"} ${situation.title}: doctor "${said.doctor}", agent "${said.agent}" ${said.findings}`,
  );
}
process.exitCode = wrong === 0 ? 0 : 1;

interface Said {
  readonly doctor: string;
  readonly agent: string;
  readonly findings: string;
}

async function meet({ agent, make }: Situation): Promise<Said> {
  const root = mkdtempSync(join(tmpdir(), "patchbay-doctor-"));
  const [home, folder, temporary, bin] = ["home", "work", "tmp", "bin"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o700 });
  };
  for (const directory of [home, folder, temporary]) mkdirSync(directory);
  const program = (programs[agent]?.() ?? []).map((word) => `'${word}'`).join(" ");
  put(join(bin, agent), `#!/bin/sh\nexec ${program} "$@"\n`);
  const environment: Record<string, string> = {
    HOME: home,
    PATH: `${bin}:/usr/bin:/bin`,
    TMPDIR: temporary,
    TERM: "xterm-256color",
    REMOTE_CONTAINERS: "true",
    GEMINI_API_KEY: "fake",
    GEMINI_CLI_NO_RELAUNCH: "true",
    GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "fake",
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_MODEL: "fake",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: "1",
  };
  put(join(home, ".gemini", "settings.json"), user({}));
  put(join(home, ".gemini", "state.json"), '{ "terminalSetupPromptShown": true }');
  const openai = { ...quiet.security, auth: { selectedType: "openai" }, folderTrust: { enabled: false } };
  put(
    join(home, ".qwen", "settings.json"),
    JSON.stringify({ ...quiet, ...geminiOn, security: openai, tools: { approvalMode: "default" } }),
  );
  put(
    join(home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      numStartups: 5,
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [folder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
    }),
  );
  put(join(home, ".claude", "settings.json"), '{ "permissions": { "defaultMode": "default" } }');
  const editor = spawn(nodeBinary(), [...cli, "serve", "--json", folder], {
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: editor.stdout }).on("line", (line) => lines.push(line));
  try {
    await until(() => lines.some((line) => /"port":\d+/u.test(line)), 20_000);
    const value = /"port":(\d+)/u.exec(lines.join("\n"))?.[1] ?? "";
    make?.({ home, folder, environment, port: value, put });
    const report = await output(nodeBinary(), [...cli, "doctor", "--json", "--agent", agent, folder], environment);
    const { findings }: { findings: readonly { level: string; code: string; text: string }[] } = JSON.parse(report);
    const codes = findings.map(({ level, code }) => `${level} ${code}`);
    const doctor = codes.includes("problem settings-not-json")
      ? "ends"
      : codes.includes("ok connects")
        ? "connects"
        : "stays away";
    const seen = lines.length;
    const terminal = spawn("script", ["-qfec", join(bin, agent), "/dev/null"], {
      env: environment,
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    terminal.stdout.resume();
    let isEnded = false;
    terminal.on("exit", () => (isEnded = true));
    const isConnected = (): boolean => lines.slice(seen).some((line) => line.includes('"connected"'));
    await until(() => isEnded || isConnected(), patienceMs);
    const does = isConnected() ? "connects" : isEnded ? "ends" : "stays away";
    end(terminal);
    return { doctor, agent: does, findings: codes.join(", ") };
  } finally {
    editor.stdin.end();
    editor.kill();
    await wait(300);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A terminal and what runs in it. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function until(isSo: () => boolean, limitMs: number): Promise<void> {
  const began = performance.now();
  while (!isSo() && performance.now() - began < limitMs) await wait(100);
}

async function output(command: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece) => (text += String(piece)));
  await new Promise((resolve) => child.on("close", resolve));
  return text;
}
