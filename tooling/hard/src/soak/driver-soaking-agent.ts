import { type AgentDriver, createGeminiDriver } from "@patchbay/testkit";
import { makeSample, pause, type SoakingAgent, type SoakingAgentOptions } from "./soaking-agent.ts";

/** The client's own retries take seconds. */
const patienceMs = 30_000;

/** Does not keep the process alive: most outcomes come long before. */
function patience(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), patienceMs).unref();
  });
}

/** The official SDK's client as Gemini CLI uses it: it comes back by its own means, which take a second or two. */
export class DriverSoakingAgent implements SoakingAgent {
  readonly kind = "sdk";
  readonly #options: SoakingAgentOptions;
  readonly #driver: AgentDriver;

  private constructor(options: SoakingAgentOptions, driver: AgentDriver) {
    this.#options = options;
    this.#driver = driver;
  }

  static async connect(options: SoakingAgentOptions): Promise<DriverSoakingAgent> {
    const { home, tmp, workspace } = options.editor.sandbox;
    const driver = createGeminiDriver({ cwd: workspace, home, temporaryDirectory: tmp, writesFile: false });
    await driver.connect();
    return new DriverSoakingAgent(options, driver);
  }

  async run(diffs: number): Promise<void> {
    const { cutShare, editor, gate, number, tally, thinkMs } = this.#options;
    const { unasked } = this.#driver.status;
    for (let diff = 0; diff < diffs; diff += 1) {
      const sample = makeSample(editor, number, diff);
      tally.diffs += 1;
      const proposal = await gate.pass(async () => {
        const asked = this.#driver.propose({ path: sample.path, text: sample.text, tool: "write" });
        await asked.asked;
        return asked;
      });
      if (Math.random() < cutShare) {
        tally.cuts += 1;
        await pause(Math.random() * thinkMs * 1.2);
        // After a reset this client gives up until its user connects it again (docs/protocols/gemini.md).
        this.#driver.cut("clean");
      }
      const outcome = await Promise.race([proposal.outcome, patience()]);
      if (outcome === undefined || outcome.kind === "lost" || outcome.kind === "failed") {
        tally.find("lost", `${sample.verdict} ${sample.mark} ${JSON.stringify(this.#driver.status)}`);
        await proposal.decideInTerminal("reject");
      } else if (outcome.kind === "rejected") {
        if (sample.expected === undefined) tally.delivered += 1;
        else tally.find("astray", `a reject for ${sample.verdict} ${sample.mark}`);
      } else if (outcome.received === sample.expected) tally.delivered += 1;
      else
        tally.find(
          outcome.received.includes(sample.mark) ? "bent" : "astray",
          `${outcome.received} for ${sample.mark}`,
        );
    }
    // What would come twice comes now.
    await pause(2_500);
    const twice = this.#driver.status.unasked - unasked;
    if (twice > 0) tally.find("duplicated", `agent-${number} was told ${twice} verdicts for which nothing waited`);
  }

  async end(): Promise<void> {
    await this.#driver.end();
  }
}
