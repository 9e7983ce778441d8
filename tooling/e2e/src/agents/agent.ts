import { mkdir, rename, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type AgentId, agentOf } from "@patchbay/core";
import { type ModelServer, type ModelProtocol, listenModelServer, type Turn } from "../models/model-server.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import type { Lab } from "../support/lab.ts";
import { pause, poll } from "../support/poll.ts";
import { mustRun } from "../support/processes.ts";
import type { Terminal } from "../terminals/terminal.ts";
import { quote } from "../terminals/tmux.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";

/** How one agent is set up and what its screens look like. All waits are bounded. */
export interface AgentKind {
  readonly id: AgentId;
  /** The name users know it by. */
  readonly displayName: string;
  readonly protocol: ModelProtocol;
  /** Writes its settings into the lab's home; `isNewcomers`: of somebody who has not met an editor's companion yet. */
  configure(lab: Lab, isNewcomers?: boolean): Promise<void>;
  /** Writes where its model is, where no variable says so; undefined: that it has none. */
  configureModel?(lab: Lab, modelUrl: string | undefined, start?: AgentStart): Promise<void>;
  /** Its own environment, on top of the lab's. */
  environment(lab: Lab, modelUrl: string): Readonly<Record<string, string>>;
  command(): readonly string[];
  /** What it is started with to do one thing without a person; absent: `-p` and the prompt. */
  headless?(prompt: string): readonly string[];
  /** What it is started with in a terminal, beside its command. */
  readonly terminalArguments?: readonly string[];
  /** Modes in which it never asks an editor. */
  readonly quietModes: readonly QuietMode[];
  /** In which it asks neither before writes nor before commands; absent: so it is started in any case. */
  readonly unasking?: QuietMode;
  /** Whether it writes what a hook makes of its arguments; else its model is told the user's text. */
  readonly takesUsersText: boolean;
  /** On screen when the agent takes prompts. */
  readonly ready: RegExp;
  /** On screen while the agent asks whether to write a file. */
  readonly approval: RegExp;
  /** On screen where it could do nothing with what a hook of its has said. */
  readonly hookFailure?: RegExp;
  /** The command that shows the state of the connection, and what it shows when there is one. */
  readonly statusCommand: string;
  readonly connected: RegExp;
  /** On screen while the status is a menu that Escape leaves; undefined where it is a line of text. */
  readonly statusMenu: RegExp | undefined;
  /** Turns of the model that write a whole file. */
  writeTurns(path: string, contents: string): readonly Turn[];
  /** Turns of the model that replace one text in a file. */
  editTurns(path: string, from: string, to: string): readonly Turn[];
  /** Turns of the model that run a command of a shell. */
  commandTurns(command: string): readonly Turn[];
  accept(terminal: Terminal): Promise<void>;
  reject(terminal: Terminal): Promise<void>;
  /** Stops the turn; absent: by what rejects. */
  interrupt?(terminal: Terminal): Promise<void>;
}

/** A mode in which an agent never asks an editor. */
export interface QuietMode {
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where its hook has no opinion, it asks its user, and without a person it gives up. */
  readonly asksElsewhere?: boolean;
}

/** How an agent is started, where not as usual. */
export interface AgentStart {
  /** In place of the mode in which it asks. */
  readonly mode?: QuietMode;
  /** With Patchbay's hook in its settings. */
  readonly isHooked?: boolean;
  /** With the service that its terminals share, and in the mode in which it asks its user. */
  readonly isServed?: boolean;
  /** In this sandbox and by this policy of approvals, where it has both. */
  readonly policy?: readonly [sandbox: string, approval: string];
  /** By `patchbay run`, by somebody whose first command it is, with these arguments of the agent. */
  readonly run?: readonly string[];
  /** In a terminal of its own, which does not end with the editor. */
  readonly isOutside?: boolean;
  /** Wins over its usual environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Without a person: what it is to do before it ends, and what its model then says. */
  readonly headless?: { readonly prompt: string; readonly turns: readonly Turn[] };
}

/** Longest that an agent may take to start, ms. */
const longestStart = 60_000;

/** A running agent in a terminal, with its scripted model. */
export class Agent {
  readonly kind: AgentKind;
  readonly model: ModelServer;
  /** A script that starts the agent from any shell whose environment comes from the editor. */
  readonly launcher: string;
  #terminal: Terminal | undefined;

  constructor(kind: AgentKind, model: ModelServer, launcher: string) {
    this.kind = kind;
    this.model = model;
    this.launcher = launcher;
  }

