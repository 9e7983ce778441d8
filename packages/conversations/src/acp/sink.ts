import { type Clock, Emitter, type Event, type Logger, messageOf } from "@patchbay/core";
import type { MessageEntry, NoticeEntry, SessionUpdate, ThoughtEntry } from "../model/index.ts";
import type { TextChunk } from "./wire.ts";

/** Where the updates of a session go, and where its entries get their ids and times. */
export class UpdateSink {
  readonly clock: Clock;
  readonly #updates: Emitter<SessionUpdate>;
  #turn: string;
  #count = 0;

  /** `beginning`: what comes before the first prompt is named after it; unique among the runs of a conversation. */
  constructor(clock: Clock, logger: Logger, beginning: string) {
    this.clock = clock;
    this.#turn = beginning;
    this.#updates = new Emitter((error) => logger.error("A listener failed", { reason: messageOf(error) }));
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#updates.event;
  }

  /** What comes from now on belongs to this prompt. */
  beginTurn(promptId: string): void {
    this.#turn = promptId;
  }

  /** The prompt that what comes now belongs to. */
  get turn(): string {
    return this.#turn;
  }

  /** An id for the next entry of a kind. */
  nextId(kind: string): string {
    this.#count += 1;
    return `${this.#turn}/${kind}-${this.#count}`;
  }

  fire(update: SessionUpdate): void {
    this.#updates.fire(update);
  }

  notice(level: NoticeEntry["level"], text: string, more: Pick<NoticeEntry, "action" | "detail"> = {}): void {
    const entry: NoticeEntry = {
      kind: "notice",
      id: this.nextId("notice"),
      at: this.clock.now(),
      level,
      text,
      ...more,
    };
    this.fire({ type: "entry", entry });
  }
}

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
