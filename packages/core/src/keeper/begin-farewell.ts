import type { AgentSide } from "../companion/agent-side.ts";
import type { PrivateStorage } from "../discovery/private-storage.ts";
import type { EndpointIdentity } from "../discovery/endpoint-identity.ts";
import { handoverSecrets } from "../endpoint/give-back.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { inheritedDescriptor, type Platform } from "../platform/platform.ts";
import { farewellKey, type FarewellNote, type FarewellOrder } from "./farewell-order.ts";
import { farewellProgram } from "./farewell-program.ts";
import { type EarlierFarewell, farewellSessions } from "./farewell-sessions.ts";

/** Agents are told to come back to a keeper no later than this, ms: it holds their streams, however long the editor takes. */
const longestRetryMs = 2_000;
/** How many times the expected absence the keeper waits for the editor before it tells agents that nobody decides. */
export const patience = 3;
/** After the agents' second attempt the keeper waits this long for stragglers, ms. */
export const stragglersMs = 1_500;

export interface FarewellOptions {
  readonly platform: Platform;
  readonly storage: PrivateStorage;
  readonly identity: EndpointIdentity;
  readonly endpoint: Pick<Endpoint, "port" | "descriptor">;
  readonly comeBackMs: number;
  /** Undefined: no agent came to this run. */
  readonly agents: AgentSide | undefined;
  readonly earlier: EarlierFarewell | undefined;
}

/**
 * Starts the process that holds the port while the editor is away, and in the end tells agents that nobody decides (see
 * `runFarewell`). Does nothing where no agent is connected. Says when agents may come back to it, ms; undefined: none was
 * started.
 */
export async function beginFarewell(options: FarewellOptions): Promise<number | undefined> {
  const { platform, storage, identity, endpoint, comeBackMs, agents, earlier } = options;
  const { port, descriptor } = endpoint;
  const { clock, processes, random } = platform;
  const sessions = farewellSessions(agents, earlier, clock.monotonic());
  if (processes === undefined || sessions.length === 0) return undefined;
  const ticket = random.token(12);
  await storage.write(farewellKey, JSON.stringify({ ticket, told: [], sessions } satisfies FarewellNote));
  const noteFile = await storage.locate(farewellKey);
  if (noteFile === undefined) return undefined;
  const now = clock.now();
  const retryMs = Math.min(comeBackMs, longestRetryMs);
  const tellAt = now + patience * comeBackMs;
  const { ask, proofKey } = handoverSecrets(identity.sessionKey, random);
  const order: FarewellOrder = {
    port,
    token: identity.token,
    giveBackSecret: ask,
    proofKey,
    descriptor: descriptor === undefined ? undefined : inheritedDescriptor,
    tellAt,
    endAt: tellAt + stragglersMs,
    comeBackMs: retryMs,
    noteFile,
    ticket,
    sessions,
  };
  return (await processes.startDetached(farewellProgram(order), descriptor)) ? retryMs : undefined;
}
