import { join } from "node:path";
import {
  type Companion,
  type CompanionSettings,
  type CompanionState,
  type DiffOutcome,
  Emitter,
  type EditorContext,
  nullLogger,
  type Review,
  type ReviewRequest,
  type SessionInfo,
} from "@patchbay/core";
import { createFakeClock } from "@patchbay/testkit";
import { afterEach, beforeEach, vi } from "vitest";
import { registerCommands } from "../../src/commands/commands.ts";
import { readEditorFacts } from "../../src/host/editor-facts.ts";
import { createIdentity, createVimHost, type VimHost } from "../../src/host/vim-host.ts";
import type { PanelSlot } from "../../src/panel/vim-panel.ts";
import { createLazyTurns } from "../../src/turns/lazy-turns.ts";
import { readSettings } from "../../src/settings.ts";
import { SimulatedCoc } from "../simulated/simulated-coc.ts";

/** What commands ask of a companion, which listens nowhere. */
export class QuietCompanion implements Companion {
  readonly restored: Promise<void> = Promise.resolve();
  readonly environment: Companion["environment"] = { CLAUDE_CODE_SSE_PORT: "4711" };
  sessions: readonly SessionInfo[] = [];
  proposals: Companion["proposals"] = [];
  readonly keptTexts: Companion["keptTexts"] = [];
  readonly onDidChangeState: Companion["onDidChangeState"] = new Emitter<CompanionState>().event;
  readonly onDidChangeEnvironment: Companion["onDidChangeEnvironment"] = new Emitter<void>().event;
  readonly onDidChangeSessions: Companion["onDidChangeSessions"] = new Emitter<void>().event;
  readonly onDidChangeProposals: Companion["onDidChangeProposals"] = new Emitter<void>().event;
  activities: Companion["activities"] = [];
  commands: Companion["commands"];
  readonly rejected: unknown[] = [];
  readonly revealed: string[] = [];
  readonly onDidChangeActivities: Companion["onDidChangeActivities"] = new Emitter<void>().event;
  readonly mentioned: unknown[] = [];
  readonly updates: Partial<CompanionSettings>[] = [];
  state: CompanionState = { kind: "listening", port: 4711, warnings: [] };
  shared: EditorContext = { files: [] };
  /** How many agents take a mention. */
  listeners = 1;

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  removeRecordsSync(): void {}
  async accept(): Promise<boolean> {
    return false;
  }
  async reject(id: string, reason?: string): Promise<boolean> {
    this.rejected.push([id, reason]);
    return true;
  }
  async acceptAll(ids: readonly string[] = []): Promise<readonly string[]> {
    return ids;
  }
  async hold(): Promise<boolean> {
    return false;
  }
  async hunks(): Promise<undefined> {}
  async decideHunk(): ReturnType<Companion["decideHunk"]> {
    return { kind: "none" };
  }
  async undoHunk(): Promise<boolean> {
    return false;
  }
  /** The made-up reviews, which the test decides. */
  readonly reviews: { readonly request: ReviewRequest; decide(outcome: DiffOutcome): void }[] = [];
  async review(request: ReviewRequest): Promise<Review> {
    const id = `trial${this.reviews.length}`;
    const outcome = new Promise<DiffOutcome>((decide) => void this.reviews.push({ request, decide }));
    const decided = async (): Promise<boolean> => false;
    return {
      id,
      outcome,
      shown: Promise.resolve(),
      accept: decided,
      reject: decided,
      withdraw: () => {},
      toolEnded: () => {},
    };
  }
  conversationEnded(): void {}
  excludeProcesses(): void {}
  async processOf(): Promise<undefined> {}
  async readKeptText(): Promise<undefined> {}
  async saveKeptText(): Promise<undefined> {}
  async discardKeptText(): Promise<boolean> {
    return false;
  }
  async reveal(id: string): Promise<boolean> {
    this.revealed.push(id);
    return true;
  }
  mention(path: string, lines?: unknown): number {
    this.mentioned.push([path, lines]);
    return this.listeners;
  }

  mayName(): boolean {
    return true;
  }
  sharedContext(): EditorContext {
    return this.shared;
  }
  updateSettings(settings: Partial<CompanionSettings>): void {
    this.updates.push(settings);
  }
}

/** The commands as they are registered, in a simulated editor; made anew for each test of the file that asks for it. */
export function useCommandLab(): CommandLab {
  const lab = new CommandLab();
  beforeEach(() => lab.begin());
  afterEach(() => lab.end());
  return lab;
}

class CommandLab {
  coc!: SimulatedCoc;
  companion!: QuietCompanion;
  parts!: VimHost;
  /** The process of the tmux in which the editor runs. */
  tmux: number | undefined;
  panel: PanelSlot = {};

  begin(): void {
    this.coc = new SimulatedCoc();
    this.companion = new QuietCompanion();
    vi.stubEnv("HOME", this.coc.home);
    for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR"]) vi.stubEnv(name, undefined);
    this.tmux = undefined;
    this.panel = {};
  }

  end(): void {
    this.parts.dispose();
    this.coc.dispose();
    vi.unstubAllEnvs();
  }

  register(): void {
    const { coc, companion, panel } = this;
    const settings = (): ReturnType<typeof readSettings> => readSettings((name) => coc.settings.get(name));
    const { vim, temporary, folder } = coc;
    const facts = {
      ...readEditorFacts({ pid: process.pid, nvim: 0, version: "9.0.2142", cwd: folder, temporary, buffers: [] }),
      tmuxServer: this.tmux,
    };
    const identity = createIdentity(facts, undefined, "1.2.3", temporary);
    const storageDirectory = join(coc.root, "data");
    const hookProgram = join(coc.root, "patchbay-hook.cjs");
    const shared = { vim, settings, facts, identity, storageDirectory, hookProgram, logger: nullLogger };
    this.parts = createVimHost({ ...shared, coc: vim.coc, clock: createFakeClock() });
    registerCommands({
      ...shared,
      coc: coc.api,
      companion,
      parts: this.parts,
      turns: createLazyTurns(
        () => Promise.reject(new Error("none")),
        () => false,
        () => {},
      ),
      panel,
    });
  }

  /** What was started in a terminal of the editor. */
  terminals(): readonly (readonly unknown[])[] {
    return this.coc.vim.calls.filter(({ name }) => name === "patchbay#terminal#open").map(({ args }) => args);
  }

  /** What was put into the prompts of agents in terminals of the editor. */
  pasted(): readonly unknown[] {
    return this.coc.vim.calls.filter(({ name }) => name === "patchbay#hooks#paste").map(({ args }) => args[1]);
  }
}

/** An agent in a terminal of the editor. */
export const gemini: SessionInfo = {
  id: "gemini.1",
  dialect: "gemini",
  agentName: "Gemini CLI",
  state: "connected",
  since: 0,
  openProposals: 0,
  pid: process.pid,
};
