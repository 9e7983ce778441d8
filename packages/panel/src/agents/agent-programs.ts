import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Logger, PatchbayError, type Platform } from "@patchbay/core";
import {
  type AcpProfile,
  AcpSession,
  AcpSessions,
  AgentProcess,
  type AgentProcessPorts,
  type AgentSession,
  ClaudeSession,
  ClaudeSessions,
  createNodeChildren,
  geminiProfile,
  type Launch,
  nodeLineFiles,
  offeredProfiles,
  ProgramFinder,
  type ProgramNeed,
  profileFor,
  qwenProfile,
  type SessionLister,
  type SessionRequest,
} from "@patchbay/conversations";
import type { AddedAgent, AgentInfo, AgentTrial } from "../messages/index.ts";
import {
  type AgentEntries,
  type AgentSettings,
  customAgents,
  listed,
  needOf,
  settingsOf,
  terminalNeedOf,
} from "./agent-settings.ts";
import { addedAgent, idFor, tryAgent } from "./agent-trial.ts";
import { startingWith } from "./chosen-start.ts";
import { LaterSession } from "./later-session.ts";

export interface AgentProgramsOptions {
  readonly platform: Platform;
  readonly logger: Logger;
  /** Of Patchbay, as agents are told. */
  readonly version: string;
  /** The user's settings, read each time that they are needed. */
  readonly settings: AgentProgramSettings;
}

/** What an editor says about starting agents. */
export interface AgentProgramSettings {
  /** What is set about agents, by their ids; only settings of this machine may say it. */
  agents(): AgentEntries;
  /** Whether unsaved changes are saved before an agent reads or writes their file. */
  autosave(): boolean;
  /** Why nothing is started, e.g. in a workspace that nobody trusts; undefined where agents may run. */
  reasonNotToStart(): string | undefined;
}

/** What is run in a terminal, with what is added to its environment. */
export interface TerminalCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** An agent in a terminal. */
export interface TerminalProgram extends TerminalCommand {
  readonly name: string;
  /** What stands before the name of a session that it continues; undefined: it continues none that is named to it. */
  readonly resumeOption: string | undefined;
}

/** The agents that the panel can run: the user's own programs, with the user's own logins and settings. */
export class AgentPrograms {
  readonly #options: AgentProgramsOptions;
  readonly #ports: AgentProcessPorts;
  readonly #finder: ProgramFinder;
  readonly #own: Set<number> = new Set();
  /** Sessions over ACP, by their agents: those that have a connection can tell what else there is. */
  readonly #sessions: Map<string, readonly AcpSession[]> = new Map();

