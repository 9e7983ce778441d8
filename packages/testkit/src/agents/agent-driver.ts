import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type AgentId, PatchbayError, type Position } from "@patchbay/core";
import * as z from "zod";

/** Where and as whom a driven agent runs. */
export interface AgentDriverOptions {
  /** Working directory of the agent. */
  readonly cwd: string;
  readonly home: string;
  /** What `os.tmpdir()` is for the agent. */
  readonly temporaryDirectory: string;
  /** Variables of the agent's terminal; default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether accepted text is written to the file, as the real agents do. Default: true. */
  readonly writesFile?: boolean;
  /** Version that the agent tells. Default: the version whose behaviour is driven. */
  readonly version?: string;
  /** Name that its client tells. Default: the one that the driven version tells. */
  readonly clientName?: string;
  /** What the agent's walk up the process tree yields. Default: this process. */
  readonly idePid?: number;
}

export type AgentState = "idle" | "connecting" | "connected" | "disconnected";

/** What the agent knows of the editor, in editor terms (0-based) whatever its wire says. */
export interface AgentView {
  /** Most recently focused first; Claude knows one file only. */
  readonly openFiles: readonly string[];
  readonly active?: string;
  readonly cursor?: Position;
  readonly selectedText?: string;
  readonly trusted?: boolean;
}

export interface AgentMention {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end: number };
}

export interface AgentStatus {
  readonly state: AgentState;
  /** Why the agent is disconnected. */
  readonly problem?: string;
  /** Name of the editor that the agent shows to the user. */
  readonly editorName?: string;
  readonly port?: number;
  readonly tools: readonly string[];
  /** How many context messages came since the agent connected. */
  readonly contexts: number;
  /** Undefined: the agent has been told nothing, or has forgotten it on a disconnect. */
  readonly view?: AgentView;
  readonly mentions: readonly AgentMention[];
  /** How many verdicts came for which nothing waited; the real agents pass over them. */
  readonly unasked: number;
}

export interface AgentEdit {
  readonly path: string;
  /** Whole new text, in the line ends that the model uses (`\n`). */
  readonly text: string;
  /** Which of the agent's tools makes the change. Default: `edit` where the file exists, else `write`. */
  readonly tool?: "edit" | "write";
}

/** How it ended for the agent. */
export type AgentOutcome =
  | {
      readonly kind: "accepted";
      /** What the companion answered. */
      readonly received: string;
      /** What stands in the file afterwards. */
      readonly written: string;
      /** Whether the model is told that the user changed the proposal. */
      readonly userModified: boolean;
      readonly by: "editor" | "terminal";
    }
  | { readonly kind: "rejected"; readonly by: "editor" | "terminal" }
  /** The tool call failed, whatever the user says in the terminal (Gemini's way with `isError`). */
  | { readonly kind: "failed"; readonly message: string }
  /** The agent ended with the question open. */
  | { readonly kind: "lost" };

/** One edit that waits for the user, in the editor and in the agent's own terminal. */
export interface AgentProposal {
  readonly path: string;
  /** Resolves when the companion was asked and, for Gemini and Qwen, has answered; also where it could not be asked. */
  readonly asked: Promise<void>;
  /** Why the editor does not show it; the terminal still asks. */
  readonly refusal: string | undefined;
  readonly outcome: Promise<AgentOutcome>;
  /** The user answers in the agent's terminal. */
  decideInTerminal(verdict: "accept" | "reject"): Promise<AgentOutcome>;
}

/** A coding agent without a model: it speaks as the real one does, and tests say what it wants. */
export interface AgentDriver {
  readonly dialect: AgentId;
  readonly agentName: string;
  readonly status: AgentStatus;
  /** Looks for a companion and connects, as at the agent's start or `/ide enable`. Rejects with a sentence where none is found or it refuses. */
  connect(): Promise<void>;
  /** The first status that matches; rejects after `timeoutMs` (default 10,000) with what it was then. */
  until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs?: number): Promise<AgentStatus>;
  propose(edit: AgentEdit): AgentProposal;
  /** Calls any tool of the companion; resolves with its text parts or rejects with its `isError` text. */
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]>;
  /** The connection to the companion breaks; the agent goes on as the real one would. */
  cut(how: "clean" | "reset"): void;
  /** The agent ends without a goodbye, as all of them do. Idempotent. */
  end(): Promise<void>;
}

/** A question to the user that is answered once, in the editor or in the terminal. */
export class OpenQuestion {
  readonly outcome: Promise<AgentOutcome>;
  /** Why the editor does not show it. */
  refusal: string | undefined;
  #resolve: (outcome: AgentOutcome) => void = () => {};
  #answered = false;

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isAnswered(): boolean {
    return this.#answered;
  }

  /** Takes the first answer; later ones are ignored. The answer is made only if it is the first. */
  answer(outcome: () => AgentOutcome): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#resolve(outcome());
  }
}

/** A driver's status and those who wait for it to change. */
export class StatusBoard {
  #status: AgentStatus = { state: "idle", tools: [], contexts: 0, mentions: [], unasked: 0 };
  readonly #waiting: Set<() => void> = new Set();

  get status(): AgentStatus {
    return this.#status;
  }

  change(change: Partial<AgentStatus>): void {
    this.#status = { ...this.#status, ...change };
    for (const wake of Array.from(this.#waiting)) wake();
  }

  /** Everything that was known through the connection is forgotten. */
  disconnected(problem: string): void {
    const { contexts, mentions, unasked } = this.#status;
    this.#status = { state: "disconnected", problem, tools: [], contexts, mentions, unasked };
    for (const wake of Array.from(this.#waiting)) wake();
  }

  async until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs = 10_000): Promise<AgentStatus> {
    if (matches(this.#status)) return this.#status;
    return await new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const check = (): void => {
        if (!matches(this.#status)) return;
        end();
        resolve(this.#status);
      };
      const timer = setTimeout(() => {
        end();
        const seen = JSON.stringify(this.#status);
        reject(new PatchbayError("not-found", `Not seen within ${timeoutMs} ms: ${what}. Last status: ${seen}`));
      }, timeoutMs);
      this.#waiting.add(check);
    });
  }
}

const toolResultSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  isError: z.boolean().optional(),
});

/** The text parts of a tools/call result; an `isError` result is thrown as its sentence. */
export function readToolResult(result: unknown): readonly string[] {
  const { content, isError } = toolResultSchema.parse(result);
  const texts = content.flatMap((part) => (part.text === undefined ? [] : [part.text]));
  if (isError === true) throw new PatchbayError("host-failed", texts.join("\n"));
  return texts;
}

const byteOrderMark = "\uFEFF";

/** What an agent keeps in mind of a file between reading and writing it. */
export interface WorkspaceFile {
  readonly exists: boolean;
  readonly hasByteOrderMark: boolean;
  readonly usesCrLf: boolean;
}

export function inspectFile(path: string): WorkspaceFile {
  if (!existsSync(path)) return { exists: false, hasByteOrderMark: false, usesCrLf: false };
  const text = readFileSync(path, "utf8");
  return { exists: true, hasByteOrderMark: text.startsWith(byteOrderMark), usesCrLf: text.includes("\r\n") };
}

/** Puts a byte order mark in front, unless there is one. */
export function withByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text : byteOrderMark + text;
}

/** Puts a byte order mark in front, also where there is one: a client that does so shows when it is handed one too many. */
export function prependByteOrderMark(text: string): string {
  return byteOrderMark + text;
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

export function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
