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
export function settingsOf(agent: string): ProgramSettings {
  const { program, wrapper, environment } = entryOf(agent) ?? {};
  return {
    ...(typeof program === "string" ? { program } : {}),
    ...(typeof wrapper === "string" ? { wrapper } : {}),
    ...(isRecord(environment) ? { environment: textsOf(environment) } : {}),
  };
}

/** Agents that the settings add: any that speaks the Agent Client Protocol. */
export function customAgents(): readonly CustomAgent[] {
  return Object.entries(allEntries()).flatMap(([id, entry]): readonly CustomAgent[] => {
    if (!isRecord(entry) || agents.some((agent) => agent.id === id)) return [];
    const { program, name, args } = entry;
    if (typeof program !== "string" || program.trim() === "") return [];
    return [
      {
        id,
        command: program.trim(),
        ...(typeof name === "string" && name !== "" ? { name } : {}),
        ...(Array.isArray(args) ? { args: args.filter((arg) => typeof arg === "string") } : {}),
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

function entryOf(agent: string): Readonly<Record<string, unknown>> | undefined {
  const entry = allEntries()[agent];
  return isRecord(entry) ? entry : undefined;
}

function allEntries(): Readonly<Record<string, unknown>> {
  const all: unknown = workspace.getConfiguration("patchbay.panel").get("agents");
  return isRecord(all) ? all : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
