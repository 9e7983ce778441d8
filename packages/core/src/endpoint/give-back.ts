import { request } from "node:http";
import type { Random } from "../platform/platform.ts";

/** How long a keeper may take to give the port back, ms. It needs a few, more on a busy machine; a new port would cost all agents their connection. */
const patienceMs = 3_000;

/**
 * What a keeper takes as proof that the next run asks. Derived, because whoever holds the port now need not be a
 * keeper: this secret is good for nothing but the question.
 */
export function giveBackSecret(sessionKey: string, random: Random): string {
  return random.mac(sessionKey, "give the port back");
}

/** Asks a keeper for the port. Resolves when it has let it go, or does not answer: then somebody else has the port. */
export async function askForPort(port: number, secret: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        method: "POST",
        path: "/give-back",
        agent: false,
        headers: { authorization: `Bearer ${secret}`, "content-length": 0 },
        signal: AbortSignal.timeout(patienceMs),
      },
      (response) => {
        response.resume();
        resolve();
      },
    );
    asked.on("error", () => resolve());
    asked.end();
  });
}
