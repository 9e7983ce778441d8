import { type LogFields, nullLogger } from "@patchbay/core";
import { createFakeClock, type FakeClock, ScriptedClaude, type ScriptedClaudeOptions } from "@patchbay/testkit";
import { expect } from "vitest";
import { ClaudeSession, type ClaudeSessionOptions } from "../../src/claude-stream/session.ts";
import type { FilePlace, Problem, SessionHost } from "../../src/driver.ts";
import type {
  Entry,
  QuestionEntry,
  SessionOption,
  SessionState,
  SessionUpdate,
  ToolEntry,
} from "../../src/model/index.ts";

/** An editor of which a test says what it has. */
export class LabHost implements SessionHost {
  readonly #files: Map<string, string>;
  readonly saved: string[] = [];
  readonly known: Map<string, readonly Problem[]> = new Map();
  readonly hidden: Set<string> = new Set();
  /** While it is set the editor does not answer. */
  isStuck = false;
  /** While it is set no file can be read. */
  areFilesStuck = false;
  /** While it is set the editor fails. */
  isBroken = false;

  constructor(files: Map<string, string>) {
    this.#files = files;
  }

  async readText(path: string): Promise<string | undefined> {
    if (this.areFilesStuck) await new Promise<never>(() => undefined);
    return await Promise.resolve(this.#files.get(path));
  }

  async writeText(): Promise<void> {
    await Promise.reject(new Error("Claude Code writes files itself."));
  }

  async saveIfDirty(path: string): Promise<boolean> {
    if (this.isStuck) await new Promise<never>(() => undefined);
    this.saved.push(path);
    return true;
  }

  async problems(path: string): Promise<readonly Problem[]> {
    if (this.isBroken) throw new Error("The editor is broken.");
    if (this.isStuck) await new Promise<never>(() => undefined);
    return this.known.get(path) ?? [];
  }

  mayRead(path: string): boolean {
    return !this.hidden.has(path);
  }

  async locate(path: string): Promise<FilePlace> {
    return await Promise.resolve({ isInside: !path.startsWith("/elsewhere/"), isShared: this.mayRead(path) });
  }
}

/** A session with a scripted Claude Code, and all that it told. */
export class ClaudeLab {
  readonly claude: ScriptedClaude;
  readonly clock: FakeClock = createFakeClock();
  readonly host: LabHost;
  readonly session: ClaudeSession;
  readonly updates: SessionUpdate[] = [];
  readonly logged: string[] = [];
  #prompts = 0;

  constructor(program: ScriptedClaudeOptions = {}, options: Partial<ClaudeSessionOptions> = {}) {
    this.claude = new ScriptedClaude(program);
    this.host = new LabHost(this.claude.files);
    const log = (message: string, fields?: LogFields): void => {
      this.logged.push(`${message} ${JSON.stringify(fields ?? {})}`);
    };
    this.session = new ClaudeSession({
      ports: { children: this.claude.children, clock: this.clock, logger: { ...nullLogger, debug: log, warn: log } },
      host: this.host,
      cwd: "/project",
      start: { kind: "new" },
      launch: async (args, environment) => await Promise.resolve(this.claude.launch(args, environment)),
      autosave: true,
      ...options,
    });
    this.session.onUpdate((update) => this.updates.push(update));
  }

  /** Sends a prompt and says how its turn ended. */
  async say(text: string): Promise<string> {
    this.#prompts += 1;
    return await this.session.prompt({ id: `prompt-${this.#prompts}`, blocks: [{ type: "text", text }] });
  }

  /** The entries as they are now, in the order of their first appearance; texts as they were appended. */
  get entries(): readonly Entry[] {
    const entries = new Map<string, Entry>();
    for (const update of this.updates) {
      if (update.type === "entry") entries.set(update.entry.id, update.entry);
      if (update.type !== "append" || update.to === "output") continue;
      const known = entries.get(update.id);
      const text = (known?.kind === update.to ? known.text : "") + update.text;
      entries.set(update.id, { kind: update.to, id: update.id, at: 0, text, isComplete: false });
    }
    return [...entries.values()];
  }

  get tools(): readonly ToolEntry[] {
    return this.entries.filter((entry) => entry.kind === "tool");
  }

  get notices(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
  }

  get questions(): readonly QuestionEntry[] {
    return this.entries.filter((entry) => entry.kind === "question");
  }

  get state(): SessionState | undefined {
    return this.updates.findLast((update) => update.type === "state")?.state;
  }

  get options(): readonly SessionOption[] {
    return this.updates.findLast((update) => update.type === "options")?.options ?? [];
  }

  get states(): readonly string[] {
    return this.updates.flatMap((update) => (update.type === "state" ? [update.state.kind] : []));
  }

  /** The question that is open, once there is one. */
  async question(): Promise<QuestionEntry> {
    await expect.poll(() => this.questions.some(({ outcome }) => outcome === undefined)).toBe(true);
    const open = this.questions.find(({ outcome }) => outcome === undefined);
    if (open === undefined) throw new Error("No question is open.");
    return open;
  }

  /** Lets time pass until something has come to its end. */
  async pass<T>(work: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const over = (): void => void (state.isOver = true);
    void work.then(over, over);
    await expect
      .poll(async () => {
        await this.clock.advanceAsync(50);
        return state.isOver;
      })
      .toBe(true);
    return await work;
  }
}

/** One that has been started. */
export async function startClaude(
  program: ScriptedClaudeOptions = {},
  options: Partial<ClaudeSessionOptions> = {},
): Promise<ClaudeLab> {
  const lab = new ClaudeLab(program, options);
  await lab.session.start();
  return lab;
}
