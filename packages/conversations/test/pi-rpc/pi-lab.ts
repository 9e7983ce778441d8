import { createNodePlatform, type LogFields, nullLogger } from "@patchbay/core";
import { createFakeClock, createMemoryChildren, type FakeClock, type ProgramHandle } from "@patchbay/testkit";
import { expect } from "vitest";
import type { FilePlace, Problem, SessionHost } from "../../src/driver.ts";
import type {
  Entry,
  PromptBlock,
  QuestionEntry,
  SessionState,
  SessionUpdate,
  ToolEntry,
} from "../../src/model/index.ts";
import { PiSession, type PiSessionOptions } from "../../src/pi-rpc/session.ts";

type Message = Readonly<Record<string, unknown>>;

const model = { id: "fake", name: "Fake", provider: "made", reasoning: true, input: ["text", "image"] };

export interface LabOptions {
  /** Of the made-up Pi. Default: those of somebody who has signed in. */
  readonly models?: readonly unknown[];
  /** It has loaded our extension. */
  readonly isAsking?: boolean;
  readonly messageCount?: number;
  /** It ends at once, having said so. */
  readonly lastWords?: string;
}

/** A session with a Pi of which a test says what it does, and all that the session told. */
export class PiLab {
  readonly clock: FakeClock = createFakeClock();
  readonly files: Map<string, string> = new Map();
  readonly saved: string[] = [];
  readonly known: Map<string, readonly Problem[]> = new Map();
  readonly heard: Message[] = [];
  readonly updates: SessionUpdate[] = [];
  readonly logged: string[] = [];
  readonly session: PiSession;
  readonly state: { isStreaming: boolean; messageCount: number };
  /** What it answers to a prompt; undefined: that it has it. */
  refusal: string | undefined;
  /** Prompts are not answered. */
  isThinking = false;
  #program: ProgramHandle | undefined;
  #prompts = 0;
  #asked = 0;

  constructor(options: LabOptions = {}, more: Partial<PiSessionOptions> = {}) {
    const { models = [model], isAsking = true, lastWords } = options;
    this.state = { isStreaming: true, messageCount: options.messageCount ?? 0 };
    const children = createMemoryChildren((handle) => {
      this.#program = handle;
      if (lastWords !== undefined) {
        handle.sayError(lastWords);
        handle.exit({ code: 1 });
      }
      if (isAsking) this.say({ type: "extension_ui_request", id: "s", method: "setStatus", statusKey: "patchbay" });
      return {
        onMessage: (message) => this.#answer(message as Message, models),
        onInputEnd: () => handle.exit({ code: 0 }),
        onSignal: (signal) => handle.exit({ signal }),
      };
    });
    const log = (message: string, fields?: LogFields): void =>
      void this.logged.push(`${message} ${JSON.stringify(fields)}`);
    this.session = new PiSession({
      ports: { children, clock: this.clock, logger: { ...nullLogger, warn: log } },
      files: createNodePlatform().files,
      host: this.#host(),
      cwd: "/project",
      start: { kind: "new" },
      launch: async (args, environment) => await Promise.resolve({ program: "/bin/pi", args, environment }),
      autosave: true,
      ...more,
    });
    this.session.onUpdate((update) => this.updates.push(update));
  }

