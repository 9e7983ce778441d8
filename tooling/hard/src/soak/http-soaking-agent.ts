import { HttpAgent } from "../attack/http-agent.ts";
import type { StreamEvent } from "../attack/event-reader.ts";
import {
  makeSample,
  patienceMs,
  pause,
  type Sample,
  type SoakingAgent,
  type SoakingAgentOptions,
} from "./soaking-agent.ts";

/** Gemini's or Qwen's wire by hand: tells the last event id when it comes back, as the SDK's client does. */
export class HttpSoakingAgent implements SoakingAgent {
  readonly kind = "http";
  readonly #options: SoakingAgentOptions;
  readonly #agent: HttpAgent;
  /** The proposals that wait, by path. */
  readonly #open: Map<string, Sample> = new Map();
  /** What is told of a path for which nothing waits is one too many. */
  #read = 0;
  #reopening: Promise<void> | undefined;
  #ended = false;

  private constructor(options: SoakingAgentOptions, agent: HttpAgent) {
    this.#options = options;
    this.#agent = agent;
  }

  static async connect(options: SoakingAgentOptions): Promise<HttpSoakingAgent> {
    const { editor, number } = options;
    const token = editor.sandbox.token(number % 2 === 0 ? "gemini" : "qwen");
    return new HttpSoakingAgent(options, await HttpAgent.connect({ port: editor.port, token }));
  }

  async run(diffs: number): Promise<void> {
    const { editor, gate, number, tally } = this.#options;
    for (let diff = 0; diff < diffs; diff += 1) {
      const sample = makeSample(editor, number, diff);
      tally.diffs += 1;
      this.#open.set(sample.path, sample);
      const answer = await gate.pass(() => this.#agent.openDiff(sample.path, sample.text));
      if (answer.isError === true) tally.find("lost", `openDiff was refused: ${JSON.stringify(answer.content)}`);
      else await this.#await(sample, Math.random() < this.#options.cutShare);
      this.#open.delete(sample.path);
      if (diff % 100 === 99) this.#agent.told.splice(0, this.#takeRead());
    }
    // What would come twice comes now.
    await this.#reopen();
    await pause(1_500);
    this.#readAll();
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#agent.crash();
  }

  async #await(sample: Sample, isCut: boolean): Promise<void> {
    const { tally, thinkMs } = this.#options;
    if (isCut) {
      tally.cuts += 1;
      // Before, at and after the moment in which the user decides.
      await pause(Math.random() * thinkMs * 1.2);
      this.#agent.stream?.cut();
      await pause(Math.random() * thinkMs * 1.2);
    }
    const end = performance.now() + patienceMs;
    while (this.#open.has(sample.path)) {
      if (this.#agent.stream?.end !== undefined) await this.#reopen();
      this.#readAll();
      if (!this.#open.has(sample.path)) return;
      if (performance.now() > end) {
        const fetched = await this.#agent.finalText(sample.path).catch(() => undefined);
        tally.find("lost", `${sample.verdict} ${sample.mark} (closeDiff says ${JSON.stringify(fetched)})`);
        return;
      }
      const seen = this.#agent.told.length;
      await this.#agent.stream?.until(() => this.#agent.told.length > seen, 500).catch(() => undefined);
    }
  }

  /** Comes back for as long as nobody answers on the port. */
  async #reopen(): Promise<void> {
    this.#reopening ??= this.#tryToReopen().finally(() => {
      this.#reopening = undefined;
    });
    await this.#reopening;
  }

  async #tryToReopen(): Promise<void> {
    const end = performance.now() + patienceMs;
    while (!this.#ended) {
      try {
        await this.#agent.openStream({ resume: true });
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await pause(20);
      }
    }
  }

  #takeRead(): number {
    const read = this.#read;
    this.#read = 0;
    return read;
  }

  #readAll(): void {
    while (this.#read < this.#agent.told.length) {
      const event = this.#agent.told[this.#read];
      this.#read += 1;
      if (event?.method.startsWith("ide/diff") === true) this.#take(event);
    }
  }

  #take(event: StreamEvent): void {
    const { tally, number } = this.#options;
    const path = String(event.params["filePath"]);
    const content = event.params["content"];
    const what = `agent-${number} was told ${event.method} ${JSON.stringify(content)} of ${path}`;
    if (typeof content === "string" && !content.includes(`agent-${number} `)) {
      tally.find("astray", what);
      return;
    }
    const sample = this.#open.get(path);
    const isStale = typeof content === "string" && sample !== undefined && !content.includes(sample.mark);
    const verdict = event.method === "ide/diffAccepted" ? "accepted" : "rejected";
    const isExpected = sample !== undefined && (sample.verdict === "reject") === (verdict === "rejected");
    if (sample === undefined || isStale || !isExpected) {
      tally.find("duplicated", what);
      return;
    }
    this.#open.delete(path);
    tally.delivered += 1;
    if (content !== sample.expected) tally.find("bent", `${what}, expected ${JSON.stringify(sample.expected)}`);
  }
}
