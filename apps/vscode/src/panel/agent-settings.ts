import {
  type CustomAgent,
  type ProgramNeed,
  type ProgramSettings,
  profileFor,
  programOf,
} from "@patchbay/conversations";
import { agents, PatchbayError } from "@patchbay/core";
import { workspace } from "vscode";

/** What the user says of an agent, in settings of this machine: a workspace cannot. */
export interface AgentSettings extends ProgramSettings {
  /** Of a listed agent: what it is started with, beside what the panel needs. */
  readonly moreArgs?: readonly string[];
  /** What a new conversation begins with, where the agent offers it. */
  readonly model?: string;
  readonly mode?: string;
}

export function settingsOf(agent: string): AgentSettings {
  const { program, wrapper, environment, args, model, mode } = entryOf(agent) ?? {};
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
export function customAgents(): readonly CustomAgent[] {
  return Object.entries(allEntries()).flatMap(([id, entry]): readonly CustomAgent[] => {
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
export function needOf(agent: string): ProgramNeed {
  const found = agents.find(({ id }) => id === agent);
  if (found !== undefined) {
    return { agentName: found.agentName, command: found.program.command, package: found.program.package };
  }
  const custom = customAgents().find(({ id }) => id === agent);
  if (custom !== undefined) return programOf(profileFor(custom));
  throw new PatchbayError("not-found", `${agent} is not an agent that the panel can run.`);
}

/** Whether the catalogue has it. */
export function isListed(agent: string): boolean {
  return agents.some(({ id }) => id === agent);
}

function entryOf(agent: string): Readonly<Record<string, unknown>> | undefined {
  const entry = allEntries()[agent];
  return isRecord(entry) ? entry : undefined;
}

function allEntries(): Readonly<Record<string, unknown>> {
  const all: unknown = workspace.getConfiguration("patchbay.panel").get("agents");
  return isRecord(all) ? all : {};
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