  get program(): ProgramHandle {
    if (this.#program === undefined) throw new Error("Pi was not started.");
    return this.#program;
  }

  say(message: Message): void {
    this.program.say(message);
  }

  /** Sends a prompt, and says how its turn ended. */
  async prompt(text: string, ...more: readonly PromptBlock[]): Promise<string> {
    this.#prompts += 1;
    return await this.session.prompt({ id: `prompt-${this.#prompts}`, blocks: [{ type: "text", text }, ...more] });
  }

  /** Sends a prompt with which Pi begins. What comes back is how its turn ends. */
  async begin(text = "Do it"): Promise<{ readonly ended: Promise<string> }> {
    const count = this.told("prompt").length;
    const ended = this.prompt(text);
    await expect.poll(() => this.told("prompt").length).toBe(count + 1);
    this.say({ type: "agent_start" });
    this.say({ type: "message_end", message: { role: "user", content: [{ type: "text", text }] } });
    await expect.poll(() => this.kind).toBe("running");
    return { ended };
  }

  /** A message of the model, whole. */
  message(content: readonly unknown[], more: Message = {}): void {
    this.say({ type: "message_start", message: { role: "assistant", content: [] } });
    const usage = { input: 10, output: 5, cacheRead: 2, cacheWrite: 0 };
    this.say({ type: "message_end", message: { role: "assistant", content, stopReason: "stop", usage, ...more } });
  }

  end(): void {
    this.state.messageCount += 2;
    this.state.isStreaming = false;
    this.say({ type: "agent_end", messages: [] });
  }

  /** A tool asks whether it may run, as our extension does; what it was answered. */
  async asks(tool: string, input: Message, id = `call-${this.#asked + 1}`): Promise<() => Message | undefined> {
    this.#asked += 1;
    const request = `request-${this.#asked}`;
    this.message([{ type: "toolCall", id, name: tool, arguments: input }], { stopReason: "toolUse" });
    this.say({ type: "tool_execution_start", toolCallId: id, toolName: tool, args: input });
    this.request(request, { moment: "before", id, tool, input });
    await expect.poll(() => this.tools.some((one) => one.id === id)).toBe(true);
    return () => this.reply(request);
  }

  request(id: string, about: unknown): void {
    this.say({
      type: "extension_ui_request",
      id,
      method: "input",
      title: "patchbay",
      placeholder: JSON.stringify(about),
    });
  }

  reply(request: string): Message | undefined {
    const found = this.heard.find(({ type, id }) => type === "extension_ui_response" && id === request);
    return found === undefined ? undefined : (JSON.parse(String(found["value"])) as Message);
  }

  told(type: string): readonly Message[] {
    return this.heard.filter((one) => one["type"] === type);
  }

  /** The entries as they are now; texts as they were appended. */
  get entries(): readonly Entry[] {
    const entries = new Map<string, Entry>();
    for (const update of this.updates) {
      if (update.type === "entry") entries.set(update.entry.id, update.entry);
      if (update.type !== "append") continue;
      const known = entries.get(update.id);
      if (known?.kind === "tool") entries.set(update.id, { ...known, output: (known.output ?? "") + update.text });
      else if (update.to !== "output") {
        const text = (known?.kind === update.to ? known.text : "") + update.text;
        entries.set(update.id, { kind: update.to, id: update.id, at: 0, text, isComplete: false });
      }
    }
    return [...entries.values()];
  }

  get tools(): readonly ToolEntry[] {
    return this.entries.filter((entry) => entry.kind === "tool");
  }

  get notices(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.kind === "notice" ? [`${entry.level}: ${entry.text}`] : []));
  }

  get questions(): readonly QuestionEntry[] {
    return this.entries.filter((entry) => entry.kind === "question");
  }

  get now(): SessionState | undefined {
    return this.updates.findLast((update) => update.type === "state")?.state;
  }

  get kind(): string | undefined {
    return this.now?.kind;
  }

  /** The question that is open, once there is one. */
  async question(): Promise<QuestionEntry> {
    await expect.poll(() => this.questions.some(({ outcome }) => outcome === undefined)).toBe(true);
    const open = this.questions.find(({ outcome }) => outcome === undefined);
    if (open === undefined) throw new Error("No question is open.");
    return open;
  }

  #answer(message: Message, models: readonly unknown[]): void {
    this.heard.push(message);
    const { id, type } = message;
    const data = {
      get_state: { model: models[0] ?? null, thinkingLevel: "medium", sessionId: "session-1", ...this.state },
      get_available_models: { models },
      get_commands: { commands: [{ name: "greet", description: "Greets" }, { name: "bare" }] },
      get_session_stats: { cost: 0.5, contextUsage: { tokens: 30, contextWindow: 1000 } },
    }[String(type)];
    if (type === "extension_ui_response" || (type === "prompt" && this.isThinking)) return;
    if (type === "prompt" && this.refusal !== undefined) {
      this.say({ type: "response", id, success: false, error: this.refusal });
    } else this.say({ type: "response", id, success: true, ...(data === undefined ? {} : { data }) });
  }

  #host(): SessionHost {
    return {
      readText: async (path) => await Promise.resolve(this.files.get(path)),
      writeText: async () => await Promise.reject(new Error("Pi writes files itself.")),
      saveIfDirty: async (path) => {
        this.saved.push(path);
        return await Promise.resolve(true);
      },
      problems: async (path) => await Promise.resolve(this.known.get(path) ?? []),
      mayRead: () => true,
      locate: async (): Promise<FilePlace> => await Promise.resolve({ isInside: true, isShared: true }),
    };
  }
}

/** One that has been started. */
export async function startPi(options: LabOptions = {}, more: Partial<PiSessionOptions> = {}): Promise<PiLab> {
  const lab = new PiLab(options, more);
  await lab.session.start();
  return lab;
}
