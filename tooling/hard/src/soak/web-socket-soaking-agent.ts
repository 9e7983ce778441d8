import { WebSocketAgent } from "../attack/web-socket-agent.ts";
import {
  makeSample,
  patienceMs,
  pause,
  type Sample,
  type SoakingAgent,
  type SoakingAgentOptions,
} from "./soaking-agent.ts";

/** Claude's wire by hand: openDiff is answered when the user has decided, and an answer dies with its connection. */
export class WebSocketSoakingAgent implements SoakingAgent {
  readonly kind = "websocket";
  readonly #options: SoakingAgentOptions;
  #agent: WebSocketAgent;

  private constructor(options: SoakingAgentOptions, agent: WebSocketAgent) {
    this.#options = options;
    this.#agent = agent;
  }

  static async connect(options: SoakingAgentOptions): Promise<WebSocketSoakingAgent> {
    return new WebSocketSoakingAgent(options, await dial(options));
  }

  async run(diffs: number): Promise<void> {
    const { cutShare, editor, gate, number, tally, thinkMs } = this.#options;
    for (let diff = 0; diff < diffs; diff += 1) {
      const sample = makeSample(editor, number, diff);
      tally.diffs += 1;
      if (this.#agent.isClosed) this.#agent = await gate.pass(() => dial(this.#options));
      const agent = this.#agent;
      // Held back only until it is sent: the answer comes when the user has decided.
      const answer = await gate.pass(async () => ({ texts: this.#ask(agent, sample, diff) }));
      if (Math.random() < cutShare) {
        tally.cuts += 1;
        await pause(Math.random() * thinkMs * 1.2);
        agent.crash();
      }
      this.#check(sample, await answer.texts, agent);
      agent.messages.length = 0;
      agent.frames.length = 0;
    }
  }

  async end(): Promise<void> {
    this.#agent.crash();
  }

  /** The texts of the answer; undefined where the connection went before. */
  async #ask(agent: WebSocketAgent, sample: Sample, diff: number): Promise<readonly string[] | undefined> {
    try {
      return await agent.callTool(
        "openDiff",
        {
          old_file_path: sample.path,
          new_file_path: sample.path,
          new_file_contents: sample.text,
          // Agents of this kind have tab names alike.
          tab_name: `diff ${diff}`,
        },
        { timeoutMs: patienceMs },
      );
    } catch (error) {
      if (agent.isClosed) return undefined;
      return [`isError: ${String(error)}`];
    }
  }

  #check(sample: Sample, texts: readonly string[] | undefined, agent: WebSocketAgent): void {
    const { tally, number } = this.#options;
    if (texts === undefined) {
      if (!agent.isClosed) tally.find("lost", sample.mark);
      tally.voided += 1;
      return;
    }
    const [verdict, text] = texts;
    const what = `agent-${number} was answered ${JSON.stringify(texts)} for ${sample.verdict} ${sample.mark}`;
    if (sample.expected === undefined ? verdict !== "DIFF_REJECTED" : verdict !== "FILE_SAVED")
      tally.find("lost", what);
    else if (sample.expected !== undefined && text?.includes(`agent-${number} `) !== true) tally.find("astray", what);
    // The file does not exist: the client of this protocol drops one final line end, which is put in front of that.
    else if (sample.expected !== undefined && !isSameText(text, sample.expected)) tally.find("bent", what);
    else tally.delivered += 1;
  }
}

function isSameText(text: string | undefined, expected: string): boolean {
  const lineFeeds = expected.replaceAll("\r\n", "\n");
  return text === `${expected}\n` || text === `${lineFeeds}\n`;
}

function dial(options: SoakingAgentOptions): Promise<WebSocketAgent> {
  const { editor } = options;
  return WebSocketAgent.connect({ port: editor.port, token: editor.sandbox.token("claude") });
}
