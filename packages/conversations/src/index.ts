export type * from "./driver.ts";
export * from "./model/index.ts";
export { AcpConnection, type ConnectionOptions } from "./acp/connection.ts";
export type { HttpMcpServer } from "./acp/opening.ts";
export {
  type AcpProfile,
  type CustomAgent,
  geminiProfile,
  offeredProfiles,
  profileFor,
  programOf,
  qwenProfile,
} from "./acp/profiles.ts";
export { AcpSession, type AcpSessionOptions } from "./acp/session.ts";
export { AcpSessions, type AcpSessionsOptions } from "./acp/connection.ts";
export type { StoredSession } from "./acp/wire.ts";
export { ClaudeSession, type ClaudeSessionOptions } from "./claude-stream/session.ts";
export { AgentProcess, type AgentProcessPorts, type ProcessExit, type StopLadder } from "./process/agent-process.ts";
export type * from "./process/children.ts";
export { agentEnvironment } from "./process/programs.ts";
export { createNodeChildren } from "./process/node-children.ts";
export {
  type Launch,
  ProgramFinder,
  type ProgramFinderOptions,
  type ProgramNeed,
  type ProgramSettings,
} from "./process/programs.ts";
export type { SessionRequest } from "./conversation/agent-link.ts";
export { Conversation } from "./conversation/conversation.ts";
export type {
  AgentControls,
  ConversationOptions,
  EntryReader,
  FileControls,
  QueueControls,
} from "./conversation/conversation-parts.ts";
export type { ConversationTurns } from "./conversation/told-turns.ts";
export type { ConversationChange } from "./conversation/gathered-updates.ts";
export { ConversationStore, type ConversationStoreOptions } from "./transcript/conversation-store.ts";
export { type LineFiles, nodeLineFiles } from "./transcript/line-files.ts";
export { ConversationLibrary, type ConversationLibraryOptions } from "./library/conversation-library.ts";
export type { ListedConversation, SearchHit } from "./library/listed-conversations.ts";
export { defaultKeeping, type Keeping } from "./library/sweep.ts";
export { ClaudeSessions, type ClaudeSessionsOptions } from "./claude-stream/stored-sessions.ts";
export { type FeedMessage, ViewFeed, type ViewFeedOptions } from "./conversation/view-feed.ts";
