import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLogger, PatchbayError } from "@patchbay/core";
import { type AcpAgent, createAcpAgent, createFakeClock, type FakeClock, type FamilyAcpAgent } from "@patchbay/testkit";
import { type AcpProfile, geminiProfile, qwenProfile } from "../../src/acp/profiles.ts";
import { AcpSession, type AcpSessionOptions } from "../../src/acp/session.ts";
import type { FilePlace, SessionHost } from "../../src/driver.ts";
import type { Entry, PromptBlock, QuestionEntry, SessionUpdate, ToolEntry } from "../../src/model/index.ts";

/** Files as an editor has them. */
export class MemoryHost implements SessionHost {
  readonly files: Map<string, string> = new Map();
  readonly saved: string[] = [];
  readonly hidden: Set<string> = new Set();
  /** Files outside of the workspace, and links that lead there. */
  readonly outside: Set<string> = new Set();

  readText(path: string): Promise<string | undefined> {
    return Promise.resolve(this.files.get(path));
  }

  writeText(path: string, text: string): Promise<void> {
    this.files.set(path, text);
    return Promise.resolve();
  }

  saveIfDirty(path: string): Promise<boolean> {
    this.saved.push(path);
    return Promise.resolve(false);
  }

  problems(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  mayRead(path: string): boolean {
    return !this.hidden.has(path);
  }

  locate(path: string): Promise<FilePlace> {
    if (path.includes("..")) return Promise.reject(new PatchbayError("path-refused", "The path climbs."));
    return Promise.resolve({ isInside: !this.outside.has(path), isShared: this.mayRead(path) });
  }
}

/** A session with an agent that a test plays, and all that it has told. */
export interface SessionLab<Agent extends AcpAgent = FamilyAcpAgent> {
  readonly agent: Agent;
  readonly session: AcpSession;
  readonly host: MemoryHost;
  readonly clock: FakeClock;
  readonly cwd: string;
  readonly updates: SessionUpdate[];
  /** A path in the session's folder. */
  path(name: string): string;
  /** Entries as they are by now, in the order of their first appearance; texts with what was appended. */
  entries(): readonly Entry[];
  tools(): readonly ToolEntry[];
  /** The question that is open; waits for it. */
  question(): Promise<QuestionEntry>;
  prompt(text: string, ...blocks: readonly PromptBlock[]): ReturnType<AcpSession["prompt"]>;
}

const folders: string[] = [];

/** Deletes the folders of the labs that were made. */
export function cleanLabs(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function geminiLab(more: Partial<AcpSessionOptions> = {}): SessionLab {
  return labWith(createAcpAgent("gemini"), geminiProfile, more);
}

export function qwenLab(more: Partial<AcpSessionOptions> = {}): SessionLab {
  return labWith(createAcpAgent("qwen"), qwenProfile, more);
}

export function labWith<Agent extends AcpAgent>(
  agent: Agent,
  profile: AcpProfile,
  more: Partial<AcpSessionOptions> = {},
): SessionLab<Agent> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "acp-")));
  folders.push(cwd);
  const host = new MemoryHost();
  const clock = createFakeClock();
  const updates: SessionUpdate[] = [];
  const session = new AcpSession({
    profile,
    createProcess: () => Promise.resolve(agent.channel),
    version: "0.0.0",
    clock,
    logger: nullLogger,
    host,
    cwd,
    start: { kind: "new" },
    runId: "run",
    autosave: true,
    ...more,
  });
  const waiting = new Set<() => void>();
  session.onUpdate((update) => {
    updates.push(update);
    for (const wake of waiting) wake();
    waiting.clear();
  });
  let prompts = 0;
  const entries = (): readonly Entry[] => entriesOf(updates);
  const openQuestion = (): QuestionEntry | undefined =>
    entries().findLast((entry): entry is QuestionEntry => entry.kind === "question" && entry.outcome === undefined);
  return {
    agent,
    session,
    host,
    clock,
    cwd,
    updates,
    path: (name) => join(cwd, name),
    entries,
    tools: () => entries().filter((entry): entry is ToolEntry => entry.kind === "tool"),
    question: async () => {
      for (let found = openQuestion(); ; found = openQuestion()) {
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    prompt: (text, ...blocks) => {
      prompts += 1;
      return session.prompt({ id: `p${prompts}`, blocks: [{ type: "text", text }, ...blocks] });
    },
  };
}

/** What the updates of a session come to. */
export function entriesOf(updates: readonly SessionUpdate[]): readonly Entry[] {
  const entries = new Map<string, Entry>();
  for (const update of updates) {
    if (update.type === "entry") entries.set(update.entry.id, update.entry);
    else if (update.type === "append") append(entries, update);
  }
  return Array.from(entries.values());
}

function append(entries: Map<string, Entry>, { id, to, text }: SessionUpdate & { readonly type: "append" }): void {
  const entry = entries.get(id);
  if (entry?.kind === "tool") entries.set(id, { ...entry, output: (entry.output ?? "") + text });
  else if (entry?.kind === "message" || entry?.kind === "thought")
    entries.set(id, { ...entry, text: entry.text + text });
  else if (to !== "output") entries.set(id, { kind: to, id, at: 0, text, isComplete: false });
}
