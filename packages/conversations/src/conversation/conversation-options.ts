import type { Clock, Logger, PrivateStorage, Random } from "@patchbay/core";
import type { AgentSession } from "../driver.ts";
import type { ConversationFile } from "../transcript/conversation-store.ts";
import type { About } from "../transcript/line.ts";
import type { AgentLink, SessionRequest } from "./agent-link.ts";
import type { History } from "./history.ts";
import type { ConversationHost, TurnFiles } from "./turn-files.ts";
import type { ConversationTurns } from "./told-turns.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** What a conversation is made of. */
export interface ConversationOptions {
  /** What a conversation is about that has no transcript yet. */
  readonly about: About;
  /** Opens what is on disk. Called again where a window takes over what another one had. */
  readonly openFile: () => Promise<ConversationFile>;
  /** For what is not sent yet. */
  readonly storage: PrivateStorage;
  readonly host: ConversationHost;
  /** Makes a session; starts nothing yet. */
  readonly connect: (request: SessionRequest) => AgentSession;
  /** Hears of every turn; absent: nobody does. */
  readonly turns?: ConversationTurns | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What can be done with prompts that wait; false where one has been sent by now. */
export type QueueControls = Pick<TurnRunner, "edit" | "remove" | "move" | "sendNow">;

/** What the running agent tells of itself, its MCP servers, and what it does in the background. */
export type AgentControls = Pick<AgentLink, "facts" | "changeServer" | "stopTask">;

/** A file of a turn, by the id of the turn's prompt and the file's path: what was done to it, its undo and its redo. */
export type FileControls = Pick<TurnFiles, "change" | "undo" | "redo">;

/** Reads the entries: a page before a place, one by its id, all of them in order, or the places of a text. */
export type EntryReader = Pick<History, "before" | "entry" | "all" | "find">;
