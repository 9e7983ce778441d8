import { timingSafeEqual } from "node:crypto";
import { request } from "node:http";
import type { Random } from "../platform/platform.ts";

/** How long a port holder may take to give the port back, ms. It needs a few, more on a busy machine; a new port would cost all agents their connection. */
const patienceMs = 3_000;

/** What a run and its port holder show each other. Both are derived, because whoever has the port need not be a port holder. */
export interface HandoverSecrets {
  /** What the next run shows when it wants the port back; good for nothing else. */
  readonly ask: string;
  /** The key under which a port holder answers for having held the port; never shown. */
  readonly proofKey: string;
}

export function handoverSecrets(sessionKey: string, random: Random): HandoverSecrets {
  return {
    ask: random.mac(sessionKey, "give the port back"),
    proofKey: random.mac(sessionKey, "the port was held without a gap"),
  };
}

/** Header with a random text to which only a port holder knows the answer, and header of that answer. */
const challengeHeader = "patchbay-challenge";
const proofHeader = "patchbay-proof";

/**
 * Asks a port holder for the port. Resolves when it has let it go, or does not answer: then somebody else has the port. True:
 * it was a port holder of the run with this key, and nobody else had the port since that run.
 */
export async function askForPort(port: number, sessionKey: string, random: Random): Promise<boolean> {
  const { ask, proofKey } = handoverSecrets(sessionKey, random);
  const challenge = random.token(32);
  const proof = await new Promise<string>((resolve) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        method: "POST",
        path: "/give-back",
        agent: false,
        headers: { authorization: `Bearer ${ask}`, "content-length": 0, [challengeHeader]: challenge },
        signal: AbortSignal.timeout(patienceMs),
      },
      (response) => {
        response.resume();
        const told = response.headers[proofHeader];
        resolve(response.statusCode === 204 && typeof told === "string" ? told : "");
      },
    );
    asked.on("error", () => resolve(""));
    asked.end();
  });
  const [told, right] = [Buffer.from(proof), Buffer.from(random.mac(proofKey, challenge))];
  return told.length === right.length && timingSafeEqual(told, right);
}
