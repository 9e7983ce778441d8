import type { Clock, Disposable } from "@patchbay/core";
import { asBoolean, asList, asNumber, asText } from "../vim/shape.ts";
import { shapeOfMode, type VisualSelection } from "./visual-selection.ts";

/** How long a selection outlives Visual mode while the user stays in the file, ms: long enough to go to a terminal. */
const holdMs = 2_000;

/**
 * Visual mode ends when the user goes to the agent's terminal, which is just when the agent is to see the selection. So
 * it is kept until the user moves or types in a file again, or stays in the file for two seconds.
 */
export class SelectionMemory {
  readonly #clock: Pick<Clock, "setTimeout">;
  readonly #onExpired: () => void;
  #held: { readonly buffer: number; readonly selection: VisualSelection } | undefined;
  /** Where the cursor was when Visual mode ended; undefined while it lasts. */
  #rest: { readonly line: number; readonly column: number } | undefined;
  #timer: Disposable | undefined;

  constructor(clock: Pick<Clock, "setTimeout">, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** The selection in a buffer, now or a moment ago. */
  of(buffer: number): VisualSelection | undefined {
    return this.#held?.buffer === buffer ? this.#held.selection : undefined;
  }

  /** The cursor is somewhere in a file. */
  moved(report: CursorReport): void {
    if (report.visual !== undefined) {
      this.#stop();
      this.#rest = undefined;
      this.#held = { buffer: report.buffer, selection: report.visual };
      return;
    }
    if (this.#held === undefined) return;
    if (this.#held.buffer !== report.buffer) {
      this.clear();
      return;
    }
    if (this.#rest === undefined) {
      this.#rest = { line: report.line, column: report.column };
      this.#start();
    } else if (this.#rest.line !== report.line || this.#rest.column !== report.column) this.clear();
  }

  /** The user left for a terminal or another program: what was selected stays. */
  away(): void {
    this.#stop();
  }

  /** The user is back in the file. */
  back(): void {
    if (this.#held !== undefined && this.#rest !== undefined) this.#start();
  }

  clear(): void {
    this.#stop();
    this.#held = undefined;
    this.#rest = undefined;
  }

  dispose(): void {
    this.#stop();
  }

  #start(): void {
    this.#stop();
    this.#timer = this.#clock.setTimeout(() => {
      this.clear();
      this.#onExpired();
    }, holdMs);
  }

  #stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}

/** What `patchbay#track#cursor()` says, taken apart. */
export interface CursorReport {
  readonly buffer: number;
  /** 1-based, column in bytes. */
  readonly line: number;
  readonly column: number;
  readonly modified: boolean;
  /** Set in Visual and Select mode. */
  readonly visual: VisualSelection | undefined;
}

/** The expression that makes a report, evaluated in the editor inside its autocommand. */
export const cursorExpression = "patchbay#track#cursor()";

/** Vim's number for "to the end of every line". */
const maximumColumn = 2_147_483_647;

export function readCursorReport(value: unknown): CursorReport | undefined {
  const list = asList(value);
  if (list.length < 10) return undefined;
  const [buffer = 0, , line = 0, column = 0, wanted = 0, anchorLine = 0, anchorColumn = 0] = list.map(asNumber);
  const mode = asText(list[1]);
  const shape = shapeOfMode(mode.slice(0, 1));
  const report = { buffer, line, column, modified: asBoolean(list[9]) };
  if (shape === undefined) return { ...report, visual: undefined };
  return {
    ...report,
    visual: {
      shape,
      cursor: { line, column },
      anchor: { line: anchorLine, column: anchorColumn },
      exclusive: asBoolean(list[7]),
      toLineEnd: shape === "block" && wanted >= maximumColumn,
      tabStop: Math.max(1, asNumber(list[8])),
    },
  };
}
