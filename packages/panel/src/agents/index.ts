export {
  AgentPrograms,
  type AgentProgramSettings,
  type AgentProgramsOptions,
  type TerminalCommand,
  type TerminalProgram,
} from "./agent-programs.ts";
export type { AgentEntries, AgentSettings } from "./agent-settings.ts";
