import { messageOf } from "@patchbay/core";
import * as z from "zod";
import type { Call } from "./calls.ts";

const question = z.object({ id: z.number(), name: z.string(), input: z.unknown() });

/** The editor process's side of the channel: finds what answers a question. */
export class CallTable {
  readonly #handlers: Map<string, (input: unknown) => unknown> = new Map();

  on<Input, Output>(call: Call<Input, Output>, answer: (input: Input) => Output | Promise<Output>): this {
    this.#handlers.set(call.name, (input) => answer(call.input.parse(input)));
    return this;
  }

  /** Never rejects: a failure is an answer, too. */
  async answer(message: unknown): Promise<object> {
    const { id, name, input } = question.parse(message);
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new Error(`Nothing answers ${name}.`);
      return { id, value: await handler(input) };
    } catch (error) {
      return { id, error: messageOf(error) };
    }
  }
}
