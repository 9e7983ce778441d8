import { Emitter, type Event, PatchbayError } from "@patchbay/core";
import type {
  AgentSession,
  Answer,
  Prompt,
  SessionCapabilities,
  SessionUpdate,
  TurnEndReason,
} from "@patchbay/conversations";

const nothing: SessionCapabilities = {
  images: false,
  excerpts: false,
  editableChanges: false,
  rejectionMessages: false,
  fork: false,
  forkBefore: false,
  rewind: false,
  resume: false,
};

/** A session whose driver is loaded when it is started. */
export class LaterSession implements AgentSession {
  readonly #load: () => Promise<AgentSession>;
  readonly #updates: Emitter<SessionUpdate> = new Emitter(() => {});
  #session: AgentSession | undefined;
  #isClosed = false;

  constructor(load: () => Promise<AgentSession>) {
    this.#load = load;
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#updates.event;
  }

  get capabilities(): SessionCapabilities {
    return this.#session?.capabilities ?? nothing;
  }

  async start(): Promise<void> {
    const session = await this.#load();
    // Closed while it was being loaded.
    if (this.#isClosed) throw new PatchbayError("stopped", "The conversation was closed.");
    this.#session = session;
    session.onUpdate((update) => this.#updates.fire(update));
    await session.start();
  }

  async prompt(prompt: Prompt): Promise<TurnEndReason> {
    return (await this.#session?.prompt(prompt)) ?? "exited";
  }

  async interrupt(): Promise<void> {
    await this.#session?.interrupt();
  }

  answer(questionId: string, answer: Answer): boolean {
    return this.#session?.answer(questionId, answer) === true;
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    await this.#session?.setOption(optionId, value);
  }

  async rename(title: string): Promise<void> {
    await this.#session?.rename?.(title);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#session?.close();
  }
}
