import type { AgentSession, QuestionEntry, SessionUpdate, TurnEndReason } from "@patchbay/conversations";

/** What the scripted model says when it is asked next. */
export type ModelTurn =
  | { readonly kind: "text"; readonly text: string }
  | ({ readonly kind: "tool" } & ModelToolCall)
  | { readonly kind: "tools"; readonly calls: readonly ModelToolCall[] };

export interface ModelToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * A conversation that is held in the same way with the real program, when it is recorded, and with the recording. What it waits for
 * comes from the session alone.
 */
export interface ConversationScenario {
  readonly name: string;
  /** Files of the folder before it begins. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the model says; `folder` is the folder of the conversation. */
  turns(folder: string): readonly ModelTurn[];
  play(player: ScenarioPlayer): Promise<void>;
  /** What the files hold at the end; undefined for one that must not be there. */
  readonly results?: Readonly<Record<string, string | undefined>>;
  /** What the model has read by then. */
  readonly told?: readonly string[];
  /** The user has signed in; so it is unless it is false. */
  readonly isSignedIn?: boolean;
}

/** Ids of prompts, the same in every run. */
export function scenarioPromptId(count: number): string {
  return `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

/** Holds a conversation for a scenario. */
export class ScenarioPlayer {
  readonly session: AgentSession;
  readonly #updates: SessionUpdate[] = [];
  readonly #waiting: Set<() => void> = new Set();
  #prompts = 0;

  constructor(session: AgentSession) {
    this.session = session;
    session.onUpdate((update) => {
      this.#updates.push(update);
      for (const look of this.#waiting) look();
    });
  }

  /** All that was told, oldest first. */
  get updates(): readonly SessionUpdate[] {
    return this.#updates;
  }

  /** The id of the last prompt. */
  get promptId(): string {
    return scenarioPromptId(this.#prompts);
  }

  async say(text: string): Promise<TurnEndReason> {
    this.#prompts += 1;
    return await this.session.prompt({ id: this.promptId, blocks: [{ type: "text", text }] });
  }

  /** The question that is open, once there is one. */
  async question(): Promise<QuestionEntry> {
    return await this.#until(() => {
      const questions = new Map<string, QuestionEntry>();
      for (const update of this.#updates) {
        if (update.type === "entry" && update.entry.kind === "question") questions.set(update.entry.id, update.entry);
      }
      return [...questions.values()].find(({ outcome }) => outcome === undefined);
    });
  }

  /** Waits until something has been told. */
  async heard(isIt: (update: SessionUpdate) => boolean): Promise<void> {
    await this.#until(() => this.#updates.find(isIt));
  }

  /** Says something, and answers the one question that comes of it. */
  async sayAndAnswer(text: string, answer: Parameters<AgentSession["answer"]>[1]): Promise<TurnEndReason> {
    const prompted = this.say(text);
    const { id } = await this.question();
    this.session.answer(id, answer);
    return await prompted;
  }

  async #until<T>(look: () => T | undefined): Promise<T> {
    return await new Promise((resolve) => {
      const again = (): void => {
        const found = look();
        if (found === undefined) return;
        this.#waiting.delete(again);
        resolve(found);
      };
      this.#waiting.add(again);
      again();
    });
  }
}
