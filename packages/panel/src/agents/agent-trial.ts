import { AcpConnection, AgentProcess, type AgentProcessPorts, type Launch, profileFor } from "@patchbay/conversations";
import { messageOf } from "@patchbay/core";
import type { AddedAgent, AgentTrial } from "../messages/index.ts";

/** How long a program may take to say what it is, ms. */
const answerMs = 30_000;

/** So much of what a program has said is shown, UTF-16 units. */
const longestWords = 2_000;

export interface TrialPlace {
  readonly ports: AgentProcessPorts;
  /** Of Patchbay, as agents are told. */
  readonly version: string;
  readonly folder: string;
  /** Finds the program; rejects with a sentence for people. */
  launch(program: string, args: readonly string[]): Promise<Launch>;
}

/** A command line as its words: what stands in quotes is one, and nothing in it is run by a shell. */
export function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/gu) ?? [];
  return words.map((word) => word.replaceAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'/gu, "$<double>$<single>"));
}

/** What an agent is kept as that was added by its command. An agent that is known by it needs no arguments. */
export function addedAgent(command: string, name: string): AddedAgent | undefined {
  const [program, ...args] = wordsOf(command);
  if (program === undefined) return undefined;
  // One that is known has its own name, any other that of its program.
  const known = profileFor({ id: program.split(/[\\/]/u).at(-1) ?? program, command: program });
  return {
    name: name.trim() === "" ? known.name : name.trim(),
    program,
    args: args.length > 0 ? args : known.args,
  };
}

/** A name by which the settings know it, other than those that are taken. */
export function idFor(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  const base = plain === "" ? "agent" : plain;
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`;
  return id;
}

/** Starts a program, asks it what it is, and ends it. Never rejects. */
export async function tryAgent(command: string, { ports, version, folder, launch }: TrialPlace): Promise<AgentTrial> {
  const agent = addedAgent(command, "");
  if (agent === undefined) return { kind: "failed", reason: "Type the command that starts the agent.", words: "" };
  let process: AgentProcess | undefined;
  try {
    const profile = profileFor({ id: "added", name: agent.name, command: agent.program, args: agent.args });
    const connection = await AcpConnection.open(
      {
        profile,
        createProcess: async () => {
          process = new AgentProcess(ports, { ...(await launch(agent.program, agent.args)), cwd: folder });
          return process;
        },
        version,
        clock: ports.clock,
        logger: ports.logger,
        limitMs: answerMs,
      },
      { onRequest: () => undefined, onNotification: () => undefined },
    );
    const { agentName = agent.name, agentVersion, signIn } = connection.agent;
    await connection.close();
    const name = agentVersion === undefined ? agentName : `${agentName} ${agentVersion}`;
    return { kind: "answered", name, signIn: signIn.map((method) => method.name) };
  } catch (error) {
    return { kind: "failed", reason: messageOf(error), words: (process?.lastErrors ?? "").slice(-longestWords) };
  }
}
