import type { Clock } from "../platform/platform.ts";
import type { ListenerFailure } from "../support/emitter.ts";
import type { Logger } from "../support/logger.ts";
import type { EndpointLimits } from "./endpoint.ts";
import type { EventFrames } from "./event-frames.ts";
import type { TableEntry } from "./session-table.ts";

/** What every connection of one endpoint shares. */
export interface ConnectionContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: EndpointLimits;
  readonly frames: EventFrames;
  readonly onListenerFailure: ListenerFailure;
  /** The connection ends by itself. */
  leave(entry: TableEntry, why: "closed"): void;
  /** The connection has been away; it is let go if that was long enough. */
  considerIdle(entry: TableEntry, nowMs: number): void;
}
