import type { HookEvent, NamedFile } from "../agents/hook.ts";

/** Of what a session is told with its next prompt, the newest. */
const mostNotes = 16;

export interface HookTurnsOptions {
  /** Sees what agents do to files; absent: nobody does. */
  readonly turns?: TurnWitness | undefined;
  /** Where a file that an event names is, links resolved; undefined where it is none of this workspace. */
  readonly realPathOf: (file: NamedFile, folder: string | undefined) => Promise<string | undefined>;
}

/** What a session hears with its next prompt. */
export interface PromptNotes {
  readonly text: string;
  /** The agent has the answer: it hears of it once. */
  readonly passedOn: () => void;
}

/** What passes between the turns of agents and the editor: the witness hears of what they do, and they hear what the user had for them. */
export class HookTurns {
  readonly #options: HookTurnsOptions;

  constructor(options: HookTurnsOptions) {
    this.#options = options;
  }

  /** Says what is about to happen, once nobody is in its way any more. */
  async witness(event: HookEvent, { agent, agentName }: Pick<TurnSource, "agent" | "agentName">): Promise<void> {
    const { turns, realPathOf } = this.#options;
    if (turns === undefined) return;
    const source: TurnSource = { agent, agentName, session: event.session, folder: event.cwd };
    switch (event.kind) {
      case "turn-began":
        turns.turnBegan(source, event.prompt);
        break;
      case "turn-ended":
      case "session-ended":
        turns.turnEnded(source);
        return;
      case "wrote":
        turns.wrote(source);
        return;
      case "command":
        turns.aboutToRun(source, event.command);
        break;
      case "write": {
        const named = event.changes.map(async (change): Promise<readonly { readonly path: string }[]> => {
          const real = await realPathOf(change, event.cwd);
          return real === undefined ? [] : [{ path: real }];
        });
        turns.aboutToWrite(source, (await Promise.all(named)).flat());
        break;
      }
      default:
        return;
    }
    await turns.ready();
  }

  /** The agent's process has ended, and its hook says nothing of it. */
  gone(source: TurnSource): void {
    this.#options.turns?.turnEnded(source);
  }

  /** What a session is told with the prompt that it was given; undefined: nothing. */
  async notes(agent: string, session: string): Promise<PromptNotes | undefined> {
    const { turns } = this.#options;
    const notes = (await turns?.notes?.({ agent, session })) ?? [];
    if (notes.length === 0) return undefined;
    return {
      text: notes
        .slice(-mostNotes)
        .map(({ text }) => text)
        .join("\n"),
      passedOn: () => turns?.passedOn?.(notes.map(({ id }) => id)),
    };
  }
}

/** Whose turn it is. */
export interface TurnSource {
  /** Id of the agent, e.g. `claude`. */
  readonly agent: string;
  /** Its name for people, e.g. `Claude Code`. */
  readonly agentName: string;
  /** The agent's own name for its session, or the id of a conversation. */
  readonly session: string;
  /** Where it works, as the agent names it; undefined where it has not said. */
  readonly folder: string | undefined;
  /** Only where `session` is a conversation's: what the hooks of its agent tell is about the same turn. */
  readonly conversation?: {
    /** The agent's own name for the session; undefined where it is not known yet. */
    readonly agentSession: string | undefined;
    /** The prompt that began the turn, by the conversation's name for it. */
    readonly prompt?: string | undefined;
  };
}

/** A file as it is before an agent writes it. */
export interface FileBefore {
  /** Absolute, links resolved. */
  readonly path: string;
  /** The whole file with its byte order mark; undefined: there is none. Left out where nobody has read it yet. */
  readonly before?: Uint8Array | string | undefined;
}

/** What the user did about an agent's changes, for the agent. */
export interface TurnNote {
  /** By which it is said to be passed on. */
  readonly id: string;
  readonly text: string;
}

/**
 * PORT: sees what agents do to files, turn by turn. Implemented by `FolderLedgers` of `@patchbay/turns`. The calls come in the order in
 * which things happen; they return at once and never throw.
 */
export interface TurnWitness {
  /** The user has given a prompt. Some agents say so several times in a turn, with an empty prompt but for the first. */
  turnBegan(source: TurnSource, prompt: string): void;
  /** The agent waits for the next prompt, or its session has ended. */
  turnEnded(source: TurnSource): void;
  /** A tool is about to write these files. It does not before `ready`. */
  aboutToWrite(source: TurnSource, files: readonly FileBefore[]): void;
  /** A tool is about to run a shell command, which may write anything. It does not before `ready`. `id`: a conversation's name for it. */
  aboutToRun(source: TurnSource, command: string, id?: string): void;
  /** A tool that writes or runs commands has ended. `id`: the command that did. */
  wrote(source: TurnSource, id?: string): void;
  /**
   * The user has accepted this text for a file, and the agent, or the editor for it, is about to write it. Before or after
   * `aboutToWrite`.
   */
  accepted(source: TurnSource, path: string, text: string): void;
  /** Resolves, never rejects, when everything that was told is in hand, and the agent may go on. Bounded: a second at most. */
  ready(): Promise<void>;
  /** What a session is to hear with its next prompt, the oldest first, until it was passed on. Never rejects. Bounded: a second at most. */
  notes?(source: Pick<TurnSource, "agent" | "session">): Promise<readonly TurnNote[]>;
  /** The agent was given these notes. */
  passedOn?(ids: readonly string[]): void;
}
