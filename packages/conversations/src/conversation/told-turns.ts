import type { TurnLedger, TurnSource, TurnWitness } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { Entry } from "../model/entries.ts";
import type { QueuedPrompt } from "../model/snapshot.ts";
import type { About } from "../transcript/line.ts";

/** Who keeps the ledger of what agents change, where somebody does. */
export interface ConversationTurns {
  readonly witness: TurnWitness;
  readonly ledger: TurnLedger;
  /** An agent's name for people. */
  readonly agentName: (agent: string) => string;
}

export interface ToldTurnsOptions {
  /** Absent: nobody keeps a ledger. */
  readonly turns: ConversationTurns | undefined;
  readonly about: () => Pick<About, "id" | "agent" | "folder" | "sessionId">;
  readonly host: SessionHost;
}

/**
 * Tells the ledger where the turns of a conversation begin and end, and what is about to be written in them. An agent's hooks do that
 * for those in terminals; a conversation knows it by itself, and exactly.
 */
export class ToldTurns {
  readonly #options: ToldTurnsOptions;
  /** Commands of this turn of which has been told that they run, and that they have ended. */
  readonly #commands: Map<string, "running" | "over"> = new Map();
  /** The prompt of the turn. */
  #prompt: string | undefined;

  constructor(options: ToldTurnsOptions) {
    this.#options = options;
  }

  /** The editor as the agent's driver sees it: what is about to be written is told first. */
  get host(): SessionHost {
    const { host } = this.#options;
    return {
      ...host,
      aboutToWrite: async (path) => await this.aboutToWrite(path),
      writeText: async (path, text) => {
        await this.aboutToWrite(path);
        await host.writeText(path, text);
      },
    };
  }

  began({ id, blocks }: QueuedPrompt): void {
    this.#prompt = id;
    this.#commands.clear();
    const text = blocks.find((block) => block.type === "text");
    this.#witness?.turnBegan(this.#source(), text?.text ?? "");
  }

  /** What the agent is to hear with a prompt, e.g. of what the user undid; once. Empty: nothing. */
  async notes(): Promise<string> {
    const witness = this.#witness;
    const notes = (await witness?.notes?.(this.#source())) ?? [];
    witness?.passedOn?.(notes.map(({ id }) => id));
    return notes.map(({ text }) => text).join("\n");
  }

  /** Also where an earlier run left the turn open. */
  ended(): void {
    this.#witness?.turnEnded(this.#source());
  }

  /** Resolves when the file's text is in hand, a second at most. */
  async aboutToWrite(path: string): Promise<void> {
    const witness = this.#witness;
    witness?.aboutToWrite(this.#source(), [{ path }]);
    await witness?.ready();
  }

  /** The agent has changed a file; `command`: a command of it has ended, which may have. */
  wrote(command?: string): void {
    if (this.#prompt !== undefined) this.#witness?.wrote(this.#source(), command);
  }

  /** A command may change any file. */
  sees(entry: Entry): void {
    const witness = this.#witness;
    if (entry.kind !== "tool" || entry.tool !== "execute" || witness === undefined) return;
    const told = this.#commands.get(entry.id);
    const isOver = entry.state === "done" || entry.state === "failed" || entry.state === "cancelled";
    if (told === undefined && (isOver || entry.state === "running")) {
      this.#commands.set(entry.id, "running");
      witness.aboutToRun(this.#source(), entry.title, entry.id);
    }
    if (!isOver || told === "over") return;
    this.#commands.set(entry.id, "over");
    this.wrote(entry.id);
  }

  get #witness(): TurnWitness | undefined {
    return this.#options.turns?.witness;
  }

  #source(): TurnSource {
    const { turns, about } = this.#options;
    const { id, agent, folder, sessionId } = about();
    const agentName = turns?.agentName(agent) ?? agent;
    const conversation = { agentSession: sessionId, prompt: this.#prompt };
    return { agent, agentName, session: id, folder, conversation };
  }
}
