import { type Clock, Emitter, type Event, type Logger, messageOf } from "@patchbay/core";
import type { NoticeEntry, SessionUpdate } from "../model/index.ts";

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
