import { createHmac } from "node:crypto";
import { request } from "node:http";
import { isSame, newSecret } from "./door.ts";

/** How long a server may take to answer, ms. */
const answerMs = 3_000;

/** Longer is no answer, bytes. */
const longestAnswer = 4_096;

/**
 * Gives links to programs of the same user, who know a secret from a private file. Neither side sends it: each proves that it has
 * it, because the port may have gone to somebody else's program.
 */
export class LinkDesk {
  readonly #secret: string;
  readonly #issue: () => string;
  /** What was asked with is not taken again. */
  readonly #seen: Set<string> = new Set();

  constructor(secret: string, issue: () => string) {
    this.#secret = secret;
    this.#issue = issue;
  }

  /** Undefined: whoever asks does not know the secret. */
  answer(body: string | undefined): string | undefined {
    const [nonce = "", proof = ""] = (body ?? "").split(" ");
    if (nonce.length < 32 || this.#seen.has(nonce) || !isSame(proof, proofOf(this.#secret, "ask", nonce)))
      return undefined;
    this.#seen.add(nonce);
    const url = this.#issue();
    return `${url} ${proofOf(this.#secret, "answer", `${nonce} ${url}`)}`;
  }
}

/** A new link of a server that runs. Undefined: there is none on this port, or not one of this user's. Never rejects. */
export async function askForLink(port: number, secret: string): Promise<string | undefined> {
  const nonce = newSecret();
  const body = `${nonce} ${proofOf(secret, "ask", nonce)}`;
  const [url = "", proof = ""] = ((await post(port, body)) ?? "").split(" ");
  const isProven = isSame(proof, proofOf(secret, "answer", `${nonce} ${url}`));
  return isProven && url.startsWith(`http://127.0.0.1:${port}/#`) ? url : undefined;
}

async function post(port: number, body: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const asked = request(
      { host: "127.0.0.1", port, path: "/link", method: "POST", agent: false, timeout: answerMs },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > longestAnswer) asked.destroy();
        });
        response.on("error", () => resolve(undefined));
        response.on("end", () => resolve(response.statusCode === 200 ? text : undefined));
      },
    );
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(undefined));
    asked.on("close", () => resolve(undefined));
    asked.end(body);
  });
}

function proofOf(secret: string, side: "ask" | "answer", text: string): string {
  return createHmac("sha256", secret).update(`${side} ${text}`).digest("base64url");
}
