import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, agentOf, type Platform } from "@patchbay/core";
import { agentsWithHooks, applyPlan, planInstall } from "@patchbay/core/hook-settings";
import type { UnixOnly } from "@patchbay/testkit";
import { deadPid, type DoctorLab } from "./doctor-lab.ts";

/** One case of docs/diagnosis.md: made for real, and what the doctor then prints. */
export interface Situation {
  readonly title: string;
  /** What it cannot be made without. */
  readonly needs?: readonly UnixOnly[];
  readonly agents?: readonly AgentId[];
  /** Makes it; resolves with the folder in which the doctor is run, where that is not the lab's. */
  readonly make: (lab: DoctorLab) => Promise<string | void>;
  readonly says: readonly string[];
}

const allWell = "✓ Gemini CLI, Qwen Code and Claude Code connect to Editor (port N).";

async function here(lab: DoctorLab): Promise<void> {
  lab.settle();
  lab.terminalOf(await lab.start("Editor", [lab.folder]));
}

/** The same, for somebody who uses Codex CLI with these settings. */
async function withCodex(lab: DoctorLab, settings: string): Promise<void> {
  await here(lab);
  lab.put(join(lab.platform.root, "bin", "codex"), "", 0o755);
  lab.put(lab.inHome(".codex/config.toml"), settings);
}

/** Two editors on the folder: Theia, which has the smaller process id and started first, and VS Code. */
async function two(lab: DoctorLab) {
  lab.settle();
  const [smaller = 1, larger = 1] = [process.pid, process.ppid].toSorted((a, b) => a - b);
  const theia = await lab.start("Theia", [lab.folder], smaller);
  const qwen = lab.inHome(`.qwen/ide/${theia.environment["QWEN_CODE_IDE_SERVER_PORT"] ?? ""}.lock`);
  utimesSync(qwen, 1, 1);
  return { theia, code: await lab.start("VS Code", [lab.folder], larger) };
}

function ports(lab: DoctorLab, port: number): void {
  lab.environment["GEMINI_CLI_IDE_SERVER_PORT"] = String(port);
  lab.environment["QWEN_CODE_IDE_SERVER_PORT"] = String(port);
  lab.environment["CLAUDE_CODE_SSE_PORT"] = String(port);
}

/** As npm installs it: the program is a link into its package. */
function installVersion(lab: DoctorLab, agent: AgentId, version: string): void {
  const { command, package: name } = agentOf(agent).program;
  const of = join(lab.platform.root, "lib", name);
  lab.put(join(of, "package.json"), JSON.stringify({ name, version }));
  const program = join(lab.platform.root, "bin", command);
  rmSync(program);
  symlinkSync(lab.put(join(of, "bundle", "program.js"), "", 0o755), program);
}

/** As an agent's own installer does: the program is named by its version, and a link leads to it. */
function installByItself(lab: DoctorLab, agent: AgentId, version: string): void {
  const { command } = agentOf(agent).program;
  const program = join(lab.platform.root, "bin", command);
  rmSync(program);
  symlinkSync(lab.put(lab.inHome(`.local/share/${command}/versions/${version}`), "", 0o755), program);
}

function trust(lab: DoctorLab, level: "TRUST_FOLDER" | "DO_NOT_TRUST"): void {
  lab.put(lab.inHome(".gemini/trustedFolders.json"), JSON.stringify({ [lab.folder]: level }));
}

/** An editor that was started with other surroundings than the terminal's. */
async function otherwise(
  lab: DoctorLab,
  changes: { readonly homeDirectory?: string; readonly temporaryDirectory?: string; readonly qwenHome?: string },
): Promise<void> {
  const { process } = lab.platform;
  const environment = (name: string): string | undefined => (name === "QWEN_HOME" ? changes.qwenHome : undefined);
  const surroundings = {
    homeDirectory: changes.homeDirectory ?? process.homeDirectory,
    temporaryDirectory: changes.temporaryDirectory ?? process.temporaryDirectory,
    environment,
  };
  const platform: Platform = { ...lab.platform, process: { ...process, ...surroundings } };
  lab.elsewhere.push(surroundings);
  lab.terminalOf(await lab.start("Editor", [lab.folder], undefined, platform));
}

/** As an edition does it, but for the program. */
async function installHook(lab: DoctorLab, agent: AgentId = "claude"): Promise<void> {
  const found = (await agentsWithHooks(lab.platform)).find(({ id }) => id === agent);
  if (found === undefined) throw new Error(`${agent} has no hook.`);
  const node = lab.put(lab.inHome("bin/node"), "");
  chmodSync(node, 0o755);
  const command = `'${node}' '${lab.inHome(".patchbay/patchbay-hook.cjs")}' ${agent}`;
  const plan = await planInstall({ ...found.request, command });
  if (plan.kind === "change") await applyPlan(lab.platform, plan);
}

/** On the PATH, where the lab has the first three agents. */
function putPi(lab: DoctorLab): void {
  chmodSync(lab.put(join(lab.platform.root, "bin", "pi"), ""), 0o755);
}

