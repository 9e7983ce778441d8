import type { PromptEntry, Usage } from "../model/index.ts";
import type { SessionOffers } from "./offers.ts";
import type { AcpProfile } from "./profiles.ts";
import type { TextStreams, UpdateSink } from "./sink.ts";
import type { ToolCalls } from "./tool-calls.ts";
import type { Heard, TextChunk } from "./wire.ts";

/** What hearing needs of its session. */
export interface HearingContext {
  readonly profile: AcpProfile;
  readonly sink: UpdateSink;
  readonly texts: TextStreams;
  readonly tools: ToolCalls;
  readonly offers: SessionOffers;
  /** The agent is in another mode than before. */
  onModeChanged(): void;
}

/** Makes entries out of what an agent tells of its session: of a running turn, or of one that it replays. */
export class Hearing {
  readonly #context: HearingContext;
  /** The prompt that is being replayed; undefined: nothing is replayed. */
  #replay: { readonly sessionId: string; count: number; prompt: string } | undefined;
  #onCommands = (): void => {};
  #turnUsage: Usage = {};
  #usage: Usage = {};

  constructor(context: HearingContext) {
    this.#context = context;
  }

  /** The tokens of this turn, as far as the agent has told them by now. */
  get turnUsage(): Usage {
    return this.#turnUsage;
  }

  beginTurn(): void {
    this.#turnUsage = {};
  }

  /** From now on the agent tells what was said in a session. */
  beginReplay(sessionId: string): void {
    this.#replay = { sessionId, count: 0, prompt: "" };
  }

  /** Resolves with the next list of commands. */
  async untilCommands(): Promise<void> {
    await new Promise<void>((resolve) => (this.#onCommands = resolve));
  }

  endReplay(): void {
    if (this.#replay === undefined) return;
    this.#endPrompt();
    this.#replay = undefined;
    this.#context.texts.end();
    this.#context.tools.endTurn("done");
  }

  hear(heard: Heard): void {
    const { sink, texts, tools, offers } = this.#context;
    switch (heard.kind) {
      case "text":
        this.#hearText(heard.chunk);
        break;
      case "tool":
        this.#endPrompt();
        texts.end();
        tools.hear(heard.call, heard.isNew);
        break;
      case "plan":
        this.#endPrompt();
        texts.end();
        sink.fire({
          type: "entry",
          entry: { kind: "plan", id: `${sink.turn}/plan`, at: sink.clock.now(), steps: heard.steps },
        });
        break;
      case "commands":
        sink.fire({ type: "commands", commands: heard.commands });
        this.#onCommands();
        break;
      case "mode":
        this.#setMode(heard.modeId);
        break;
      case "options":
        offers.setOptions(heard.options);
        sink.fire({ type: "options", options: offers.toOptions() });
        break;
      case "title":
        sink.fire({ type: "title", title: heard.title });
        break;
      case "usage":
        this.tellUsage(heard.usage);
        break;
    }
  }

  /** More is known of what was used: the newest of each number counts. */
  tellUsage(usage: Usage): void {
    this.#usage = { ...this.#usage, ...usage };
    this.#context.sink.fire({ type: "usage", usage: this.#usage });
  }

  #hearText(chunk: TextChunk): void {
    const { profile, texts } = this.#context;
    if (chunk.usage !== undefined) this.#countRequest(chunk.usage);
    const { modeMessage } = profile;
    if (chunk.speaker === "user") {
      this.#hearPrompt(chunk.text);
    } else if (modeMessage !== undefined && chunk.text.startsWith(modeMessage)) {
      this.#setMode(chunk.text.slice(modeMessage.length).trim());
    } else if (chunk.text !== "") {
      this.#endPrompt();
      texts.add(chunk);
    }
  }

  #setMode(modeId: string): void {
    const { sink, offers } = this.#context;
    if (offers.mode === modeId) return;
    offers.setMode(modeId);
    this.#context.onModeChanged();
    sink.fire({ type: "options", options: offers.toOptions() });
  }

  /** The tokens of one request to the model, of which a turn may have many: the last one's fill the context. */
  #countRequest({ inputTokens = 0, outputTokens = 0 }: Usage): void {
    const { contextSize } = this.#context.offers;
    this.#turnUsage = {
      inputTokens: (this.#turnUsage.inputTokens ?? 0) + inputTokens,
      outputTokens: (this.#turnUsage.outputTokens ?? 0) + outputTokens,
    };
    const context = {
      contextTokens: inputTokens + outputTokens,
      ...(contextSize === undefined ? {} : { contextSize }),
    };
    this.tellUsage({ ...context, ...this.#turnUsage });
  }

  /** What the user said is known, but for a replay; and not all that is replayed as theirs is theirs. */
  #hearPrompt(text: string): void {
    const replay = this.#replay;
    if (replay === undefined || this.#context.profile.hiddenPrompts.some((start) => text.startsWith(start))) return;
    this.#context.texts.end();
    replay.prompt += text;
  }

  #endPrompt(): void {
    const replay = this.#replay;
    if (replay === undefined || replay.prompt === "") return;
    const { sink, tools } = this.#context;
    replay.count += 1;
    const id = `${replay.sessionId}/${replay.count}`;
    const blocks = [{ type: "text" as const, text: replay.prompt }];
    replay.prompt = "";
    sink.beginTurn(id);
    tools.beginTurn(id);
    const entry: PromptEntry = { kind: "prompt", id, at: sink.clock.now(), blocks };
    sink.fire({ type: "entry", entry });
  }
}
