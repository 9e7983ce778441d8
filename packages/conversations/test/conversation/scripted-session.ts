import { Emitter, type Event } from "@patchbay/core";
import type { AgentSession, Prompt } from "../../src/driver.ts";
import type { Entry, TurnEndReason } from "../../src/model/entries.ts";
import type { Answer } from "../../src/model/questions.ts";
import type { SessionCapabilities, SessionUpdate } from "../../src/model/session.ts";
import type { SessionRequest } from "../../src/conversation/agent-link.ts";

const capabilities: SessionCapabilities = {
  images: true,
  excerpts: true,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: true,
  rewind: false,
  resume: true,
};

/** A session that says what the test has it say. */
export class ScriptedSession implements AgentSession {
  readonly #updates: Emitter<SessionUpdate> = new Emitter();
  readonly capabilities: SessionCapabilities = capabilities;
  readonly request: SessionRequest;
  readonly prompts: Prompt[] = [];
  readonly answers: { readonly id: string; readonly answer: Answer }[] = [];
  readonly options: { readonly id: string; readonly value: string | boolean }[] = [];
  readonly open: Set<string> = new Set();
  isClosed = false;
  isSignedOut = false;
  /** What it waits for when it is closed. */
  closing: Promise<void> = Promise.resolve();
  interrupts = 0;
  #endTurn: ((reason: TurnEndReason) => void) | undefined;
  readonly #onStart: (session: ScriptedSession) => Promise<void> | void;

  constructor(request: SessionRequest, onStart: (session: ScriptedSession) => Promise<void> | void) {
    this.request = request;
    this.#onStart = onStart;
  }

  get onUpdate(): Event<SessionUpdate> {
    return this.#updates.event;
  }

  get isInTurn(): boolean {
    return this.#endTurn !== undefined;
  }

  async start(): Promise<void> {
    this.say({ type: "state", state: { kind: "starting" } });
    await this.#onStart(this);
    this.say({ type: "session", sessionId: `session of ${this.request.about.id}` });
    if (!this.isSignedOut) this.say({ type: "state", state: { kind: "idle" } });
  }

  async prompt(prompt: Prompt): Promise<TurnEndReason> {
    this.prompts.push(prompt);
    this.say({ type: "state", state: { kind: "running", since: 0 } });
    return await new Promise((resolve) => (this.#endTurn = resolve));
  }

  async interrupt(): Promise<void> {
    this.interrupts += 1;
    this.end("stopped");
  }

  answer(id: string, answer: Answer): boolean {
    if (!this.open.delete(id)) return false;
    this.answers.push({ id, answer });
    return true;
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    this.options.push({ id, value });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end("exited");
    await this.closing;
  }

  say(update: SessionUpdate): void {
    this.#updates.fire(update);
  }

  tell(entry: Entry): void {
    if (entry.kind === "question") this.open.add(entry.id);
    this.say({ type: "entry", entry });
  }

  stream(id: string, text: string): void {
    this.say({ type: "append", id, to: "message", text });
  }

  /** The turn ends. */
  end(reason: TurnEndReason = "done"): void {
    const end = this.#endTurn;
    this.#endTurn = undefined;
    if (end !== undefined && reason !== "exited") this.say({ type: "state", state: { kind: "idle" } });
    end?.(reason);
  }

  /** The process is gone. */
  exit(): void {
    this.say({ type: "state", state: { kind: "ended" } });
    this.end("exited");
  }
}