  constructor(options: AgentProgramsOptions) {
    const { platform, logger } = options;
    const children = createNodeChildren();
    this.#options = options;
    this.#ports = {
      clock: platform.clock,
      logger,
      children: {
        start: async (request, listeners) => {
          const child = await children.start(request, {
            ...listeners,
            onExit: (exit) => {
              this.#own.delete(child.pid);
              listeners.onExit(exit);
            },
          });
          this.#own.add(child.pid);
          return child;
        },
        endAllSync: () => children.endAllSync(),
      },
    };
    this.#finder = new ProgramFinder({
      environment: process.env,
      homeDirectory: platform.process.homeDirectory,
      clock: platform.clock,
      logger,
    });
  }

  /** Those that there are, before it is known which of them are installed. */
  get known(): readonly AgentInfo[] {
    const ours = listed.map(({ id, agentName }) => ({
      id,
      name: agentName,
      isInstalled: false,
      ...installUrlOf(id),
    }));
    const added = customAgents(this.#entries).map((agent) => ({
      id: agent.id,
      name: profileFor(agent).name,
      isInstalled: false,
    }));
    return [...ours, ...added];
  }

  async find(): Promise<readonly AgentInfo[]> {
    // To look for programs starts a shell.
    if (this.#options.settings.reasonNotToStart() !== undefined) return this.known;
    return await Promise.all(
      this.known.map(async (info) => {
        const program = this.#settingsOf(info.id).program ?? "";
        const command = program === "" ? needOf(this.#entries, info.id).command : program;
        return { ...info, isInstalled: (await this.#finder.find(command)) !== undefined };
      }),
    );
  }

  /** Who lists the sessions that the agents keep themselves. No program is started for it. */
  get listers(): readonly SessionLister[] {
    const own = this.#settingsOf("claude").environment?.["CLAUDE_CONFIG_DIR"] ?? process.env["CLAUDE_CONFIG_DIR"] ?? "";
    const configDirectory = own === "" ? join(this.#options.platform.process.homeDirectory, ".claude") : own;
    const overAcp = listed.flatMap(({ id }) => (id === "claude" || id === "pi" ? [] : [id]));
    const others = [...overAcp, ...customAgents(this.#entries).map(({ id }) => id)];
    return [
      new ClaudeSessions({ files: nodeLineFiles, configDirectory }),
      ...others.map((id) => new AcpSessions({ agent: id, connection: () => this.#connected(id)[0]?.connection })),
    ];
  }

  /** Whether the panel has started a process. */
  isOwn(pid: number): boolean {
    return this.#own.has(pid);
  }

  /** A session of an agent, not yet started. */
  connect(request: SessionRequest): AgentSession {
    const session = this.#sessionFor(request);
    const { logger } = this.#ports;
    // One that goes on has what was chosen in it.
    return request.start.kind === "new"
      ? startingWith(session, this.#settingsOf(request.about.agent), logger)
      : session;
  }

  #sessionFor({ about: { agent, folder }, start, wantsHistory, host }: SessionRequest): AgentSession {
    const { version } = this.#options;
    const { clock, logger } = this.#ports;
    const autosave = this.#options.settings.autosave();
    if (agent === "claude") {
      return new ClaudeSession({
        ports: this.#ports,
        host,
        cwd: folder,
        start,
        autosave,
        launch: async (args, environment) => await this.#launch(agent, args, environment),
      });
    }
    if (agent === "pi") {
      const { files } = this.#options.platform;
      return new LaterSession(async () => {
        const { PiSession } = await import("@patchbay/conversations/pi");
        return new PiSession({
          ports: this.#ports,
          files,
          host,
          cwd: folder,
          start,
          autosave,
          launch: async (args, environment) => await this.#launch(agent, args, environment),
        });
      });
    }
    const profile = this.#profileOf(agent);
    const session = new AcpSession({
      profile,
      host,
      cwd: folder,
      start,
      wantsHistory,
      autosave,
      version,
      clock,
      logger,
      runId: randomUUID(),
      createProcess: async () => {
        const launch = await this.#launch(agent, profile.args, profile.environment);
        return new AgentProcess(this.#ports, { ...launch, cwd: folder });
      },
    });
    this.#sessions.set(agent, [session, ...this.#connected(agent)]);
    return session;
  }

  #connected(agent: string): readonly AcpSession[] {
    return (this.#sessions.get(agent) ?? []).filter(({ connection }) => connection !== undefined);
  }

  /** An agent as its user starts it in a terminal. */
  async inTerminal(agent: string): Promise<TerminalProgram> {
    const { program, args } = await this.#launch(agent, [], {}, terminalNeedOf(this.#entries, agent));
    // The terminal has the user's environment; what the settings add to it is added.
    const { environment = {} } = this.#settingsOf(agent);
    const resumeOption = listed.find(({ id }) => id === agent)?.resume;
    return { name: needOf(this.#entries, agent).agentName, program, args, environment, resumeOption };
  }

  /** A command that an agent names, e.g. its sign-in: where the agent is found, and with the user's variables for it. */
  async commandInTerminal(agent: string, command: readonly string[]): Promise<TerminalCommand | undefined> {
    const [named, ...args] = command;
    const reason = this.#options.settings.reasonNotToStart();
    if (reason !== undefined) throw new PatchbayError("not-found", reason);
    if (named === undefined) return undefined;
    const { environment = {} } = this.#settingsOf(agent);
    return { program: (await this.#finder.find(named)) ?? named, args, environment };
  }

  /** Starts a program that the settings do not name yet, asks it what it is, and ends it. */
  async tryAgent(command: string, folder: string): Promise<AgentTrial> {
    const reason = this.#options.settings.reasonNotToStart();
    if (reason !== undefined) return { kind: "failed", reason, words: "" };
    return await tryAgent(command, {
      ports: this.#ports,
      version: this.#options.version,
      folder,
      launch: async (program, args) => {
        if ((await this.#finder.find(program)) === undefined)
          throw new PatchbayError("not-found", `${program} was not found, or cannot be run.`);
        return await this.#finder.launch({ agentName: program, command: program }, {}, args);
      },
    });
  }

  /** What it is kept as in the settings, under a name that is free. */
  added(command: string, name: string): { readonly id: string; readonly agent: AddedAgent } | undefined {
    const agent = addedAgent(command, name);
    const entries = this.#entries;
    const taken = typeof entries === "object" && entries !== null ? Object.keys(entries) : [];
    return agent === undefined
      ? undefined
      : { id: idFor(agent.name, new Set([...listed.map(({ id }) => id), ...taken])), agent };
  }

  /** For the last moment of this process. */
  endNow(): void {
    this.#ports.children.endAllSync();
  }

  async #launch(
    agent: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    need: ProgramNeed = needOf(this.#entries, agent),
  ): Promise<Launch> {
    // A folder that nobody trusts may have settings that make an agent run anything.
    const reason = this.#options.settings.reasonNotToStart();
    if (reason !== undefined) throw new PatchbayError("not-found", reason);
    const { program, ...settings } = this.#settingsOf(agent);
    // What the settings name is what speaks with the panel.
    const isAnother = need.command !== needOf(this.#entries, agent).command;
    return await this.#finder.launch(
      need,
      isAnother || program === undefined ? settings : { ...settings, program },
      [...args, ...(settings.moreArgs ?? [])],
      environment,
    );
  }

  /** How an agent is spoken to; a program that the settings name is the one in which its user signs in, too. */
  #profileOf(agent: string): AcpProfile {
    const known = [geminiProfile, qwenProfile, ...offeredProfiles].find(({ id }) => id === agent);
    if (known !== undefined) return { ...known, command: this.#settingsOf(agent).program ?? known.command };
    const custom = customAgents(this.#entries).find(({ id }) => id === agent);
    if (custom !== undefined) return profileFor(custom);
    throw new PatchbayError("not-found", `${agent} is not an agent that the panel can run.`);
  }

  get #entries(): AgentEntries {
    return this.#options.settings.agents();
  }

  #settingsOf(agent: string): AgentSettings {
    return settingsOf(this.#entries, agent);
  }
}

const installUrls: Readonly<Record<string, string>> = {
  gemini: "https://github.com/google-gemini/gemini-cli#readme",
  qwen: "https://github.com/QwenLM/qwen-code#readme",
  claude: "https://code.claude.com/docs/en/setup",
  pi: "https://www.npmjs.com/package/@earendil-works/pi-coding-agent",
  opencode: "https://opencode.ai/docs",
  kilo: "https://www.npmjs.com/package/@kilocode/cli",
  copilot: "https://docs.github.com/copilot/how-tos/copilot-cli",
  codex: "https://www.npmjs.com/package/@agentclientprotocol/codex-acp",
  cline: "https://docs.cline.bot",
};

function installUrlOf(id: string): { readonly installUrl?: string } {
  const installUrl = installUrls[id];
  return installUrl === undefined ? {} : { installUrl };
}