  get terminal(): Terminal {
    if (this.#terminal === undefined) throw new Error(`${this.kind.displayName} is not started`);
    return this.#terminal;
  }

  /** Waits in this terminal, where the launcher was run, until the agent takes prompts. */
  async waitUntilReady(terminal: Terminal): Promise<void> {
    this.#terminal = terminal;
    await waitForScreen(terminal, this.kind.ready, longestStart);
  }

  /**
   * Waits until the agent, which runs in this terminal and takes no prompts, asks its model for the first time. To start is what
   * takes an agent long on a busy machine, and no part of what scenarios then wait for.
   */
  async waitUntilAsking(terminal: Terminal): Promise<void> {
    this.#terminal = terminal;
    await poll("the model's first request", () => this.model.turnsAsked > 0, {
      timeout: longestStart,
      describe: async () => `The terminal shows:\n${await terminal.screen()}`,
    });
  }

  /** Types a prompt and sends it, once what was typed is on the screen. Without "?": Gemini CLI may take that for its help key. */
  async ask(prompt: string): Promise<void> {
    const end = prompt.slice(-30);
    const count = async (): Promise<number> => (await this.terminal.screen()).split(end).length;
    const before = await count();
    await this.terminal.type(prompt);
    await poll(`“${prompt}” on the terminal`, async () => (await count()) > before, {
      timeout: 30_000,
      describe: async () => `The terminal shows:\n${await this.terminal.screen()}`,
    });
    // Agents take an Enter that follows other keys within some 40 ms for a pasted line break.
    await pause(200);
    await this.terminal.press("Enter");
  }

  /** Waits until the agent itself asks for the user's decision. */
  async waitForApproval(): Promise<string> {
    return await waitForScreen(this.terminal, this.kind.approval, 30_000);
  }

  async waitForScreen(pattern: RegExp, timeout = 30_000): Promise<string> {
    return await waitForScreen(this.terminal, pattern, timeout);
  }

  async acceptInTerminal(): Promise<void> {
    await this.kind.accept(this.terminal);
  }

  async rejectInTerminal(): Promise<void> {
    await this.kind.reject(this.terminal);
  }

  /**
   * Asks the agent for the state of its connection until it says that there is one, and returns what it showed.
   * Once per agent: an earlier answer on the screen would pass for a new one.
   */
  async waitForConnection(): Promise<string> {
    const screen = await poll("a connection in the agent's own status", () => this.#askForStatus(), {
      timeout: 60_000,
      interval: 1_000,
      describe: async () => `The terminal shows:\n${await this.terminal.screen()}`,
    });
    return screen;
  }

  /** The status screen if it tells of a connection: an answer is not renewed by itself, so it is asked for again. */
  async #askForStatus(): Promise<string | undefined> {
    await this.ask(this.kind.statusCommand);
    const screen = await waitForScreen(this.terminal, this.kind.connected, 5_000).catch(() => undefined);
    await this.leaveStatusMenu();
    return screen;
  }

  /** Leaves the menu of the status, where it is one. Right after it was drawn it does not take keys yet, so one Escape may not do. */
  async leaveStatusMenu(): Promise<void> {
    const { statusMenu, ready } = this.kind;
    if (statusMenu === undefined) return;
    const hasLeft = async (): Promise<boolean> => {
      if (!statusMenu.test(await this.terminal.screen())) return true;
      await pause(300);
      await this.terminal.press("Escape");
      return false;
    };
    await poll("the end of the status menu", hasLeft, { timeout: 30_000, interval: 1_000 });
    await waitForScreen(this.terminal, ready, 30_000);
  }

  dispose(): void {
    this.model.close();
  }
}

/** Sets an agent up in a lab and starts its model; `extra` wins over its own environment. The caller runs {@link Agent.launcher} in a terminal. */
export async function prepareAgent(
  kind: AgentKind,
  lab: Lab,
  extra: Readonly<Record<string, string>> = {},
  start: AgentStart = {},
): Promise<Agent> {
  await kind.configure(lab, start.run !== undefined);
  if (start.isHooked === true) await manageHook(lab, kind.id, "install");
  const model = await listenModelServer(kind.protocol);
  await kind.configureModel?.(lab, model.url, start);
  const { mode, headless } = start;
  if (headless !== undefined) model.play(...headless.turns);
  const launcher = join(lab.root, `run-${kind.id}`);
  const variables = { ...kind.environment(lab, model.url), ...mode?.environment, ...start.environment, ...extra };
  const prompt = headless === undefined ? [] : (kind.headless?.(headless.prompt) ?? ["-p", headless.prompt]);
  const command = [...kind.command(), ...prompt, ...(mode?.arguments ?? kind.terminalArguments ?? [])];
  const first = `echo $$ > ${quote(join(lab.root, `pid-${kind.id}`))}`;
  if (start.run === undefined)
    await writeLauncher(launcher, variables, [first, `exec ${command.map(quote).join(" ")}`]);
  else {
    // As it lies on the path of whoever has installed it.
    const installed = join(lab.root, "installed");
    await mkdir(installed, { recursive: true });
    const program = join(installed, agentOf(kind.id).program.command);
    await writeLauncher(program, {}, [first, `exec ${kind.command().map(quote).join(" ")} "$@"`]);
    const path = `${installed}${delimiter}${lab.env["PATH"] ?? ""}`;
    const words = [nodeBinary(), commandLine, "run", kind.id, ...start.run];
    const noted = `echo $$ > ${quote(join(lab.root, `run-${kind.id}-pid`))}`;
    await writeLauncher(launcher, { ...variables, PATH: path }, [noted, `exec ${words.map(quote).join(" ")}`]);
  }
  return new Agent(kind, model, launcher);
}

/** The packaged command `patchbay`. */
export const commandLine: string = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "..",
  "packages",
  "cli",
  "dist",
  "patchbay.js",
);

/** Enters Patchbay's hook into the agent's settings in a lab, as a user does, or takes it out again. */
export async function manageHook(
  lab: Pick<Lab, "workspace" | "env">,
  id: AgentId,
  action: "install" | "remove",
): Promise<void> {
  const words = [commandLine, "hook", action, id, "--yes"];
  await mustRun(nodeBinary(), words, { cwd: lab.workspace, env: { ...lab.env } });
}

/** Writes a script that exports variables and then does what the lines say. */
export async function writeLauncher(
  file: string,
  variables: Readonly<Record<string, string>>,
  lines: readonly string[],
): Promise<void> {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
  await writeFile(`${file}.new`, `${["#!/bin/sh", ...exports, ...lines].join("\n")}\n`, { mode: 0o700 });
  // One that is being read stays as it is.
  await rename(`${file}.new`, file);
}
