import type { AgentSession, QuestionEntry, SessionUpdate, TurnEndReason } from "@patchbay/conversations";

const text = (said: string): ModelTurn => ({ kind: "text", text: said });
const tool = (name: string, input: Readonly<Record<string, unknown>>): ModelTurn => ({ kind: "tool", name, input });
const allow = { type: "choice", choiceId: "allow" } as const;

const questions = [
  {
    question: "Which one?",
    header: "One",
    multiSelect: false,
    options: [
      { label: "A", description: "the first" },
      { label: "B", description: "the second" },
    ],
  },
  {
    question: "Which ones?",
    header: "Some",
    multiSelect: true,
    options: [
      { label: "C", description: "the third" },
      { label: "D", description: "the fourth" },
    ],
  },
];

/** Conversations with Claude Code of which there are recordings. */
export const claudeScenarios: readonly ConversationScenario[] = [
  {
    name: "edits",
    files: { "b.txt": "one\ntwo\nthree\n" },
    turns: (folder) => [
      text("Hello **there**."),
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\ntwo\n" }),
      text("Written."),
      tool("Write", { file_path: `${folder}/c.txt`, content: "one\ntwo\n" }),
      text("Written again."),
      tool("Read", { file_path: `${folder}/b.txt` }),
      tool("Edit", { file_path: `${folder}/b.txt`, old_string: "two", new_string: "2" }),
      text("Edited."),
      tool("Edit", { file_path: `${folder}/b.txt`, old_string: "one", new_string: "1" }),
      text("Then not."),
    ],
    play: async (player) => {
      await player.say("Say hello");
      await player.sayAndAnswer("Write a", allow);
      await player.sayAndAnswer("Write c", { ...allow, text: "one\nTWO by me\n" });
      await player.sayAndAnswer("Edit b", { ...allow, text: "one\n2 and more\nthree\n" });
      await player.sayAndAnswer("Edit b again", { type: "reject", message: "leave it" });
    },
    results: { "a.txt": "one\ntwo\n", "c.txt": "one\nTWO by me\n", "b.txt": "one\n2 and more\nthree\n" },
    told: ["The file now reads:\\none\\nTWO by me\\n", "The file now reads:\\none\\n2 and more\\n", "leave it"],
  },
  {
    name: "commands",
    turns: () => [
      tool("Bash", { command: "echo hello > hello.txt", description: "Says hello" }),
      text("Said."),
      tool("Bash", { command: "touch never.txt" }),
      text("Then not."),
      tool("Bash", { command: "printf missing > /workspace-is-not-here/x" }),
      text("It failed."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Say hello in a file", allow);
      await player.sayAndAnswer("Touch a file", { type: "reject" });
      await player.sayAndAnswer("Fail", allow);
    },
    results: { "hello.txt": "hello\n", "never.txt": undefined },
    told: ["The user does not want this."],
  },
  {
    name: "stops",
    turns: () => [
      tool("Bash", { command: "touch asked.txt" }),
      tool("Bash", { command: "touch running.txt; tail -f /dev/null" }),
      text("Going on."),
    ],
    play: async (player) => {
      const asked = player.say("Touch a file");
      await player.question();
      await player.session.interrupt();
      await asked;
      const running = player.say("Run for ever");
      const { id } = await player.question();
      player.session.answer(id, allow);
      await player.session.interrupt();
      await running;
      await player.say("Go on");
    },
    results: { "asked.txt": undefined },
  },
  {
    name: "options",
    turns: (folder) => [
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\n" }),
      text("Written."),
      tool("Write", { file_path: `${folder}/d.txt`, content: "one\n" }),
      text("Written without a question."),
      text("As another model."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Write a", { type: "choice", choiceId: "always-0" });
      await player.say("Write d");
      await player.session.setOption("mode", "plan");
      await player.session.setOption("model", "sonnet");
      await player.session.setOption("effort", "low");
      await player.session.rename?.("A name");
      await player.say("Say who you are");
    },
    results: { "a.txt": "one\n", "d.txt": "one\n" },
  },
  {
    name: "questions",
    turns: () => [
      tool("AskUserQuestion", { questions }),
      text("Thanks."),
      tool("ExitPlanMode", { plan: "# The plan\n1. Do it" }),
      text("Shorter, then."),
      tool("ExitPlanMode", {}),
      text("I begin."),
    ],
    play: async (player) => {
      const values = { "question-0": "neither", "question-1": ["C", "D"] };
      await player.sayAndAnswer("Ask me", { type: "form", values });
      await player.session.setOption("mode", "plan");
      await player.sayAndAnswer("Plan it", { type: "reject", message: "shorter" });
      await player.sayAndAnswer("Plan it again", allow);
    },
    told: ['=\\"neither\\"', '=\\"C, D\\"', "The user rejected this, and says: shorter"],
  },
  {
    name: "subagents",
    turns: () => [
      tool("Task", { description: "look", prompt: "look", subagent_type: "general-purpose", run_in_background: false }),
      tool("Bash", { command: "touch sub.txt" }),
      text("The subagent has looked."),
      text("It has looked."),
      tool("mcp__companion__getDiagnostics", { path: "/nowhere/a.txt" }),
      text("No problems."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Have somebody look", allow);
      await player.say("Are there problems?");
    },
    results: { "sub.txt": "" },
  },
  {
    name: "rewinds",
    turns: (folder) => [
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\n" }),
      text("Written."),
      text("Fresh."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Write a", allow);
      await player.session.rewind?.(player.promptId, true);
      await player.session.rewind?.(player.promptId, false);
      await player.say("/clear");
      await player.say("Who am I?");
    },
    results: { "a.txt": undefined },
  },
  {
    name: "signed-out",
    isSignedIn: false,
    turns: () => [],
    play: async (player) => void (await player.say("Hello")),
  },
];

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
