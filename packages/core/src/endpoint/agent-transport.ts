import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { TcpPorts } from "../platform/platform.ts";
import type { Disposable } from "../support/disposable.ts";
import type { Event } from "../support/emitter.ts";
import type { PiecedText } from "../support/json-pieces.ts";

export interface ReliableOptions {
  /**
   * The id under which an earlier run has written the message (`ReliableMessage.eventId`). An agent that comes back and
   * says that it has that one, or a later one, does not get the message again.
   */
  readonly eventId?: number | undefined;
}

export interface ReliableMessage extends Disposable {
  /** Id of the event the message was last written as; 0 where it was not written yet. */
  readonly eventId: number;
}

/**
 * One agent's connection as the session sees it: the SDK's Transport (the engine's requests and answers go through it)
 * plus ready-made messages, which are serialised once and written to many.
 */
export interface AgentTransport extends Transport {
  readonly kind: "streamable-http" | "websocket";
  /** Whether messages can reach the agent now (an open GET stream, an open WebSocket). */
  readonly isOpen: boolean;
  /** The connection by which messages reach the agent now; undefined while there is none. */
  readonly ports: TcpPorts | undefined;
  /** A stream to the agent opened; fired for each new GET and once for a WebSocket. The full context is due now. */
  readonly onDidOpen: Event<void>;
  /** The stream ended; the agent may come back (HTTP) or not (WebSocket). */
  readonly onDidLoseStream: Event<void>;
  /** Latest wins: replaces an unsent earlier message of the same slot; dropped while no stream is open. `json` stands on one line, as JSON.stringify makes it. Pass the same string to many transports: it is encoded once. Costs a slow reader nothing but its own socket's buffer. */
  pushLatest(slot: string, json: string): void;
  /**
   * Never dropped: kept in order and sent on the next stream until the agent has it. `onDelivered` runs when the agent
   * has shown that it got it (a later event id, or a flushed stream that stayed open for a second). Disposing the result
   * takes a message back that is not delivered yet (the agent fetched the outcome by other means); `onDelivered` then never runs.
   */
  pushReliable(json: string | PiecedText, onDelivered: () => void, options?: ReliableOptions): ReliableMessage;
  /** The agent did something that it does only after it got everything written so far: all written reliable messages count as delivered. */
  acknowledge(): void;
  /** JSON texts of `pushReliable` that are not delivered yet. */
  readonly undelivered: readonly string[];
}
