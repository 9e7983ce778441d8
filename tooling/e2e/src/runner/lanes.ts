import { availableParallelism, freemem } from "node:os";
import type { Case } from "./cases.ts";

/** Lanes where a machine can have them: editors mostly wait, so that a second one hardly slows the first one down. */
const usualLanes = 2;

/** Memory that an editor, its browser, the agents and their language servers take at most, bytes. */
const memoryOfLane = 3 * 2 ** 30;

/** What a machine has to give. */
export interface Machine {
  readonly processors: number;
  /** Bytes that nobody uses. */
  readonly memory: number;
}

/** This machine, now. */
export function thisMachine(): Machine {
  return { processors: availableParallelism(), memory: freemem() };
}

/** How many editors run side by side: as many as were asked for, else as many as the machine has processors and memory for. */
export function countLanes(wish: string | undefined, machine: Machine): number {
  if (wish === undefined || wish === "") {
    const fitting = Math.min(usualLanes, machine.processors, Math.floor(machine.memory / memoryOfLane));
    return Math.max(1, fitting);
  }
  if (!/^[1-9]\d?$/.test(wish)) throw new Error(`not a number of lanes: ${wish}`);
  return Number(wish);
}

/** The cases by their editors, in their order: what is built into an editor before it starts is built for one lane at a time. */
export function casesByEditor(cases: readonly Case[]): readonly (readonly Case[])[] {
  const ids = new Set(cases.map(({ editor }) => editor.id));
  return Array.from(ids, (id) => cases.filter(({ editor }) => editor.id === id));
}

/**
 * Does the work in so many lanes: one after the other in each, and a lane that is free takes what is next. Where something
 * fails, its lane takes nothing more, the others go on to the end, and the first failure is thrown.
 */
export async function inLanes<T>(
  lanes: number,
  work: readonly T[],
  act: (piece: T, lane: number) => Promise<void>,
): Promise<void> {
  // One for all lanes: each takes from where the others have got to.
  const next = work.values();
  const runLane = async (lane: number): Promise<void> => {
    for (const piece of next) await act(piece, lane);
  };
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(lanes, work.length) }, (_, lane) => runLane(lane)),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
