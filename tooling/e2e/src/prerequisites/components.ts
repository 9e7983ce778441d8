import { rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { mustRun, run } from "../support/processes.ts";
import { type Component, componentDirectory } from "./cache.ts";

/** npm's flags for a quiet install that runs no code of the packages. */
const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"] as const;

const installTimeout = 10 * 60_000;

async function npmInstall(directory: string, args: readonly string[]): Promise<void> {
  await mustRun("npm", ["install", ...quiet, ...args], { cwd: directory, timeout: installTimeout });
}

/** A component that is a set of npm packages in a folder of its own. */
function packages(name: string, version: string, specifiers: readonly string[]): Component {
  return {
    name,
    version,
    recipe: 1,
    install: async (directory) => {
      await writeFile(join(directory, "package.json"), '{"private":true}\n');
      await npmInstall(directory, ["--no-save", ...specifiers]);
    },
  };
}

const platform = `linux-${process.arch}`;

/** The version of an agent that is tried: the one that the suite was last seen to pass with, or what a variable says. */
function agentVersion(agent: string, known: string): string {
  return process.env[`PATCHBAY_E2E_${agent}`] || known;
}

const geminiVersion = agentVersion("GEMINI", "0.61.0");
const qwenVersion = agentVersion("QWEN", "0.24.4");
const claudeVersion = agentVersion("CLAUDE", "2.1.328");
const piVersion = agentVersion("PI", "0.74.2");
const copilotVersion = agentVersion("COPILOT", "1.0.102");
const codexVersion = agentVersion("CODEX", "0.171.0");
const opencodeVersion = agentVersion("OPENCODE", "1.18.34");
const kiloVersion = agentVersion("KILO", "7.7.9");

/** Node 24: code-server needs exactly this major version, Qwen Code at least 22. */
export const node24: Component = packages("node", "24.21.0", [`node-${platform}@24.21.0`]);

/** The Node binary of {@link node24}. */
export function nodeBinary(): string {
  return join(componentDirectory(node24), "node_modules", `node-${platform}`, "bin", "node");
}

/** VS Code as a server with its real extension host: 4.139.1 carries VS Code 1.139.1. */
export const codeServer: Component = {
  name: "code-server",
  version: "4.139.1",
  recipe: 2,
  install: async (directory) => {
    await writeFile(join(directory, "package.json"), '{"private":true}\n');
    await npmInstall(directory, ["--no-save", "code-server@4.139.1"]);
    const vscode = join(directory, "node_modules", "code-server", "lib", "vscode");
    // Its native parts (terminals, watching) bring prebuilt binaries; the two that do not have fallbacks.
    await npmInstall(vscode, ["--omit=dev"]);
    await npmInstall(join(vscode, "extensions"), ["--omit=dev"]);
    for (const heavy of ["node_modules/@github/copilot", "extensions/copilot"]) {
      await rm(join(vscode, heavy), { recursive: true, force: true });
    }
    await buildLogger(vscode);
  },
};

/** Builds what writes log files, by which some cases see that an agent hears again. A busy machine takes minutes for it. */
async function buildLogger(vscode: string): Promise<void> {
  const node = dirname(dirname(nodeBinary()));
  const env = {
    ...process.env,
    PATH: `${join(node, "bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    npm_config_nodedir: node,
  };
  await run("npm", ["rebuild", "@vscode/spdlog", "--loglevel=error"], { cwd: vscode, env, timeout: 15 * 60_000 });
}

/** The entry script of {@link codeServer}, or of the one that a variable names: another version, with everything that it needs. */
export function codeServerEntry(): string {
  const chosen = process.env["PATCHBAY_E2E_CODE_SERVER"];
  if (chosen !== undefined) return chosen;
  return join(componentDirectory(codeServer), "node_modules", "code-server", "out", "node", "entry.js");
}

/** What runs {@link codeServerEntry}: earlier ones want earlier Nodes. */
export function codeServerNode(): string {
  return process.env["PATCHBAY_E2E_CODE_SERVER_NODE"] ?? nodeBinary();
}

/** The folder of an extension that VS Code itself brings along. */
export function codeServerExtension(name: string): string {
  const vscode = join(componentDirectory(codeServer), "node_modules", "code-server", "lib", "vscode");
  return join(vscode, "extensions", name);
}

/** Gemini CLI. */
export const geminiCli: Component = packages("gemini-cli", geminiVersion, [`@google/gemini-cli@${geminiVersion}`]);

/** The entry script of {@link geminiCli}. */
export function geminiEntry(): string {
  return join(componentDirectory(geminiCli), "node_modules", "@google", "gemini-cli", "bundle", "gemini.js");
}

/** Qwen Code. */
export const qwenCode: Component = packages("qwen-code", qwenVersion, [`@qwen-code/qwen-code@${qwenVersion}`]);

/** The entry script of {@link qwenCode}. */
export function qwenEntry(): string {
  return join(componentDirectory(qwenCode), "node_modules", "@qwen-code", "qwen-code", "cli-entry.js");
}

/** The last Qwen Code that was seen to find no editor by its records, and the first that was seen to find one, for the doctor's situations. */
export const oldQwenCode: Component = packages("qwen-code", "0.10.1", ["@qwen-code/qwen-code@0.10.1"]);
export const recordReadingQwenCode: Component = packages("qwen-code", "0.12.0", ["@qwen-code/qwen-code@0.12.0"]);

/** The program that npm has put into place for one of a component's packages. */
export function installedProgram(component: Component, command: string): string {
  return join(componentDirectory(component), "node_modules", ".bin", command);
}

/** Claude Code: its platform package is the whole native program. */
export const claudeCode: Component = packages("claude-code", claudeVersion, [
  `@anthropic-ai/claude-code-${platform}@${claudeVersion}`,
]);

/** The last Claude Code that reads no exponent in its port variable, and the first that does, for the doctor's situations. */
export const oldClaudeCode: Component = packages("claude-code", "2.1.231", [
  `@anthropic-ai/claude-code-${platform}@2.1.231`,
]);
export const exponentReadingClaudeCode: Component = packages("claude-code", "2.1.232", [
  `@anthropic-ai/claude-code-${platform}@2.1.232`,
]);

/** The binary of {@link claudeCode}, or of another version. */
export function claudeBinary(version: Component = claudeCode): string {
  return join(componentDirectory(version), "node_modules", "@anthropic-ai", `claude-code-${platform}`, "claude");
}

/** Copilot CLI: its platform package is the whole native program. */
export const copilotCli: Component = packages("copilot-cli", copilotVersion, [
  `@github/copilot-${platform}@${copilotVersion}`,
]);

/** The binary of {@link copilotCli}. */
export function copilotBinary(): string {
  return join(componentDirectory(copilotCli), "node_modules", "@github", `copilot-${platform}`, "copilot");
}

/** Codex CLI: its platform package has the native programs. */
export const codexCli: Component = packages("codex-cli", codexVersion, [`@openai/codex@${codexVersion}-${platform}`]);

/** The binary of {@link codexCli}. */
export function codexBinary(): string {
  const target = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-musl`;
  return join(componentDirectory(codexCli), "node_modules", "@openai", "codex", "vendor", target, "bin", "codex");
}

/** Pi. */
export const piAgent: Component = packages("pi", piVersion, [`@earendil-works/pi-coding-agent@${piVersion}`]);

/** The entry script of {@link piAgent}. */
export function piEntry(): string {
  return join(componentDirectory(piAgent), "node_modules", "@earendil-works", "pi-coding-agent", "dist", "cli.js");
}

/** opencode, the same. */
export const opencodeProgram: Component = packages("opencode", opencodeVersion, [
  `opencode-${platform}@${opencodeVersion}`,
]);

/** The binary of {@link opencodeProgram}. */
export function opencodeBinary(): string {
  return join(componentDirectory(opencodeProgram), "node_modules", `opencode-${platform}`, "bin", "opencode");
}

/** Kilo CLI, the same. */
export const kiloProgram: Component = packages("kilo", kiloVersion, [`@kilocode/cli-${platform}@${kiloVersion}`]);

/** The binary of {@link kiloProgram}. */
export function kiloBinary(): string {
  return join(componentDirectory(kiloProgram), "node_modules", "@kilocode", `cli-${platform}`, "bin", "kilo");
}
