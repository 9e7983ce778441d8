import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AcpProfile,
  AcpSession,
  AgentProcess,
  type Answer,
  createNodeChildren,
  geminiProfile,
  type QuestionEntry,
  qwenProfile,
  type SessionHost,
  type SessionStart,
  type SessionUpdate,
} from "@patchbay/conversations";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import type { AcpAct, AcpLine } from "@patchbay/testkit";
import type { AgentKind } from "../agents/agent.ts";
import { gemini } from "../agents/gemini.ts";
import { qwen } from "../agents/qwen.ts";
import { listenModelServer, type ModelServer } from "../models/model-server.ts";
import { createLab, type Lab } from "../support/lab.ts";

/** The agents whose sessions are recorded. */
export const acpKinds: Readonly<Record<AcpKindName, { readonly kind: AgentKind; readonly profile: AcpProfile }>> = {
  gemini: { kind: gemini, profile: geminiProfile },
  qwen: { kind: qwen, profile: qwenProfile },
};

export type AcpKindName = "gemini" | "qwen";

/** One scenario with a real agent: what is done is written down with all that is said. */
export class AcpStage {
  readonly kind: AgentKind;
  readonly lab: Lab;
  readonly model: ModelServer;
  readonly lines: AcpLine[] = [];
  readonly updates: SessionUpdate[] = [];
  readonly #profile: AcpProfile;
  readonly #children = createNodeChildren();
  #session: AcpSession | undefined;
  #process: AgentProcess | undefined;
  #turn: Promise<string> | undefined;
  #prompts = 0;
  #reports: string[] = [];

  private constructor(name: AcpKindName, lab: Lab, model: ModelServer) {
    const { kind, profile } = acpKinds[name];
    this.kind = kind;
    this.#profile = profile;
    this.lab = lab;
    this.model = model;
  }

  static async open(name: AcpKindName): Promise<AcpStage> {
    const { kind } = acpKinds[name];
    const lab = await createLab();
    await kind.configure(lab);
    return new AcpStage(name, lab, await listenModelServer(kind.protocol));
  }

  get session(): AcpSession {
    if (this.#session === undefined) throw new Error("no session was started");
    return this.#session;
  }

  /** What was seen, for whoever runs it. */
  get reports(): readonly string[] {
    return this.#reports;
  }

  path(name: string): string {
    return join(this.lab.workspace, name);
  }

  async text(name: string): Promise<string> {
    return await readFile(this.path(name), "utf8");
  }

  report(words: string): void {
    this.#reports.push(words);
  }

  /** Starts the agent; `environment` counts more than the scripted model's. */
  async start(
    start: SessionStart = { kind: "new" },
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const platform = createNodePlatform();
    const [program = "", ...args] = this.kind.command();
    const request = {
      program,
      args: [...args, ...this.#profile.args],
      cwd: this.lab.workspace,
      environment: { ...this.lab.env, ...this.kind.environment(this.lab, this.model.url), ...environment },
    };
    const child = new AgentProcess({ children: this.#children, clock: platform.clock, logger: nullLogger }, request);
    this.#process = child;
    const session = new AcpSession({
      profile: this.#profile,
      createProcess: () => Promise.resolve(this.#recorded(child)),
      version: "0.0.0",
      clock: platform.clock,
      logger: nullLogger,
      host: diskHost,
      cwd: this.lab.workspace,
      start,
      runId: "run",
      autosave: true,
    });
    session.onUpdate((update) => this.updates.push(update));
    this.#session = session;
    await session.start();
  }

  async file(name: string, text: string): Promise<void> {
    this.#did({ do: "file", path: name, text });
    await writeFile(this.path(name), text);
  }

  /** Sends a prompt; its turn is waited for by `end`. */
  prompt(text: string): void {
    this.#did({ do: "prompt", text });
    this.#prompts += 1;
    this.#turn = this.session.prompt({ id: `p${this.#prompts}`, blocks: [{ type: "text", text }] });
  }

  async answer(choice: string, text?: string): Promise<QuestionEntry> {
    const asked = await this.question();
    this.#did({ do: "answer", choice, ...(text === undefined ? {} : { text }) });
    answerBy(this.session, asked, choice, text);
    return asked;
  }

  async fill(values: Readonly<Record<string, string>>): Promise<void> {
    const { id } = await this.question();
    this.#did({ do: "fill", values });
    this.session.answer(id, { type: "form", values });
  }

  async option(id: string, value: string): Promise<void> {
    this.#did({ do: "option", id, value });
    await this.session.setOption(id, value);
  }

  /** Leaves the question open that is asked now. */
  async wait(): Promise<void> {
    await this.question();
    this.#did({ do: "wait" });
  }

  async interrupt(): Promise<void> {
    this.#did({ do: "interrupt" });
    await this.session.interrupt();
  }

  async end(): Promise<string> {
    const reason = (await this.#turn) ?? "no turn";
    this.#did({ do: "end" });
    return reason;
  }

  /** The question that is open. */
  async question(): Promise<QuestionEntry> {
    const find = (): QuestionEntry | undefined => {
      const questions = this.updates.flatMap((update) =>
        update.type === "entry" && update.entry.kind === "question" ? [update.entry] : [],
      );
      const newest = questions.at(-1);
      return newest?.outcome === undefined ? newest : undefined;
    };
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await this.next();
    }
  }

  /** The next update. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      const subscription = this.session.onUpdate(() => {
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Ends the process as a crash would. */
  kill(): void {
    const pid = this.#process?.pid;
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  async dispose(): Promise<void> {
    await this.close();
    this.#children.endAllSync();
    this.model.close();
    await this.lab.dispose();
  }

  #recorded(child: AgentProcess): AgentProcess {
    const send = child.send.bind(child);
    child.onMessage((body) => this.lines.push({ dir: "in", body }));
    child.send = (body) => {
      this.lines.push({ dir: "out", body });
      return send(body);
    };
    return child;
  }

  #did(act: AcpAct): void {
    this.lines.push({ dir: "user", act });
  }
}

function answerBy(session: AcpSession, { id, question }: QuestionEntry, kind: string, text: string | undefined): void {
  const found = question.type === "form" ? undefined : question.choices.find((choice) => choice.kind === kind);
  if (found === undefined) throw new Error(`there is no choice of the kind ${kind}`);
  const answer: Answer = { type: "choice", choiceId: found.id, ...(text === undefined ? {} : { text }) };
  if (!session.answer(id, answer)) throw new Error("the question was not open any more");
}

/** Files as they are on disk: no editor has them open. */
const diskHost: SessionHost = {
  readText: async (path) => await readFile(path, "utf8").catch(() => undefined),
  writeText: async (path, text) => await writeFile(path, text),
  saveIfDirty: () => Promise.resolve(false),
  problems: () => Promise.resolve([]),
  mayRead: () => true,
  locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
};