/** The situations of docs/diagnosis.md, in its order. */
export const situations: readonly Situation[] = [
  { title: "All is well", make: here, says: [allWell] },
  {
    title: "In a folder below the editor's, reached through a link",
    make: async (lab) => {
      await here(lab);
      mkdirSync(join(lab.folder, "below"));
      const link = join(lab.platform.root, "link");
      symlinkSync(join(lab.folder, "below"), link);
      return link;
    },
    says: [allWell],
  },
  {
    title: "A proxy is set, and TMPDIR is, to what the editor uses as well: neither is in the way",
    make: async (lab) => {
      await here(lab);
      lab.environment["HTTP_PROXY"] = "http://127.0.0.1:9";
      lab.environment["TMPDIR"] = lab.platform.tmp;
    },
    says: [allWell],
  },
  {
    title: "No editor is running",
    make: async (lab) => lab.settle(),
    says: [
      "✗ No running editor was found for Gemini CLI, Qwen Code and Claude Code. [no-editor]",
      "  type: patchbay serve FOLDER   # or open the folder in your editor",
    ],
  },
  {
    title: "The editor has another folder open",
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.directory("else where")]);
    },
    says: [
      "✗ Editor (port N) has another folder open: /else where. Gemini CLI, Qwen Code and Claude Code look for one that has this folder open. [other-folder]",
      "  type: cd '/else where'   # or open this folder in the editor",
    ],
  },
  {
    title: "The editor has only a folder below this one open",
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.directory("workspace", "app")]);
    },
    says: [
      "✗ Editor (port N) has only a subfolder of this one open: FOLDER/app. [folder-below]",
      "  type: cd FOLDER/app   # or open this folder in the editor",
    ],
  },
  {
    title: "The editor, which is another companion's, has the folder open through a link",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      const link = join(lab.platform.root, "link");
      symlinkSync(lab.folder, link);
      lab.record("claude", await lab.httpServer(401), { workspaceFolders: [link] });
    },
    says: [
      "✗ Editor (port N) has this folder open as /link, through a link that Claude Code does not follow. Open FOLDER itself in the editor. [folder-by-link]",
    ],
  },
  {
    title: "A terminal outside of the editor",
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.folder]);
    },
    says: [
      "! Claude Code can connect to Editor (port N), but in this terminal only on request. [waits-to-be-told]",
      "  type: claude --ide   # or /ide in a running one",
      "✓ Gemini CLI and Qwen Code connect to Editor (port N).",
    ],
  },
  {
    title: "Two editors have the folder open, and the terminal is neither's",
    make: async (lab) => {
      await two(lab);
    },
    says: [
      "! 2 editors have this folder open (Theia (port N); VS Code (port N)), so Claude Code connects to none of them by itself. [undecided]",
      '  type: eval "$(patchbay env)"   # or choose one: type /ide in Claude Code',
      "✓ Gemini CLI connects to VS Code (port N). Of the 2 editors that have this folder open, it is the one with the largest process id.",
      "✓ Qwen Code connects to VS Code (port N). Of the 2 editors that have this folder open, it is the one with the newest record.",
    ],
  },
  {
    title: "Two editors have the folder open, and the terminal is one's",
    make: async (lab) => lab.terminalOf((await two(lab)).theia),
    says: [
      "✓ Gemini CLI and Qwen Code connect to Theia (port N). Of the 2 editors that have this folder open, it is the one that this terminal's variables name.",
      "✓ Claude Code connects to Theia (port N).",
    ],
  },
  {
    title: "Two editors have the folder open, and the terminal is a shell below one's process",
    agents: ["gemini"],
    make: async (lab) => {
      await two(lab);
      lab.environment["GEMINI_CLI_IDE_PID"] = String(Math.min(process.pid, process.ppid));
    },
    says: [
      "✓ Gemini CLI connects to Theia (port N). Of the 2 editors that have this folder open, it is the one that this terminal belongs to.",
    ],
  },
  {
    title: "The terminal's variables name an editor with another folder",
    make: async (lab) => {
      await here(lab);
      lab.terminalOf(await lab.start("Other", [lab.directory("other")]));
    },
    says: [
      "✗ CLAUDE_CODE_SSE_PORT points Claude Code to Other (port N), which has another folder open: /other. Editor (port N) has this one open. [takes-other-folder]",
      '  type: eval "$(patchbay env --port N)"',
      "✓ Gemini CLI and Qwen Code connect to Editor (port N).",
    ],
  },
  {
    title: "The variables are left over from an editor that has exited",
    make: async (lab) => {
      await here(lab);
      ports(lab, 9);
    },
    says: [
      "! GEMINI_CLI_IDE_SERVER_PORT, QWEN_CODE_IDE_SERVER_PORT, CLAUDE_CODE_SSE_PORT (9) are left over from an editor that has exited. Gemini CLI, Qwen Code and Claude Code ignore that. [port-left-over]",
      allWell,
    ],
  },
  {
    title: "Variables and record are left over from an editor that was killed, beside one that runs",
    agents: ["gemini", "qwen"],
    make: async (lab) => {
      await here(lab);
      lab.record("gemini", 9, {}, deadPid);
      ports(lab, 9);
    },
    says: [
      "✗ Gemini CLI chooses Editor (port N), which has exited, and tries no other: TMP/gemini/ide/gemini-ide-server-N-N.json and a variable in this terminal point to it. Editor (port N) has this folder open. [takes-ended-editor]",
      '  type: eval "$(patchbay env --port N)"',
      "! TMP/gemini/ide/gemini-ide-server-N-N.json is left over from Editor, which has exited. [record-left-over]",
      "  type: rm TMP/gemini/ide/gemini-ide-server-N-N.json",
      "! QWEN_CODE_IDE_SERVER_PORT (9) is left over from an editor that has exited. Qwen Code ignores that. [port-left-over]",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "The editor refuses the token of its record",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      const port = Number(lab.environment["CLAUDE_CODE_SSE_PORT"]);
      lab.record("claude", port, { authToken: "of another run" });
    },
    says: [
      "✗ Editor (port N) rejects the token in ~/.claude/ide/N.lock, which does not belong to its current run. Reload the editor's window. [token-refused]",
    ],
  },
  {
    title: "The editor refuses the tokens of all its records",
    make: async (lab) => {
      lab.settle();
      const port = await lab.httpServer(401);
      for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, port);
      lab.environment["CLAUDE_CODE_SSE_PORT"] = String(port);
    },
    says: [
      "✗ Editor (port N) rejects the token in TMP/gemini/ide/gemini-ide-server-N-N.json, ~/.qwen/ide/N.lock and ~/.claude/ide/N.lock, which does not belong to its current run. Reload the editor's window. [token-refused]",
    ],
  },
  {
    title: "`patchbay serve` refuses the token of its record",
    agents: ["gemini"],
    make: async (lab) => {
      lab.settle();
      const ideInfo = { name: "patchbay", displayName: "Patchbay" };
      lab.record("gemini", await lab.httpServer(401), { ideInfo });
    },
    says: [
      "✗ Patchbay (port N) rejects the token in TMP/gemini/ide/gemini-ide-server-N-N.json, which does not belong to its current run. Restart `patchbay serve`. [token-refused]",
    ],
  },
  {
    title: "The editor's process is stopped",
    needs: ["stopped processes"],
    agents: ["qwen"],
    make: async (lab) => {
      lab.settle();
      const { pid, port } = await lab.stoppedProcess();
      lab.record("qwen", port, {}, pid);
    },
    says: [
      "✗ Editor (port N) is suspended (process N) and does not answer agents. [editor-stopped]",
      "  type: kill -CONT N   # or fg, in the terminal where it was suspended",
    ],
  },
  {
    title: "The editor hangs",
    agents: ["gemini"],
    make: async (lab) => {
      lab.settle();
      lab.waitMs = 1_000;
      lab.record("gemini", await lab.silentServer());
    },
    says: [
      "✗ Editor (port N) accepts connections but has not answered in N s: it hangs or is very busy. Wait, or reload its window. [editor-silent]",
    ],
  },
  {
    title: "The editor hangs, and all three agents find it",
    make: async (lab) => {
      lab.settle();
      lab.waitMs = 1_000;
      const port = await lab.silentServer();
      for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, port);
    },
    says: [
      "✗ Editor (port N) accepts connections but has not answered in N s: it hangs or is very busy. Wait, or reload its window. [editor-silent]",
    ],
  },
  {
    title: "The editor hangs once it has answered: its port answers, and no session opens",
    make: async (lab) => {
      lab.settle();
      lab.waitMs = 1_000;
      const port = await lab.hangingServer();
      for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, port);
    },
    says: [
      "✗ Editor (port N) accepts connections but has not answered in N s: it hangs or is very busy. Wait, or reload its window. [editor-silent]",
    ],
  },
  {
    title: "The editor answers late, and agents wait for it",
    agents: ["gemini", "qwen"],
    make: async (lab) => {
      lab.settle();
      const port = await lab.slowServer(1_200);
      for (const agent of ["gemini", "qwen"] as const) lab.record(agent, port);
    },
    says: [
      "! Editor (port N) answers slowly (N s). Gemini CLI and Qwen Code wait for it. [editor-slow]",
      "✓ Gemini CLI and Qwen Code connect to Editor (port N).",
    ],
  },
  {
    title: "The editor serves as many agents as it can",
    agents: ["gemini"],
    make: async (lab) => {
      lab.settle();
      lab.record("gemini", await lab.httpServer(503));
    },
    says: ["✗ Editor (port N) has reached its limit of connected agents. Exit one of them first. [editor-full]"],
  },
  {
    title: "Another program has the port of an editor that has ended",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      lab.record("claude", await lab.httpServer(404));
    },
    says: [
      "✗ ~/.claude/ide/N.lock points Claude Code to port N, where another program listens instead of Editor. Reload the editor's window. [port-of-another-program]",
    ],
  },
  {
    title: "Another program, which says nothing, has the port of an editor that was killed",
    make: async (lab) => {
      lab.settle();
      const port = await lab.silentServer();
      const patchbay = { pid: deadPid };
      for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, port, { patchbay });
    },
    says: [
      "✗ TMP/gemini/ide/gemini-ide-server-N-N.json, ~/.qwen/ide/N.lock and ~/.claude/ide/N.lock point Gemini CLI, Qwen Code and Claude Code to port N, where another program listens instead of Editor, which has exited. [port-of-another-program]",
      "  type: rm TMP/gemini/ide/gemini-ide-server-N-N.json ~/.qwen/ide/N.lock ~/.claude/ide/N.lock",
    ],
  },
  {
    title: "A record is left over from an editor that was killed",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      lab.record("qwen", 9, {}, deadPid);
    },
    says: [
      "! ~/.qwen/ide/N.lock is left over from Editor, which has exited. [record-left-over]",
      "  type: rm ~/.qwen/ide/N.lock",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "The record of another container that shares your home, whose editor cannot be reached from here",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      lab.record("qwen", 9, { patchbay: { pid: deadPid, place: "pid:[1]" } }, deadPid);
    },
    says: [
      "! ~/.qwen/ide/N.lock is a record of Editor, but nothing answers on its port N. [record-left-over]",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "All records of an editor that was killed are left over",
    make: async (lab) => {
      await here(lab);
      for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, 9, {}, deadPid);
    },
    says: [
      "! TMP/gemini/ide/gemini-ide-server-N-N.json, ~/.qwen/ide/N.lock, ~/.claude/ide/N.lock are left over from Editor, which has exited. [record-left-over]",
      "  type: rm TMP/gemini/ide/gemini-ide-server-N-N.json ~/.qwen/ide/N.lock ~/.claude/ide/N.lock",
      allWell,
    ],
  },
  {
    title: "Nobody answers on a record's port, but its process is there: nothing is to be removed",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.record("gemini", 9);
    },
    says: [
      "! TMP/gemini/ide/gemini-ide-server-N-N.json is a record of Editor, but nothing answers on its port N. [record-left-over]",
      "✓ Gemini CLI connects to Editor (port N).",
    ],
  },
  {
    title: "A record names a process that has ended, although its editor answers",
    agents: ["qwen"],
    make: async (lab) => {
      lab.settle();
      lab.record("qwen", await lab.httpServer(401), {}, deadPid);
    },
    says: [
      "✗ ~/.qwen/ide/N.lock names process N, which has exited: Qwen Code deletes it, although Editor answers. Reload the editor's window. [record-of-ended-process]",
    ],
  },
  {
    title: "A record does not name its editor",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      const port = Number(lab.environment["QWEN_CODE_IDE_SERVER_PORT"]);
      const text = await lab.platform.files.readText(lab.inHome(`.qwen/ide/${port}.lock`), 10_000);
      const fields: Record<string, unknown> = { ...JSON.parse(text ?? "{}"), ideInfo: {} };
      lab.record("qwen", port, fields);
    },
    says: [
      "! ~/.qwen/ide/N.lock does not name its editor (ideInfo), so Qwen Code accepts it only in the terminals of a few editors. [record-without-editor-names]",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "The editor uses another directory for temporary files",
    make: async (lab) => {
      lab.settle();
      await otherwise(lab, { temporaryDirectory: lab.directory("other tmp") });
    },
    says: [
      "✗ Editor (port N) uses /other tmp for temporary files, but this terminal uses TMP, so Gemini CLI does not find it. [temporary-directory-differs]",
      "  type: TMPDIR='/other tmp' gemini",
      "✓ Qwen Code and Claude Code connect to Editor (port N).",
    ],
  },
  {
    title: "The editor has another home",
    make: async (lab) => {
      lab.settle();
      await otherwise(lab, { homeDirectory: lab.directory("another") });
    },
    says: [
      "✗ The home directory of Editor (port N) is /another, but this terminal's is ~, so Qwen Code and Claude Code do not find it. [home-differs]",
      "  type: HOME=/another qwen",
      "✓ Gemini CLI connects to Editor (port N).",
    ],
  },
  {
    title: "This terminal has a QWEN_HOME that the editor has not",
    agents: ["qwen"],
    make: async (lab) => {
      lab.settle();
      lab.environment["QWEN_HOME"] = lab.directory("q");
      lab.put(join(lab.platform.root, "q", "settings.json"), '{ "tools": { "approvalMode": "default" } }');
      await otherwise(lab, {});
    },
    says: [
      "✗ Editor (port N) was started without QWEN_HOME, but this terminal has /q, so Qwen Code does not find it. [variable-differs]",
      "  type: env -u QWEN_HOME qwen",
    ],
  },
  {
    title: "The editor has a QWEN_HOME that this terminal has not",
    agents: ["qwen"],
    make: async (lab) => {
      lab.settle();
      // The editor writes to both: to be found by neither, its home must differ, too.
      await otherwise(lab, { qwenHome: lab.directory("q"), homeDirectory: lab.directory("another") });
    },
    says: [
      "✗ Editor (port N) was started with QWEN_HOME /q, but this terminal has none, so Qwen Code does not find it. [variable-differs]",
      "  type: QWEN_HOME=/q qwen",
    ],
  },
  {
    title: "Root by sudo",
    make: async (lab) => {
      lab.settle();
      lab.uid = 0;
      lab.environment["SUDO_USER"] = "ada";
    },
    says: [
      "✗ You are root through sudo, so Gemini CLI, Qwen Code and Claude Code look for root's editors. Exit sudo and start the agent as ada. [root-by-sudo]",
    ],
  },
  {
    title: "An agent is not installed",
    make: async (lab) => {
      await here(lab);
      rmSync(join(lab.platform.root, "bin", "qwen"));
      rmSync(lab.inHome(".qwen/settings.json"));
    },
    // Nobody misses one of which there is no trace.
    says: ["✓ Gemini CLI and Claude Code connect to Editor (port N)."],
  },
  {
    title: "An agent that was used here is not on the PATH",
    make: async (lab) => {
      await here(lab);
      rmSync(join(lab.platform.root, "bin", "qwen"));
    },
    says: [
      "! Qwen Code was not found: qwen is not on this terminal's PATH (aliases cannot be seen from here). [not-installed]",
      "  type: npm install --global @qwen-code/qwen-code",
      "! Qwen Code would connect to Editor (port N). [connects]",
      "✓ Gemini CLI and Claude Code connect to Editor (port N).",
    ],
  },
  {
    title: "An agent that was asked about is not installed",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      rmSync(join(lab.platform.root, "bin", "claude"));
      rmSync(lab.inHome(".claude/settings.json"));
    },
    says: [
      "✗ Claude Code was not found: claude is not on this terminal's PATH (aliases cannot be seen from here). [not-installed]",
      "  type: npm install --global @anthropic-ai/claude-code",
    ],
  },
  {
    title: "Qwen Code is too old for a terminal outside of the editor",
    agents: ["qwen"],
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.folder]);
      installVersion(lab, "qwen", "0.10.1");
    },
    says: [
      "✗ Qwen Code 0.10.1 is too old to find an editor from this terminal: it needs 0.12.0 or later. [agent-too-old]",
      "  type: npm install --global @qwen-code/qwen-code",
    ],
  },
  {
    title: "Gemini CLI is too old for a terminal outside of the editor",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      installVersion(lab, "gemini", "0.29.4");
    },
    says: [
      "✗ Gemini CLI 0.29.4 is too old to find an editor from this terminal: it needs 0.31.0 or later. [agent-too-old]",
      "  type: npm install --global @google/gemini-cli",
    ],
  },
  {
    title: "Claude Code is too old for a terminal of one of two editors",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.record("claude", await lab.httpServer(401));
      installByItself(lab, "claude", "2.1.231");
    },
    says: [
      "✗ Claude Code 2.1.231 is too old to find an editor from this terminal: it needs 2.1.232 or later. [agent-too-old]",
      "  type: npm install --global @anthropic-ai/claude-code",
    ],
  },
  {
    title: "An agent is started by an alias: it has settings, and is not on the PATH",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      rmSync(join(lab.platform.root, "bin", "claude"));
    },
    says: [
      "✗ Claude Code was not found: claude is not on this terminal's PATH (aliases cannot be seen from here). [not-installed]",
      "  type: npm install --global @anthropic-ai/claude-code",
      "! Claude Code would connect to Editor (port N). [connects]",
    ],
  },
  {
    title: "A container",
    make: async (lab) => {
      await here(lab);
      lab.system.set("/.dockerenv", "");
      delete lab.environment["REMOTE_CONTAINERS"];
    },
    says: [
      "✗ In this container, Gemini CLI looks for its editor only on the container's host. [looks-on-container-host]",
      "  type: export REMOTE_CONTAINERS=true",
      "✓ Qwen Code and Claude Code connect to Editor (port N).",
    ],
  },
  {
    title: "A container, and a variable in `~/.gemini/.env` by which Gemini CLI stays in it",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.system.set("/.dockerenv", "");
      delete lab.environment["REMOTE_CONTAINERS"];
      lab.put(lab.inHome(".gemini/.env"), "# mine\nexport REMOTE_CONTAINERS='true' # here\n");
      trust(lab, "TRUST_FOLDER");
    },
    says: ["✓ Gemini CLI connects to Editor (port N)."],
  },
  {
    title: "A container, and such a variable, of which nothing is taken in a folder that is not trusted",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.system.set("/.dockerenv", "");
      delete lab.environment["REMOTE_CONTAINERS"];
      lab.put(lab.inHome(".gemini/.env"), "REMOTE_CONTAINERS=true\n");
      trust(lab, "DO_NOT_TRUST");
    },
    says: [
      "✗ In this container, Gemini CLI looks for its editor only on the container's host. [looks-on-container-host]",
      "  type: export REMOTE_CONTAINERS=true",
    ],
  },
  {
    title: "A program is named in place of an editor",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.environment["GEMINI_CLI_IDE_SERVER_STDIO_COMMAND"] = "other";
    },
    says: [
      "! GEMINI_CLI_IDE_SERVER_STDIO_COMMAND is set: Gemini CLI may start that program instead of looking for an editor. [program-in-place-of-editor]",
      "  type: unset GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
      "✓ Gemini CLI connects to Editor (port N).",
    ],
  },
  {
    title: "opencode and Kilo, in the editor's own terminal",
    agents: ["opencode", "kilo"],
    make: async (lab) => {
      await here(lab);
      for (const command of ["opencode", "kilo"]) lab.put(join(lab.platform.root, "bin", command), "", 0o755);
    },
    says: [
      "! Changes by opencode and Kilo are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install",
      "✓ opencode and Kilo connect to Editor (port N).",
    ],
  },
  {
    title: "The terminal names a port in decimal, which opencode dials without a token",
    agents: ["opencode", "claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.platform.root, "bin", "opencode"), "", 0o755);
      const port = Number(lab.environment["CLAUDE_CODE_SSE_PORT"]);
      lab.environment["CLAUDE_CODE_SSE_PORT"] = String(port);
    },
    says: [
      "✗ opencode connects to the port that CLAUDE_CODE_SSE_PORT names without a token, so every editor refuses it. [port-without-token]",
      '  type: eval "$(patchbay env)"   # names the port in a form that opencode leaves alone',
      "! Changes by opencode are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install opencode",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "Kilo's own variable names a port",
    agents: ["kilo"],
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.folder]);
      lab.put(join(lab.platform.root, "bin", "kilo"), "", 0o755);
      lab.environment["KILO_EDITOR_SSE_PORT"] = "9";
    },
    says: [
      "✗ Kilo connects to the port that KILO_EDITOR_SSE_PORT names without a token, so every editor refuses it. [port-without-token]",
      '  type: eval "$(patchbay env)"   # names the port in a form that Kilo leaves alone',
      "! Changes by Kilo are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install kilo",
    ],
  },
  {
    title: "Two editors have the folder open, one of them only above it: opencode takes the nearest",
    agents: ["opencode"],
    make: async (lab) => {
      lab.settle();
      lab.put(join(lab.platform.root, "bin", "opencode"), "", 0o755);
      await lab.start("Near", [lab.folder]);
      await lab.start("Above", [lab.platform.root]);
    },
    says: [
      "! Changes by opencode are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install opencode",
      "✓ opencode connects to Near (port N). Of the 2 editors that have this folder open, it is the one with the nearest folder.",
    ],
  },
  {
    title: "opencode has no record that fits",
    agents: ["opencode"],
    make: async (lab) => {
      lab.settle();
      lab.put(join(lab.platform.root, "bin", "opencode"), "", 0o755);
      await lab.start("Editor", [lab.directory("else where")]);
    },
    says: [
      "✗ Editor (port N) has another folder open: /else where. opencode looks for one that has this folder open. [other-folder]",
      "  type: cd '/else where'   # or open this folder in the editor",
      "! Changes by opencode are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install opencode",
    ],
  },
  {
    title: "File context is switched off in opencode",
    agents: ["opencode"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.platform.root, "bin", "opencode"), "", 0o755);
      lab.put(lab.inHome(".local/state/opencode/kv.json"), '{"file_context_enabled":false}');
    },
    says: [
      "! opencode does not tell its model what you have open and selected: file context is off in ~/.local/state/opencode/kv.json. [context-off]",
      "  type: ctrl+p   # in opencode, then choose Enable file context",
      "! Changes by opencode are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install opencode",
      "✓ opencode connects to Editor (port N).",
    ],
  },
  {
    title: "Codex CLI asks before it writes, and has no hook",
    needs: ["sockets as files"],
    agents: ["codex"],
    make: async (lab) => await withCodex(lab, 'sandbox_mode = "read-only"\n'),
    says: ["✓ Codex CLI connects to Editor (port N)."],
  },
  {
    title: "Codex CLI's sandbox lets it write, and it has no hook",
    needs: ["sockets as files"],
    agents: ["codex"],
    make: async (lab) => await withCodex(lab, 'sandbox_mode = "workspace-write"\n'),
    says: [
      "✗ Changes by Codex CLI are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install codex",
      '✗ Codex CLI\'s sandbox_mode is "workspace-write" in ~/.codex/config.toml: it writes without asking, and shows no changes in an editor. [never-asks]',
      '  type: codex --sandbox read-only --ask-for-approval on-request   # to keep it: "read-only" in ~/.codex/config.toml',
    ],
  },
  {
    title: "Codex CLI starts no background service, and has no hook",
    agents: ["codex"],
    make: async (lab) => await withCodex(lab, 'sandbox_mode = "read-only"\n[features]\ndaemon_auto_start = false\n'),
    says: [
      "✗ Changes by Codex CLI are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install codex",
      "! Codex CLI starts no background service (features.daemon_auto_start in ~/.codex/config.toml), so what it asks in its terminal is not asked in an editor. [service-off]",
    ],
  },
  {
    title: "An agent was never told to use an editor",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".gemini/settings.json"), "{}");
    },
    says: [
      "✗ Gemini CLI has not been told to use an editor yet. If it offers to install an extension, answer No, then turn on IDE mode. [editor-mode-not-chosen]",
      "  type: /ide enable   # type this in Gemini CLI",
    ],
  },
  {
    title: "IDE mode is off",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".gemini/settings.json"), '{ "ide": { "enabled": false } }');
    },
    says: [
      "✗ Gemini CLI's IDE mode is off (ide.enabled in ~/.gemini/settings.json), so it does not look for an editor. [editor-mode-off]",
      "  type: /ide enable   # type this in Gemini CLI",
    ],
  },
  {
    title: "IDE mode is off in the folder's settings, which win",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.folder, ".gemini", "settings.json"), '{ "ide": { "enabled": false } }');
      trust(lab, "TRUST_FOLDER");
    },
    says: [
      "✗ Gemini CLI's IDE mode is off (ide.enabled in FOLDER/.gemini/settings.json), so it does not look for an editor. Change it there: that file overrides yours. [editor-mode-off]",
    ],
  },
  {
    title: "IDE mode is off in the settings of a folder that Gemini CLI does not trust, where they do not count",
    agents: ["gemini"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.folder, ".gemini", "settings.json"), '{ "ide": { "enabled": false } }');
    },
    says: ["✓ Gemini CLI connects to Editor (port N)."],
  },
  {
    title: "Claude Code is told by a variable to connect to no editor",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.environment["CLAUDE_CODE_AUTO_CONNECT_IDE"] = "false";
    },
    says: [
      "✗ Claude Code connects to no editor by itself (CLAUDE_CODE_AUTO_CONNECT_IDE of this terminal). [editor-mode-off]",
      "  type: unset CLAUDE_CODE_AUTO_CONNECT_IDE   # or /ide in a running one",
    ],
  },
  {
    title: "Claude Code is told by its settings to connect to no editor",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      const env = { CLAUDE_CODE_AUTO_CONNECT_IDE: "false" };
      lab.put(lab.inHome(".claude/settings.json"), JSON.stringify({ permissions: { defaultMode: "default" }, env }));
    },
    says: [
      "✗ Claude Code connects to no editor by itself (CLAUDE_CODE_AUTO_CONNECT_IDE in ~/.claude/settings.json). [editor-mode-off]",
      "  type: /ide   # type this in Claude Code",
    ],
  },
  {
    title: "The port variable is no number",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.environment["CLAUDE_CODE_SSE_PORT"] = "abc";
    },
    says: [
      "! Claude Code can connect to Editor (port N), but in this terminal only on request. [waits-to-be-told]",
      "  type: claude --ide   # or /ide in a running one",
    ],
  },
  {
    title: "The terminal says that it is another editor's",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.folder]);
      lab.environment["TERM_PROGRAM"] = "vscode";
    },
    says: [
      "✗ This terminal is another editor's by its TERM_PROGRAM, so Claude Code does not connect to Editor (port N) by itself, nor by /ide. [terminal-of-another-editor]",
      "  type: patchbay run claude",
    ],
  },
  {
    title: "A .env file has an agent look elsewhere",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".qwen/.env"), "QWEN_HOME=~/elsewhere\n");
      lab.put(lab.inHome("elsewhere/settings.json"), '{ "tools": { "approvalMode": "default" } }');
    },
    says: [
      "✗ Qwen Code takes QWEN_HOME ~/elsewhere from ~/.qwen/.env, but Editor (port N) was started without it, so Qwen Code does not find it. Take the line out, or set the variable where your editors get it, too. [variable-differs]",
    ],
  },
  {
    title: "A .env file of the folder names a program in place of an editor",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.folder, ".env"), "QWEN_CODE_IDE_SERVER_STDIO_COMMAND=other\n");
    },
    says: [
      "! QWEN_CODE_IDE_SERVER_STDIO_COMMAND is set in FOLDER/.env: Qwen Code may start that program instead of looking for an editor. [program-in-place-of-editor]",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "Claude Code connects by itself where its settings say so, without a variable",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      await lab.start("Editor", [lab.folder]);
      lab.put(lab.inHome(".claude.json"), '{ "autoConnectIde": true }');
    },
    says: ["✓ Claude Code connects to Editor (port N)."],
  },
  {
    title: "Settings that are no JSON",
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".gemini/settings.json"), '{ "ide": { "enabled": true }, }');
      lab.put(lab.inHome(".qwen/settings.json"), "");
      lab.put(join(lab.folder, ".claude", "settings.json"), "{ permissions");
    },
    says: [
      "✗ ~/.gemini/settings.json is not valid JSON, so Gemini CLI cannot use it. Correct it. [settings-not-json]",
      "✗ ~/.qwen/settings.json is not valid JSON, so Qwen Code cannot use it. Correct it. [settings-not-json]",
      "✗ FOLDER/.claude/settings.json is not valid JSON, so Claude Code cannot use it. Correct it. [settings-not-json]",
    ],
  },
  {
    title: "An agent writes without asking, by default",
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".qwen/settings.json"), "{}");
    },
    says: [
      '✗ Qwen Code\'s tools.approvalMode is "auto" by default: it writes without asking, and shows no changes in an editor. [never-asks]',
      '  type: /approval-mode default   # type this in Qwen Code; to keep it: "default" in ~/.qwen/settings.json',
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "An agent writes without asking, by the folder's settings",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      const text = '{ "permissions": { "defaultMode": "acceptEdits" } }';
      lab.put(join(lab.folder, ".claude", "settings.local.json"), text);
    },
    says: [
      '✗ Claude Code\'s permissions.defaultMode is "acceptEdits" in FOLDER/.claude/settings.local.json: it writes without asking, and shows no changes in an editor. [never-asks]',
      '  type: claude --permission-mode manual   # to keep it: "default" in FOLDER/.claude/settings.local.json',
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "An agent shows its changes in the terminal only",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".claude.json"), '{ "diffTool": "terminal" }');
    },
    says: [
      '✗ Claude Code\'s diffTool is "terminal" in ~/.claude.json: it shows no changes in an editor. [shows-changes-in-terminal]',
      "  type: /config   # type this in Claude Code, and set the diff tool to auto",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "Where an agent looks belongs to another user",
    needs: ["owners"],
    agents: ["gemini"],
    make: async (lab) => {
      lab.settle();
      lab.foreign.add(lab.directory("tmp", "gemini", "ide"));
    },
    says: [
      "✗ TMP/gemini/ide belongs to another user (uid N), so your editors cannot announce themselves to Gemini CLI there. Ask its owner to remove it, or give the editor and the agent a TMPDIR of your own. [directory-of-another-user]",
    ],
  },
  {
    title: "Where an agent looks in your home belongs to root",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      lab.rooted.add(lab.directory("home", ".claude", "ide"));
    },
    says: [
      "✗ ~/.claude/ide belongs to another user (uid N), so your editors cannot announce themselves to Claude Code there. [directory-of-another-user]",
      '  type: sudo chown -R "$(id -u):$(id -g)" ~/.claude/ide',
    ],
  },
  {
    title: "Where an agent looks is a link that the editor does not follow",
    agents: ["gemini"],
    make: async (lab) => {
      lab.settle();
      mkdirSync(join(lab.platform.tmp, "gemini"));
      symlinkSync(lab.directory("planted"), join(lab.platform.tmp, "gemini", "ide"));
      await lab.start("Editor", [lab.folder]);
    },
    says: [
      "✗ TMP/gemini/ide is a symbolic link that Patchbay does not follow, so Gemini CLI finds no record there. Links are followed only in your home directory, and only to a directory that nobody else can change. [directory-is-a-link]",
    ],
  },
  {
    title: "Where an agent looks is a file",
    agents: ["claude"],
    make: async (lab) => {
      lab.settle();
      lab.put(lab.inHome(".claude/ide"), "");
    },
    says: [
      "✗ ~/.claude/ide is not a directory, so no editor can announce itself to Claude Code there. [directory-is-none]",
      "  type: mv ~/.claude/ide ~/.claude/ide.old",
    ],
  },
  {
    title: "Others may write to where an agent looks, and read a token",
    needs: ["permission bits"],
    agents: ["qwen"],
    make: async (lab) => {
      await here(lab);
      await lab.platform.files.chmod(lab.inHome(".qwen/ide"), 0o777);
      const name = `${lab.environment["QWEN_CODE_IDE_SERVER_PORT"] ?? ""}.lock`;
      await lab.platform.files.chmod(lab.inHome(`.qwen/ide/${name}`), 0o644);
    },
    says: [
      "! Other users can write to ~/.qwen/ide, and could direct Qwen Code to their own editor. [directory-open-to-others]",
      "  type: chmod go-w ~/.qwen/ide",
      "! Other users can read the token in ~/.qwen/ide/N.lock. [record-readable-by-others]",
      "  type: chmod 600 ~/.qwen/ide/N.lock",
      "✓ Qwen Code connects to Editor (port N).",
    ],
  },
  {
    title: "A record that is none, and one of another user",
    needs: ["owners"],
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".claude/ide/1.lock"), "nonsense");
      lab.foreign.add(lab.put(lab.inHome(".claude/ide/2.lock"), "{}"));
    },
    says: [
      "! ~/.claude/ide/N.lock is not a valid record for Claude Code, and is skipped. [record-not-understood]",
      "! ~/.claude/ide/N.lock belongs to another user (uid N); Claude Code ignores it. [record-of-another-user]",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "The editor runs, and has left no record for one agent",
    agents: ["qwen"],
    make: async (lab) => {
      // Where that directory cannot be written, say.
      const refuse = async (): Promise<never> => {
        throw Object.assign(new Error("read-only"), { code: "EROFS" });
      };
      const { files } = lab.platform;
      const makeDirectory = async (path: string, mode: number) =>
        path.endsWith(".qwen") ? await refuse() : await files.makeDirectory(path, mode);
      const platform: Platform = { ...lab.platform, files: { ...files, makeDirectory } };
      await lab.start("Editor", [lab.folder], undefined, platform);
      lab.settle();
    },
    says: [
      "✗ Editor (port N) has this folder open, but there is no record for Qwen Code in ~/.qwen/ide. Reload the editor's window. If that does not help, run the editor's own diagnosis. [record-missing]",
    ],
  },
  {
    title: "A hook is installed: changes are reviewed in the modes that do not ask, too",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".claude/settings.json"), '{"permissions":{"defaultMode":"acceptEdits"}}');
      lab.put(lab.inHome(".patchbay/patchbay-hook.cjs"), "");
      await installHook(lab);
    },
    says: [
      "✓ Claude Code connects to Editor (port N).",
      "✓ The hook of Claude Code is installed (~/.claude/settings.json): changes are reviewed in every mode.",
    ],
  },
  {
    title: "A hook is installed, and its program is gone",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      await installHook(lab);
    },
    says: [
      "✗ The hook of Claude Code in ~/.claude/settings.json cannot run ~/.patchbay/patchbay-hook.cjs: it does not review every change. [hook-broken]",
      "  type: patchbay hook install claude",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "An agent that never asks has no hook",
    agents: ["pi"],
    make: async (lab) => {
      await here(lab);
      putPi(lab);
    },
    says: [
      "✗ Changes by Pi are not shown in an editor, because Patchbay's hook is not installed. [hook-not-installed]",
      "  type: patchbay hook install pi",
    ],
  },
  {
    title: "An agent that never asks has its hook",
    agents: ["pi"],
    make: async (lab) => {
      await here(lab);
      lab.put(lab.inHome(".patchbay/patchbay-hook.cjs"), "");
      putPi(lab);
      await installHook(lab, "pi");
    },
    says: [
      "✓ Pi connects to Editor (port N).",
      "✓ The hook of Pi is installed (~/.pi/agent/extensions/patchbay.js): changes are reviewed in every mode.",
    ],
  },
  {
    title: "The folder wants every change reviewed, and no hook does it",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.folder, ".patchbay.json"), '{"reviews":{"*":"always"}}');
    },
    says: [
      "! FOLDER/.patchbay.json wants changes of Claude Code reviewed in every mode, but the hook that does it is not installed. [policy-without-hook]",
      "  type: patchbay hook install claude",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
  {
    title: "The folder says what is reviewed, and nobody can read it",
    agents: ["claude"],
    make: async (lab) => {
      await here(lab);
      lab.put(join(lab.folder, ".patchbay.json"), '{"reviews":"always"}');
    },
    says: [
      "✗ FOLDER/.patchbay.json is not understood, and counts as if it were not there. [policy-unclear]",
      "✓ Claude Code connects to Editor (port N).",
    ],
  },
];
