import { Recorder } from "../record/recorder.ts";
import { everyAgent } from "../agents/index.ts";

import { withDeadline } from "../support/deadline.ts";
import { saveArtifacts } from "./artifacts.ts";
import type { Case } from "./cases.ts";
import { Stage } from "./stage.ts";
import { ScenarioWorld } from "./world.ts";

/** How a run ended. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  readonly cases: CaseResult[];
}

/** How one case ended. */
interface CaseResult {
  readonly id: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly seconds?: number;
  /** Times that the scenario noted, in milliseconds. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Longest that a scenario may take, ms: each of its waits has its own bound, and this one is for what hangs without one. */
const longestScenario = 5 * 60_000;

export interface RunOptions {
  /** Folder for transcripts of the wire; undefined: none are made. */
  readonly recordInto: string | undefined;
}

/** Runs the cases one after the other, prints a line for each, and never runs one twice. */
export async function runCases(cases: readonly Case[], options: RunOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0, cases: [] };
  let stage: Stage | undefined;
  const endStage = async (): Promise<void> => {
    const ended = stage;
    stage = undefined;
    await ended?.end();
  };
  const interrupted = (): void => {
    void endStage().finally(() => process.exit(130));
  };
  process.once("SIGINT", interrupted);
  process.once("SIGTERM", interrupted);
  for (const one of cases) {
    const reason = one.editor.whyNot();
    if (reason !== undefined) {
      console.log(`skipped  ${one.id}: ${reason}`);
      totals.skipped += 1;
      totals.cases.push({ id: one.id, status: "skipped" });
      continue;
    }
    let started = performance.now();
    const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
    const note = (status: "passed" | "failed"): void => {
      const took = Math.round(performance.now() - started) / 1000;
      totals.cases.push({ id: one.id, status, seconds: took, figures: world?.figures ?? {} });
    };
    let world: ScenarioWorld | undefined;
    let recorder: Recorder | undefined;
    try {
      if (stage !== undefined && stage.key !== Stage.keyOf(one)) await endStage();
      if (stage === undefined) {
        stage = await Stage.set(one);
        started = performance.now();
        await stage.start();
      }
      const { editor, lab } = stage;
      if (options.recordInto !== undefined) recorder = new Recorder(lab, options.recordInto, one.scenario.name);
      world = new ScenarioWorld(editor, lab, recorder);
      const agent = one.agent === "all" ? (everyAgent[0] ?? "gemini") : one.agent;
      await withDeadline(one.id, longestScenario, one.scenario.run(world, agent));
      await recorder?.save();
      await editor.clear();
      checkMessages(editor.takeMessages?.() ?? [], one);
      totals.passed += 1;
      note("passed");
      console.log(`passed   ${one.id} (${seconds()})`);
      for (const [what, ms] of Object.entries(world.figures)) console.log(`  ${what}: ${(ms / 1000).toFixed(1)} s`);
    } catch (error) {
      totals.failed += 1;
      note("failed");
      console.log(`FAILED   ${one.id} (${seconds()}): ${firstLine(error)}`);
      if (world === undefined && stage !== undefined) world = new ScenarioWorld(stage.editor, stage.lab, undefined);
      const saving = withDeadline("saving what explains it", 60_000, saveArtifacts(one.id, error, world));
      for (const file of await saving.catch((late: unknown) => [String(late)])) console.log(`  ${file}`);
      // What a failure leaves behind must not disturb the next case.
      await endStage();
    } finally {
      world?.dispose();
      await recorder?.dispose();
    }
  }
  await endStage();
  process.off("SIGINT", interrupted);
  process.off("SIGTERM", interrupted);
  return totals;
}

/** Fails a case in which Patchbay disturbed the user. What the editor itself tells is none of ours. */
function checkMessages(told: readonly string[], { scenario }: Case): void {
  const unasked = told.find((text) => text.includes("Patchbay") && scenario.mayTell?.test(text) !== true);
  if (unasked !== undefined) throw new Error(`the user was told: ${unasked.replaceAll(/\s*\n\s*/g, " | ")}`);
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0] ?? "";
}
