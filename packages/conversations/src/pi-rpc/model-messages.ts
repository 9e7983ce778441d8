import { randomUUID } from "node:crypto";
import type { SessionUpdate } from "../model/index.ts";
import { type ModelDelta, type ModelMessage, type PiToolCall } from "./codec.ts";

export interface MessageSink {
  now(): number;
  update(update: SessionUpdate): void;
  /** A tool is to be used. Not `isWhole`: its arguments are still being written. */
  onTool(call: PiToolCall, isWhole: boolean): void;
}

interface OpenBlock {
  readonly id: string;
  readonly kind: "message" | "thought";
  readonly at: number;
  text: string;
}

/** Makes entries of what the model says: it comes in pieces, and once more whole at its end. Pi's messages have no names: each gets one. */
export class ModelMessages {
  readonly #sink: MessageSink;
  readonly #blocks: Map<number, OpenBlock> = new Map();
  #id = "";

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  begin(): void {
    this.end();
    this.#id = randomUUID();
  }

  streamed(event: ModelDelta): void {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta": {
        if (event.delta === "") return;
        const block = this.#block(event.contentIndex, event.type === "text_delta" ? "message" : "thought");
        block.text += event.delta;
        this.#sink.update({ type: "append", id: block.id, to: block.kind, text: event.delta });
        return;
      }
      case "toolcall_start": {
        const call = event.partial.content[event.contentIndex];
        if (call?.type === "toolCall") this.#sink.onTool(call, false);
        return;
      }
      case "toolcall_end":
        this.#sink.onTool(event.toolCall, true);
    }
  }

  /** The message is whole. */
  whole({ content = [] }: ModelMessage): void {
    const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
    for (const [index, one] of blocks.entries()) {
      if (one.type === "toolCall") this.#sink.onTool(one, true);
      if (one.type === "text" && one.text !== "") this.#block(index, "message").text = one.text;
      if (one.type === "thinking" && one.thinking !== "") this.#block(index, "thought").text = one.thinking;
    }
    this.end();
  }

  /** Nothing more comes of the message: what was cut off stays as it is. */
  end(): void {
    for (const { id, kind, at, text } of this.#blocks.values()) {
      if (text !== "") this.#sink.update({ type: "entry", entry: { kind, id, at, text, isComplete: true } });
    }
    this.#blocks.clear();
  }

  #block(index: number, kind: OpenBlock["kind"]): OpenBlock {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const block = { id: `${this.#id}.${index}`, kind, at: this.#sink.now(), text: "" };
    this.#blocks.set(index, block);
    return block;
  }
}
