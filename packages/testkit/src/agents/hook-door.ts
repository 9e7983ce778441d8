import { request } from "node:http";
import * as z from "zod";

/** Where a companion answers the hooks of agents, and who asks there. */
export interface HookDoor {
  readonly port: number;
  readonly token: string;
  /** The agent, where its record is another one's. */
  readonly agent?: string;
}

const lineSchema = z.looseObject({ state: z.string(), output: z.string().optional(), gone: z.string().optional() });

/** What a hook prints about an event; undefined: nothing, or it has been interrupted. Never rejects. */
export async function askHook(
  { port, token, agent }: HookDoor,
  event: object,
  signal: AbortSignal,
): Promise<string | undefined> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(agent === undefined ? {} : { "patchbay-hook-agent": agent }),
  };
  return await new Promise((done) => {
    const asked = request({ host: "127.0.0.1", port, path: "/hook", method: "POST", headers, signal }, (response) => {
      let text = "";
      let gone: string | undefined;
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        for (const line of text.split("\n").slice(0, -1)) {
          const told = line === "" ? undefined : lineSchema.parse(JSON.parse(line));
          gone = told?.gone ?? gone;
          if (told?.state === "done") done(told.output);
        }
      });
      response.on("error", () => done(gone));
      response.on("close", () => done(gone));
    });
    asked.on("error", () => done(undefined));
    asked.end(JSON.stringify(event));
  });
}

/** What a hook of ours prints for a program of ours in the agent's process. */
export type PrintedVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "allow-changed"; readonly arguments: Readonly<Record<string, unknown>>; readonly note: string }
  | { readonly kind: "deny"; readonly reason: string }
  | { readonly kind: "told"; readonly note: string };

const verdictSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("allow") }),
  z.object({ kind: z.literal("allow-changed"), arguments: z.record(z.string(), z.unknown()), note: z.string() }),
  z.object({ kind: z.literal("deny"), reason: z.string() }),
  z.object({ kind: z.literal("told"), note: z.string() }),
]);

/** Undefined: no opinion. */
export function readVerdict(printed: string | undefined): PrintedVerdict | undefined {
  return printed === undefined ? undefined : verdictSchema.parse(JSON.parse(printed));
}
