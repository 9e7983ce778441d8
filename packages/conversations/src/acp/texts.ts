import type { MessageEntry, ThoughtEntry } from "../model/index.ts";
import type { UpdateSink } from "./sink.ts";
import type { TextChunk } from "./wire.ts";

/**
 * Messages and thoughts out of the pieces in which they come. Where agents do not say which message a piece belongs to, a new
 * one begins with another speaker, and after everything else that is shown (`end`).
 */
export class TextStreams {
  readonly #sink: UpdateSink;
  #open: { readonly entry: MessageEntry | ThoughtEntry; readonly messageId: string | undefined } | undefined;

  constructor(sink: UpdateSink) {
    this.#sink = sink;
  }

  /** A piece of what the agent says or thinks. Empty ones carry something else, and show nothing. */
  add({ speaker, text, messageId }: TextChunk): void {
    if (text === "" || speaker === "user") return;
    const kind = speaker === "agent" ? "message" : "thought";
    const open = this.#open;
    const isNext = open === undefined || open.entry.kind !== kind || open.messageId !== messageId;
    if (isNext) this.end();
    const id = open === undefined || isNext ? this.#sink.nextId(kind) : open.entry.id;
    const at = open === undefined || isNext ? this.#sink.clock.now() : open.entry.at;
    const before = open === undefined || isNext ? "" : open.entry.text;
    this.#open = { entry: { kind, id, at, text: before + text, isComplete: false }, messageId };
    this.#sink.fire({ type: "append", id, to: kind, text });
  }

  /** What was being said is complete. */
  end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#sink.fire({ type: "entry", entry: { ...open.entry, isComplete: true } });
  }
}
