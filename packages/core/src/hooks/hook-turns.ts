import type { HookEvent, HookVerdict } from "../agents/hook.ts";
import { type Activities, ownerIdOf } from "./activity.ts";
import type { TurnNote, TurnSource, TurnWitness } from "./turn-witness.ts";

/** Of what a session is told with its next prompt, the newest. */
const mostNotes = 16;

export interface HookTurnsOptions {
  readonly activities: Pick<Activities, "all">;
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
  /** What sessions are told with their next prompt, by their owners' ids. */
  readonly #notes: Map<string, readonly string[]> = new Map();

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

  /** See `Companion.tellAgent`. */
  tell(agent: string, session: string, text: string): boolean {
    const isThere = this.#options.activities.all.some(
      (one) => one.agent === agent && one.session === session && one.state !== "ended",
    );
    if (!isThere) return false;
    const key = ownerIdOf(agent, session);
    this.#notes.set(key, [...(this.#notes.get(key) ?? []), text].slice(-mostNotes));
    return true;
  }

  /** What a session is told with the prompt that it was given; undefined: nothing. */
  async notes(agent: string, session: string): Promise<PromptNotes | undefined> {
    const { turns } = this.#options;
    const key = ownerIdOf(agent, session);
    const kept: readonly TurnNote[] = (await turns?.notes?.({ agent, session })) ?? [];
    const told = this.#notes.get(key) ?? [];
    const all = [...kept.map(({ text }) => text), ...told].slice(-mostNotes);
    if (all.length === 0) return undefined;
    const passedOn = (): void => {
      this.#notes.set(
        key,
        (this.#notes.get(key) ?? []).filter((one) => !told.includes(one)),
      );
      turns?.passedOn?.(kept.map(({ id }) => id));
    };
    return { verdict: { kind: "told", note: all.join("\n") }, passedOn };
  }

  /** The session has ended. */
  forget(ownerId: string): void {
    this.#notes.delete(ownerId);
  }
}
