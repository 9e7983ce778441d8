import type { Case } from "./cases.ts";
import { type CaseResult, Lane } from "./lane.ts";
import { casesByEditor, inLanes } from "./lanes.ts";
import { takeTurn } from "./one-at-a-time.ts";

/** How a run ended. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** In the order of the cases, whatever the order in which they ran. */
  readonly cases: readonly CaseResult[];
}

export interface RunOptions {
  /** Folder for transcripts of the wire; undefined: none are made. */
  readonly recordInto?: string | undefined;
  /** How many editors run side by side. */
  readonly lanes: number;
  /** Shows one or more whole lines. */
  readonly print: (text: string) => void;
}

/** SIGHUP: the terminal of the run was closed. */
const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs the cases, those of an editor one after the other, and prints what there is to say of each in one piece; never runs one twice. */
export async function runCases(cases: readonly Case[], options: RunOptions): Promise<Totals> {
  const lanes = Array.from({ length: options.lanes }, () => new Lane(options.recordInto, options.print));
  const endLanes = async (): Promise<void> => {
    await Promise.all(lanes.map((lane) => lane.end()));
  };
  const results = new Map<string, CaseResult>();
  // All lanes of a run share its turn. A run that opens no editor waits for nobody.
  const opensEditors = cases.some(({ editor }) => editor.whyNot() === undefined);
  const giveTurn = opensEditors ? await takeTurn(options.print) : async () => {};
  let isInterrupted = false;
  const interrupted = (): void => {
    isInterrupted = true;
    void endLanes()
      .then(giveTurn)
      .finally(() => process.exit(130));
  };
  for (const signal of interruptions) process.once(signal, interrupted);
  try {
    await inLanes(options.lanes, casesByEditor(cases), async (own, at) => {
      const lane = lanes[at];
      if (lane === undefined) throw new Error(`there is no lane ${at}`);
      for (const one of own) {
        // What fails now does so for want of its editor, and another one would be left behind.
        if (isInterrupted) return;
        results.set(one.id, await lane.run(one));
      }
      await lane.end();
    });
  } finally {
    await endLanes();
    await giveTurn();
    for (const signal of interruptions) process.off(signal, interrupted);
  }
  const inOrder = cases.flatMap(({ id }) => results.get(id) ?? []);
  const count = (status: CaseResult["status"]): number => inOrder.filter((one) => one.status === status).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped"), cases: inOrder };
}
