export type * from "./driver.ts";
export * from "./model/index.ts";
export { ClaudeSession, type ClaudeSessionOptions } from "./claude-stream/session.ts";
export { AgentProcess, type AgentProcessPorts, type ProcessExit, type StopLadder } from "./process/agent-process.ts";
export type * from "./process/children.ts";
export { agentEnvironment } from "./process/environment.ts";
export { createNodeChildren } from "./process/node-children.ts";
export {
  type Launch,
  ProgramFinder,
  type ProgramFinderOptions,
  type ProgramNeed,
  type ProgramSettings,
} from "./process/programs.ts";
