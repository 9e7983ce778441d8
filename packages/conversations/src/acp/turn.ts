import type { TurnEndReason } from "../model/index.ts";

/** A turn that is running. */
export interface Turn {
  readonly since: number;
  isStopped: boolean;
  /** The agent does not answer: the turn is over without it. */
  readonly abandon: () => void;
  readonly abandoned: Promise<"abandoned">;
  readonly ended: Promise<void>;
}

/** A turn, and what says that it is over. */
export function beginTurn(since: number): { readonly turn: Turn; readonly finish: () => void } {
  let abandon = (): void => {};
  let finish = (): void => {};
  const abandoned = new Promise<"abandoned">((resolve) => {
    abandon = () => resolve("abandoned");
  });
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { turn: { since, isStopped: false, abandon, abandoned, ended }, finish };
}

/** Why a turn has ended, by the protocol's names. */
export function reasonOf(stopReason: string): TurnEndReason {
  switch (stopReason) {
    case "cancelled":
      return "stopped";
    case "refusal":
      return "refused";
    case "max_tokens":
    case "max_turn_requests":
      return "limit";
    default:
      return "done";
  }
}
