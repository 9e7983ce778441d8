import { Recorder } from "../record/recorder.ts";
import { everyAgent } from "../agents/index.ts";
import { withDeadline } from "../support/deadline.ts";
import { saveArtifacts } from "./artifacts.ts";
import type { Case } from "./cases.ts";
import { Stage } from "./stage.ts";
import { ScenarioWorld } from "./world.ts";

/** How one case ended. */
export interface CaseResult {
  readonly id: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly seconds?: number;
  /** Times that the scenario noted, in milliseconds. */
  readonly figures?: Readonly<Record<string, number>>;
  /** What it said of itself. */
  readonly told?: readonly string[];
}

/** Longest that a scenario may take, ms: each of its waits has its own bound, and this one is for what hangs without one. */
const longestScenario = 5 * 60_000;

/** Runs cases one after the other, with one editor open at most, and prints what there is to say of each in one piece. */
export class Lane {
  readonly #recordInto: string | undefined;
  readonly #print: (text: string) => void;
  #stage: Stage | undefined;

  constructor(recordInto: string | undefined, print: (text: string) => void) {
    this.#recordInto = recordInto;
    this.#print = print;
  }

  /** Runs one case, never twice. Rejects only where the suite itself is broken. */
  async run(one: Case): Promise<CaseResult> {
    const reason = one.editor.whyNot();
    if (reason !== undefined) {
      this.#print(`skipped  ${one.id}: ${reason}`);
      return { id: one.id, status: "skipped" };
    }
    // Other lanes print meanwhile: what belongs together is kept until it is whole.
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    if (this.#stage !== undefined && this.#stage.key !== Stage.keyOf(one)) await this.end();
    let started = performance.now();
    let world: ScenarioWorld | undefined;
    let recorder: Recorder | undefined;
    let failure: { readonly error: unknown } | undefined;
    try {
      if (this.#stage === undefined) {
        this.#stage = await Stage.set(one);
        started = performance.now();
        await this.#stage.start();
      }
      const { editor, lab } = this.#stage;
      if (this.#recordInto !== undefined) recorder = new Recorder(lab, this.#recordInto, one.scenario.name);
      world = new ScenarioWorld(editor, lab, recorder);
      const agent = one.agent === "all" ? (everyAgent[0] ?? "gemini") : one.agent;
      await withDeadline(one.id, longestScenario, one.scenario.run(world, agent));
      await recorder?.save();
      await editor.clear();
      checkMessages(editor.takeMessages?.() ?? [], one);
    } catch (error) {
      failure = { error };
    }
    const seconds = Math.round(performance.now() - started) / 1000;
    const { figures, told } = world ?? { figures: {}, told: [] };
    if (failure === undefined) {
      say(`passed   ${one.id} (${seconds.toFixed(1)} s)`);
      for (const [what, ms] of Object.entries(figures)) say(`  ${what}: ${(ms / 1000).toFixed(1)} s`);
    } else {
      say(`FAILED   ${one.id} (${seconds.toFixed(1)} s): ${firstLine(failure.error)}`);
      for (const line of told) say(`  ${line}`);
      if (world === undefined && this.#stage !== undefined)
        world = new ScenarioWorld(this.#stage.editor, this.#stage.lab, undefined);
      const saving = withDeadline("saving what explains it", 60_000, saveArtifacts(one.id, failure.error, world));
      for (const line of await saving.catch((late: unknown) => [String(late)])) say(`  ${line}`);
      // What a failure leaves behind must not disturb the next case.
      for (const line of await this.#endStage()) say(line);
    }
    this.#print(lines.join("\n"));
    await world?.dispose();
    await recorder?.dispose();
    return { id: one.id, status: failure === undefined ? "passed" : "failed", seconds, figures, told };
  }

  /** Ends the editor that is open. Idempotent. */
  async end(): Promise<void> {
    const troubles = await this.#endStage();
    if (troubles.length > 0) this.#print(troubles.join("\n"));
  }

  async #endStage(): Promise<readonly string[]> {
    const ended = this.#stage;
    this.#stage = undefined;
    return (await ended?.end()) ?? [];
  }
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
