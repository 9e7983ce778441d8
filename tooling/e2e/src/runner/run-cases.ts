import { Recorder } from "../record/recorder.ts";
import { everyAgent } from "../scenarios/scenario.ts";
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
}

/** Longest that a scenario may take, ms: each of its waits has its own bound, and this one is for what hangs without one. */
const longestScenario = 5 * 60_000;

export interface RunOptions {
  /** Folder for transcripts of the wire; undefined: none are made. */
  readonly recordInto: string | undefined;
}

/** Runs the cases one after the other, prints a line for each, and never runs one twice. */
export async function runCases(cases: readonly Case[], options: RunOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 };
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
      continue;
    }
    let started = performance.now();
    const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
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
      totals.passed += 1;
      console.log(`passed   ${one.id} (${seconds()})`);
    } catch (error) {
      totals.failed += 1;
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

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0] ?? "";
}
