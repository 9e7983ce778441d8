import type { Random } from "../platform/platform.ts";
import type { PrivateStorage } from "./private-storage.ts";

/** The secrets of one endpoint. Who has them is let in (docs/security.md). */
export interface EndpointIdentity {
  /** What the agents' tokens are derived from (`agentTokens`); 256 bits, unpadded base64url. Shown to nobody. */
  readonly secret: string;
  /** Key of the MAC in session ids; 256 bits, unpadded base64url. */
  readonly sessionKey: string;
}

/** What a run leaves for the next one. Of use there only together with the port itself, from the hands of a port holder. */
export interface KeptEndpoint {
  readonly port: number;
  readonly identity: EndpointIdentity;
}

const storageKey = "endpoint";
const secretBytes = 32;
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

export function newIdentity(random: Random): EndpointIdentity {
  return { secret: random.token(secretBytes), sessionKey: random.token(secretBytes) };
}

/**
 * A token for each agent, by its id: an agent takes its token from the record it has read, so the token tells which agent it
 * is, whatever it says of itself.
 */
export function agentTokens(
  { secret }: Pick<EndpointIdentity, "secret">,
  agentIds: readonly string[],
  random: Random,
): Readonly<Record<string, string>> {
  return Object.fromEntries(agentIds.map((id) => [id, random.mac(secret, `token of ${id}`)]));
}

/**
 * What the last run left, or undefined where there is nothing, it cannot be read or it is malformed (a storage that fails
 * has said so in the log: agents then have to reconnect after a reload, and everything else works).
 */
export async function readKeptEndpoint(storage: PrivateStorage | undefined): Promise<KeptEndpoint | undefined> {
  const text = await storage?.read(storageKey).catch(() => undefined);
  return text === undefined ? undefined : parseEndpoint(text);
}

/** Leaves an endpoint for the next run. Rejects with PatchbayError `storage-failed`; the run itself is not affected. */
export async function keepEndpoint(storage: PrivateStorage | undefined, endpoint: KeptEndpoint): Promise<void> {
  const { port, identity } = endpoint;
  await storage?.write(storageKey, JSON.stringify({ port, secret: identity.secret, sessionKey: identity.sessionKey }));
}

/** Narrows by hand: start-up loads no parser. All three values must be sound, or none is used. */
function parseEndpoint(text: string): KeptEndpoint | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Malformed is as good as absent: a new identity follows.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (!("port" in value) || !("secret" in value) || !("sessionKey" in value)) return undefined;
  const { port, secret, sessionKey } = value;
  if (typeof port !== "number" || !Number.isInteger(port) || port <= 0 || port > 65_535) return undefined;
  if (typeof secret !== "string" || !secretPattern.test(secret)) return undefined;
  if (typeof sessionKey !== "string" || !secretPattern.test(sessionKey)) return undefined;
  return { port, identity: { secret, sessionKey } };
}
