import {
  type CustomAgent,
  offeredProfiles,
  type ProgramNeed,
  type ProgramSettings,
  profileFor,
  programOf,
} from "@patchbay/conversations";
import { agents, PatchbayError } from "@patchbay/core";

/** What the user has set about agents, by their ids, as it was read: anything may stand there. */
export type AgentEntries = unknown;

/** An agent with which the panel can talk without a setting. */
interface ListedAgent {
  readonly id: string;
  readonly agentName: string;
  /** What is looked for to start it. */
  readonly program: { readonly command: string; readonly package?: string };
  /** What stands before the name of a session that it continues in a terminal; absent: it continues none that is named to it. */
  readonly resume?: string;
}

/** In a terminal they continue a session of the panel's by its name (each was asked for its options). */
const resumes: Readonly<Record<string, string>> = {
  gemini: "--resume",
  qwen: "--resume",
  claude: "--resume",
  pi: "--session",
  opencode: "--session",
  kilo: "--session",
};

/** Others are added by the settings. Those with a driver or a profile of their own come first. */
export const listed: readonly ListedAgent[] = [
  ...agents.filter(({ id }) => ["gemini", "qwen", "claude", "pi"].includes(id)),
  ...offeredProfiles.map(({ id, name, command, package: fromNpm }) => ({
    id,
    agentName: name,
    program: { command, ...(fromNpm === undefined ? {} : { package: fromNpm }) },
  })),
].map(({ id, agentName, program }) => {
  const resume = resumes[id];
  return { id, agentName, program, ...(resume === undefined ? {} : { resume }) };
});

/** What the user says of an agent, in settings of this machine: a workspace cannot. */
export interface AgentSettings extends ProgramSettings {
  /** Of a listed agent: what it is started with, beside what the panel needs. */
  readonly moreArgs?: readonly string[];
  /** What a new conversation begins with, where the agent offers it. */
  readonly model?: string;
  readonly mode?: string;
}

export function settingsOf(entries: AgentEntries, agent: string): AgentSettings {
  const { program, wrapper, environment, args, model, mode } = entryOf(entries, agent) ?? {};
  return {
    ...(isListed(agent) && Array.isArray(args) ? { moreArgs: args.filter(isText) } : {}),
    ...(isText(model) ? { model } : {}),
    ...(isText(mode) ? { mode } : {}),
    ...(typeof program === "string" ? { program } : {}),
    ...(typeof wrapper === "string" ? { wrapper } : {}),
    ...(isRecord(environment) ? { environment: textsOf(environment) } : {}),
  };
}

/** Agents that the settings add: any that speaks the Agent Client Protocol. */
export function customAgents(entries: AgentEntries): readonly CustomAgent[] {
  return Object.entries(isRecord(entries) ? entries : {}).flatMap(([id, entry]): readonly CustomAgent[] => {
    if (!isRecord(entry) || isListed(id)) return [];
    const { program, name, args } = entry;
    if (typeof program !== "string" || program.trim() === "") return [];
    return [
      {
        id,
        command: program.trim(),
        ...(typeof name === "string" && name !== "" ? { name } : {}),
        ...(Array.isArray(args) ? { args: args.filter(isText) } : {}),
      },
    ];
  });
}

/** What is looked for to start an agent. */
export function needOf(entries: AgentEntries, agent: string): ProgramNeed {
  const found = listed.find(({ id }) => id === agent);
  if (found !== undefined) return { agentName: found.agentName, ...found.program };
  const custom = customAgents(entries).find(({ id }) => id === agent);
  if (custom !== undefined) return programOf(profileFor(custom));
  throw new PatchbayError("not-found", `${agent} is not an agent that the panel can run.`);
}

/** What is looked for to start it in a terminal. What speaks with the panel may be an adapter, and nothing for people. */
export function terminalNeedOf(entries: AgentEntries, agent: string): ProgramNeed {
  const own = agents.find(({ id }) => id === agent);
  return own === undefined ? needOf(entries, agent) : { agentName: own.agentName, ...own.program };
}

/** Whether it is one of `listed`. */
export function isListed(agent: string): boolean {
  return listed.some(({ id }) => id === agent);
}

function entryOf(entries: AgentEntries, agent: string): Readonly<Record<string, unknown>> | undefined {
  const entry = isRecord(entries) ? entries[agent] : undefined;
  return isRecord(entry) ? entry : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
