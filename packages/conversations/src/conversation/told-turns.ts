import type { TurnSource, TurnWitness } from "@patchbay/core";
import type { Entry, PromptBlock } from "../model/entries.ts";
import type { About } from "../transcript/line.ts";

/** Who keeps the ledger of what agents change, where somebody does. */
export interface ConversationTurns {
  readonly witness: TurnWitness;
  /** An agent's name for people. */
  readonly agentName: (agent: string) => string;
}

/**
 * Tells the ledger where the turns of a conversation begin and end, and what is about to be written in them. An agent's hooks do that
 * for those in terminals; a conversation knows it by itself, and exactly.
 */
export class ToldTurns {
  readonly #turns: ConversationTurns | undefined;
  readonly #about: () => Pick<About, "id" | "agent" | "folder" | "sessionId">;
  /** Commands of this turn of which has been told that they run, and that they have ended. */
  readonly #commands: Map<string, "running" | "over"> = new Map();

  constructor(turns: ConversationTurns | undefined, about: () => Pick<About, "id" | "agent" | "folder" | "sessionId">) {
    this.#turns = turns;
    this.#about = about;
  }

  began(blocks: readonly PromptBlock[]): void {
    this.#commands.clear();
    const text = blocks.find((block) => block.type === "text");
    this.#turns?.witness.turnBegan(this.#source(), text?.text ?? "");
  }

  /** What the agent is to hear with a prompt, e.g. of what the user undid; once. Empty: nothing. */
  async notes(): Promise<string> {
    const witness = this.#turns?.witness;
    const notes = (await witness?.notes?.(this.#source())) ?? [];
    witness?.passedOn?.(notes.map(({ id }) => id));
    return notes.map(({ text }) => text).join("\n");
  }

  /** Also where an earlier run left the turn open. */
  ended(): void {
    this.#turns?.witness.turnEnded(this.#source());
  }

  /** Resolves when the file's text is in hand, a second at most. */
  async aboutToWrite(path: string): Promise<void> {
    const witness = this.#turns?.witness;
    witness?.aboutToWrite(this.#source(), [{ path }]);
    await witness?.ready();
  }

  wrote(): void {
    this.#turns?.witness.wrote(this.#source());
  }

  /** A command may change any file. */
  sees(entry: Entry): void {
    if (entry.kind !== "tool" || entry.tool !== "execute" || this.#turns === undefined) return;
    const told = this.#commands.get(entry.id);
    const isOver = entry.state === "done" || entry.state === "failed" || entry.state === "cancelled";
    if (told === undefined && (isOver || entry.state === "running")) {
      this.#commands.set(entry.id, "running");
      this.#turns.witness.aboutToRun(this.#source(), entry.title);
    }
    if (!isOver || told === "over") return;
    this.#commands.set(entry.id, "over");
    this.wrote();
  }

  #source(): TurnSource {
    const { id, agent, folder, sessionId } = this.#about();
    const agentName = this.#turns?.agentName(agent) ?? agent;
    return { agent, agentName, session: id, folder, conversation: { agentSession: sessionId } };
  }
}
