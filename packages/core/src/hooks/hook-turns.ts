import type { HookEvent, HookVerdict } from "../agents/hook.ts";
import type { TurnSource, TurnWitness } from "./turn-witness.ts";

/** Of what a session is told with its next prompt, the newest. */
const mostNotes = 16;

export interface HookTurnsOptions {
  /** Sees what agents do to files; absent: nobody does. */
  readonly turns?: TurnWitness | undefined;
  /** Where a file that an event names is, links resolved; undefined where it is none of this workspace. */
  readonly realPathOf: (path: string, folder: string | undefined) => Promise<string | undefined>;
}

/** What a session hears with its next prompt. */
export interface PromptNotes {
  readonly verdict: HookVerdict;
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
        const named = event.changes.map(async ({ path }): Promise<readonly { readonly path: string }[]> => {
          const real = await realPathOf(path, event.cwd);
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
      verdict: {
        kind: "told",
        note: notes
          .slice(-mostNotes)
          .map(({ text }) => text)
          .join("\n"),
      },
      passedOn: () => turns?.passedOn?.(notes.map(({ id }) => id)),
    };
  }
}
