import type { LinesUndone, ListedTurn, TurnMark, TurnUndone } from "../../src/common/protocol.ts";

/** A turn as the backend lists it. */
export function listedTurn(facts: Partial<ListedTurn> = {}): ListedTurn {
  return {
    id: "t1",
    number: 1,
    agents: ["Claude Code"],
    agent: "claude",
    session: "s1",
    prompt: "Change it",
    began: 0,
    ended: 1,
    border: "exact",
    undoes: undefined,
    headMoved: false,
    isPartial: false,
    undecided: 1,
    lines: { added: 1, removed: 0 },
    files: [],
    ...facts,
  };
}

/** What the backend is asked about turns, and what it says. */
export class TurnLedger {
  readonly asked: unknown[] = [];
  listed: readonly ListedTurn[];
  /** What becomes of an undo, at once and later. */
  result: TurnUndone | undefined;
  late: TurnUndone | undefined;
  /** The entries that undos become; where there are none, as in `result`. */
  entries: string[] = [];
  /** What a file was before a turn. */
  before: string | undefined = "";
  marks: readonly TurnMark[] = [];
  /** What becomes of a verdict on lines. */
  done: readonly LinesUndone[] | undefined = [];
  /** The texts of which the marks were asked for. */
  readonly looks: string[] = [];

  constructor(...listed: readonly ListedTurn[]) {
    this.listed = listed;
  }

  async turns(): Promise<readonly ListedTurn[]> {
    return this.listed;
  }
  async keepTurn(...asked: readonly unknown[]): Promise<boolean> {
    this.asked.push(["keep", ...asked]);
    return true;
  }
  async undoTurn(...asked: readonly unknown[]): Promise<TurnUndone | undefined> {
    this.asked.push(["undo", ...asked]);
    const turn = this.entries.shift();
    return turn === undefined || this.result === undefined ? this.result : { ...this.result, turn };
  }
  async undoWaitingTurn(...asked: readonly unknown[]): Promise<TurnUndone | undefined> {
    this.asked.push(["now", ...asked]);
    return this.late;
  }
  async bringBack(): Promise<TurnUndone | undefined> {
    this.asked.push(["bring back"]);
    return this.late;
  }
  async textBeforeTurn(): Promise<string | undefined> {
    return this.before;
  }
  async turnMarks(_path: string, text: string): Promise<readonly TurnMark[]> {
    this.looks.push(text);
    return this.marks;
  }
  async decideLines(...asked: readonly unknown[]): Promise<readonly LinesUndone[] | undefined> {
    this.asked.push(asked);
    return this.done;
  }
}
