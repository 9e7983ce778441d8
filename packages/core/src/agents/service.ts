import type { HookChange, HookEvent } from "./hook.ts";
import type { SettingsPlace } from "./settings.ts";

/**
 * A service of an agent's own, of which its terminal is a client and an editor can be another one: it hears of the conversations and may answer
 * what their user is asked. Loaded where the agent is used; it is never started by us.
 */
export interface AgentService {
  /** Where it listens; undefined: nowhere on this system. */
  place(place: SettingsPlace): ServicePlace | undefined;
  /** One connection to it, which has just been opened. */
  join(wire: ServiceWire, desk: ServiceDesk): ServiceTalk;
}

/** A Unix socket in directories that are to be the user's alone; it may be a link to one. */
export interface ServicePlace {
  readonly root: string;
  readonly directories: readonly string[];
  readonly name: string;
}

/** The way to the service. */
export interface ServiceWire {
  /** One message, which is made JSON. Nothing happens once the connection has ended. */
  send(message: Readonly<Record<string, unknown>>): void;
  /** It speaks otherwise: nobody is to talk with it. */
  leave(why: string): void;
  /** It is the service that is known. */
  understood(): void;
  readonly clientVersion: string;
  /** What was asked for and is still to come, over all connections: one that was too large ends its connection, and is not asked for again. */
  readonly expected: Set<string>;
}

/** Our end of a connection. */
export interface ServiceTalk {
  heard(message: unknown): void;
  /** The connection has ended: nothing that was asked by it can be answered. */
  ended(): void;
}

/** Whom a question of the service is about. */
export interface ServiceSource {
  /** The agent's own name for its session: the same that its hook says. */
  readonly session: string;
  readonly cwd: string;
}

export interface ServiceQuestion extends ServiceSource {
  /** Aborted once it is answered elsewhere, or nobody asks it any more. */
  readonly signal: AbortSignal;
}

/** `leave`: it is left to whoever else is asked. */
export type ServiceAnswer =
  | { readonly kind: "leave" }
  | { readonly kind: "accept" }
  /** `reason`: what the user says of it. */
  | { readonly kind: "decline"; readonly reason: string | undefined };

/** What of the editor the service has to do with. */
export interface ServiceDesk {
  /** Whether the editor has the folder open, or one above it. Never rejects. */
  isOurs(folder: string): Promise<boolean>;
  /** `title`: what the conversation is called. */
  tell(event: HookEvent, title?: string): void;
  /** The changes of one patch, which are accepted or declined as a whole. Never rejects. */
  askAboutPatch(question: ServiceQuestion & { readonly changes: readonly HookChange[] }): Promise<ServiceAnswer>;
  /** A shell command. Never rejects. */
  askAboutCommand(
    question: ServiceQuestion & { readonly command: string; readonly directory: string | undefined },
  ): Promise<ServiceAnswer>;
}
