export type {
  AgentDriver,
  AgentDriverOptions,
  AgentEdit,
  AgentMention,
  AgentOutcome,
  AgentProposal,
  AgentState,
  AgentStatus,
  AgentView,
} from "./agents/agent-driver.ts";
export { type ClaudeDriver, type ClaudeDriverOptions, createClaudeDriver } from "./agents/claude/driver.ts";
export { findClaudeCompanion } from "./agents/claude/driver.ts";
export {
  type CodexConversation,
  type CodexDecision,
  type CodexFileChange,
  CodexService,
  type CodexServiceOptions,
} from "./agents/codex/service.ts";
export { type CopilotDriver, createCopilotDriver } from "./agents/copilot/driver.ts";
export { createAgentDriver } from "./agents/drivers.ts";
export type { CompanionSpecDriver } from "./agents/gemini-family/driver.ts";
export { createKiloDriver, createOpenCodeDriver, findOpenCodeCompanion } from "./agents/opencode-family/driver.ts";
export {
  type OpenCodeOutcome,
  OpenCodePluginDriver,
  type OpenCodePluginDriverOptions,
} from "./agents/opencode-family/plugin-driver.ts";
export { createGeminiDriver, findGeminiCompanion } from "./agents/gemini/driver.ts";
export { PiDriver, type PiDriverOptions, type PiOutcome } from "./agents/pi/driver.ts";
export { createQwenDriver, findQwenCompanions } from "./agents/qwen/driver.ts";
export type { CompanionAddress } from "./agents/records.ts";
export {
  AcpAgent,
  type AcpAgentChannel,
  type AcpAgentExit,
  AcpError,
  type AcpHandler,
  type AcpMessage,
} from "./conversations/acp-agent.ts";
export {
  type AcpAgentStyle,
  type AcpToolOutcome,
  type AcpTurn,
  type AcpTurnControls,
  createAcpAgent,
  type FamilyAcpAgent,
} from "./conversations/acp-agent-family.ts";
export { type AcpAct, type AcpLine, AcpReplay, parseAcpTranscript } from "./conversations/acp-transcript.ts";
export type { DiffControls, EditorHostControls, TestRunner } from "./contract/contract-case.ts";
export { createMemoryEditorControls, type MemoryEditorControls } from "./contract/memory-editor-controls.ts";
export { editorHostContract, type EditorHostContractOptions } from "./contract/editor-host-contract.ts";
export {
  panelHostContract,
  type PanelHostContractOptions,
  type PanelHostControls,
} from "./contract/panel-host-contract.ts";
export type { PanelPageControls } from "./contract/panel-page.ts";
export type { HostCall, HostFailures } from "./editor/memory-messages.ts";
export type { MemoryDiffView, MemoryViewState } from "./editor/memory-diff-view.ts";
export {
  createMemoryEditor,
  type MemoryEditor,
  type MemoryEditorOptions,
} from "./editor/memory-editor.ts";
export type { MemoryMessages, ShownMessage } from "./editor/memory-messages.ts";
export { createFakeClock, type FakeClock } from "./platform/fake-clock.ts";
export { createFakeProcess, type FakeProcess, type FakeProcessOptions } from "./platform/fake-process.ts";
export { createFakeRandom } from "./platform/fake-clock.ts";
export { createMacFiles } from "./platform/mac-files.ts";
export { type FilesCall, MemoryFiles, type MemoryFilesOptions } from "./platform/memory-files.ts";
export { createMemoryPlatform, type MemoryPlatform, type MemoryPlatformOptions } from "./platform/memory-files.ts";
export { createTestPlatform, type TestPlatform, type TestPlatformOptions } from "./platform/test-platform.ts";
export { homeVariables, isMissing, shownMode, type UnixOnly } from "./platform/windows.ts";
export { createMemoryChildren, type ProgramHandle, type ProgramSide } from "./conversations/memory-program.ts";
export { ScriptedClaude, type ScriptedClaudeProcess } from "./conversations/scripted-claude.ts";
export type { ScriptedClaudeOptions } from "./conversations/scripted-claude-control.ts";
export type { ClaudeScript, ScriptedClaudeTurn, ScriptedToolUse } from "./conversations/scripted-claude-turn.ts";
export { PuppetAgent } from "./conversations/puppet-agent.ts";
export { claudeScenarios } from "./conversations/claude-scenarios.ts";
export { piScenarios } from "./conversations/pi-scenarios.ts";
export { type RecordedLine, ReplayedProgram } from "./conversations/memory-program.ts";
export {
  type ConversationScenario,
  type ModelToolCall,
  type ModelTurn,
  ScenarioPlayer,
  scenarioPromptId,
} from "./conversations/claude-scenarios.ts";
