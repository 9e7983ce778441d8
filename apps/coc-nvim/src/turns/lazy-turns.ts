import { Emitter, type Event, LoadOnce, type TurnWitness } from "@patchbay/core";
import type { FolderLedgers } from "@patchbay/turns";
import type { AgentChanges } from "./agent-changes.ts";

/** The ledger of turns before it is loaded: with the first word of an agent, or with turns of an earlier run. */
export interface LazyTurns {
  readonly witness: TurnWitness;
  /** How many files agents have changed that nobody has reviewed. */
  count(): number;
  readonly onDidChange: Event<void>;
  /** Loads it. */
  get(): Promise<AgentChanges>;
  /** Ends it; what was told is on disk then. */
  close(): Promise<void>;
}

/** @param load Gets what fires when something has changed. */
export function createLazyTurns(
  load: (onChange: () => void) => Promise<AgentChanges>,
  isOn: () => boolean,
  onFailure: (error: unknown) => void,
): LazyTurns {
  const change = new Emitter<void>(onFailure);
  const changes = new LoadOnce(() => load(() => change.fire()));
  let isOver = false;
  // Those that wait for the code go on in the order in which they came.
  const tell = async <T>(say: (ledgers: FolderLedgers) => T | Promise<T>): Promise<T | void> => {
    if (!isOver && isOn()) return await changes.get().then(({ ledgers }) => say(ledgers), onFailure);
  };
  const witness: TurnWitness = {
    turnBegan: (...told) => void tell((one) => one.turnBegan(...told)),
    turnEnded: (...told) => void tell((one) => one.turnEnded(...told)),
    aboutToWrite: (...told) => void tell((one) => one.aboutToWrite(...told)),
    aboutToRun: (...told) => void tell((one) => one.aboutToRun(...told)),
    wrote: (...told) => void tell((one) => one.wrote(...told)),
    accepted: (...told) => void tell((one) => one.accepted(...told)),
    ready: () => tell((one) => one.ready()),
    notes: async (source) => (await tell((one) => one.notes(source))) ?? [],
    passedOn: (ids) => void tell((one) => one.passedOn(ids)),
  };
  return {
    witness,
    count: () => changes.loaded?.count ?? 0,
    onDidChange: change.event,
    get: () => changes.get(),
    close: async () => {
      isOver = true;
      await changes.loaded?.ledgers.settled();
      changes.loaded?.dispose();
    },
  };
}
