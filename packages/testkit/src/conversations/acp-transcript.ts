import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { AcpAgent } from "./acp-agent.ts";

/** What the user does in a transcript. */
export type AcpAct =
  /** A file in the session's folder is there, with this text. */
  | { readonly do: "file"; readonly path: string; readonly text: string }
  | { readonly do: "prompt"; readonly text: string }
  /** The open question is answered, by the kind of the choice; `text`: what the user made of the change. */
  | { readonly do: "answer"; readonly choice: string; readonly text?: string }
  /** The open question is a form; values by the ids of its fields. */
  | { readonly do: "fill"; readonly values: Readonly<Record<string, string>> }
  | { readonly do: "option"; readonly id: string; readonly value: string }
  /** A question is open, and stays so for now. */
  | { readonly do: "wait" }
  | { readonly do: "interrupt" }
  /** The turn is waited for. */
  | { readonly do: "end" };

/** One line of a transcript: `in` is what the agent said, `out` what it was told. */
export type AcpLine =
  | { readonly dir: "in" | "out"; readonly body: unknown }
  | { readonly dir: "user"; readonly act: AcpAct };

const act = z.discriminatedUnion("do", [
  z.object({ do: z.literal("file"), path: z.string(), text: z.string() }),
  z.object({ do: z.literal("prompt"), text: z.string() }),
  z.object({ do: z.literal("answer"), choice: z.string(), text: z.string().optional() }),
  z.object({ do: z.literal("fill"), values: z.record(z.string(), z.string()) }),
  z.object({ do: z.literal("option"), id: z.string(), value: z.string() }),
  z.object({ do: z.literal("wait") }),
  z.object({ do: z.literal("interrupt") }),
  z.object({ do: z.literal("end") }),
]);
const line = z.discriminatedUnion("dir", [
  z.object({ dir: z.enum(["in", "out"]), body: z.unknown() }),
  z.object({ dir: z.literal("user"), act }),
]);

/** The lines of a transcript, in which the session's folder is named `/workspace`. */
export function parseAcpTranscript(text: string, folder: string): readonly AcpLine[] {
  // As the system spells it.
  const inJson = (path: string): string => JSON.stringify(path).slice(1, -1);
  const placed = (one: string): string =>
    one.replaceAll(/\/workspace((?:\/[\w.-]+)*)/gu, (_all, below: string) =>
      inJson(folder + below.replaceAll("/", sep)),
    );
  return text
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => withoutUndefined(line.parse(JSON.parse(placed(one)))));
}

function withoutUndefined(parsed: z.output<typeof line>): AcpLine {
  if (parsed.dir !== "user") return { dir: parsed.dir, body: parsed.body };
  const { act: done } = parsed;
  if (done.do !== "answer") return { dir: "user", act: done };
  const { text, ...rest } = done;
  return { dir: "user", act: text === undefined ? rest : { ...rest, text } };
}

/**
 * A real agent's part in a transcript, said again: each message once all that was said to the agent before it has been said
 * in the same words. What differs is an error.
 */
export class AcpReplay extends AcpAgent {
  readonly #lines: readonly AcpLine[];
  readonly #unread: unknown[] = [];
  readonly #arrived: Set<() => void> = new Set();

  constructor(lines: readonly AcpLine[]) {
    super();
    this.#lines = lines;
  }

  /** Plays to the end; `perform` does what the user does. */
  async play(perform: (done: AcpAct) => Promise<void>): Promise<void> {
    for (const next of this.#lines) {
      if (next.dir === "user") await perform(next.act);
      else if (next.dir === "in") this.deliver(next.body);
      else await this.#expect(next.body);
    }
  }

  protected override take(message: unknown): void {
    this.#unread.push(message);
    for (const wake of this.#arrived) wake();
    this.#arrived.clear();
  }

  async #expect(body: unknown): Promise<void> {
    while (this.#unread.length === 0) await new Promise<void>((resolve) => this.#arrived.add(resolve));
    const said = this.#unread.shift();
    if (isDeepStrictEqual(said, body)) return;
    throw new Error(`Said to the agent:\n${JSON.stringify(said)}\nbut in the transcript:\n${JSON.stringify(body)}`);
  }
}
