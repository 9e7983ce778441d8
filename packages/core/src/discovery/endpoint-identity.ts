import type { Random } from "../platform/platform.ts";
import type { PrivateStorage } from "./private-storage.ts";

/** What must stay the same across a reload of the editor for agents to reconnect by themselves (docs/protocols/gemini.md, claude.md). */
export interface EndpointIdentity {
  /** The port of the last run, or 0: the system chooses. */
  readonly port: number;
  /** 256 bits, unpadded base64url. */
  readonly token: string;
  /** Key of the MAC in session ids; 256 bits, unpadded base64url. */
  readonly sessionKey: string;
  /** Keeps the port that was bound for the next run. Rejects with PatchbayError `storage-failed`; the run itself is not affected. */
  savePort(port: number): Promise<void>;
}

const storageKey = "endpoint";
const secretBytes = 32;
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * The identity kept in `storage`, or a new one where there is none, it cannot be read or it is malformed (a storage that
 * fails has said so in the log: agents then have to reconnect after a reload, and everything else works). Without a
 * storage every run has an identity of its own.
 */
export async function loadEndpointIdentity(
  storage: PrivateStorage | undefined,
  random: Random,
): Promise<EndpointIdentity> {
  const text = await storage?.read(storageKey).catch(() => undefined);
  const kept = text === undefined ? undefined : parseIdentity(text);
  const token = kept?.token ?? random.token(secretBytes);
  const sessionKey = kept?.sessionKey ?? random.token(secretBytes);
  return {
    port: kept?.port ?? 0,
    token,
    sessionKey,
    savePort: async (port) => storage?.write(storageKey, JSON.stringify({ port, token, sessionKey })),
  };
}

/** Narrows by hand: start-up loads no parser. All three values must be sound, or none is used. */
function parseIdentity(text: string): { port: number; token: string; sessionKey: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Malformed is as good as absent: a new identity follows.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (!("port" in value) || !("token" in value) || !("sessionKey" in value)) return undefined;
  const { port, token, sessionKey } = value;
  if (typeof port !== "number" || !Number.isInteger(port) || port < 0 || port > 65_535) return undefined;
  if (typeof token !== "string" || !secretPattern.test(token)) return undefined;
  if (typeof sessionKey !== "string" || !secretPattern.test(sessionKey)) return undefined;
  return { port, token, sessionKey };
}
