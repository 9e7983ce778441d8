import { type Clock, limitText, type Logger, messageOf } from "@patchbay/core";
import type { Problem, SessionHost } from "../driver.ts";
import type { HookCallback } from "./requests.ts";
import { pathIn } from "./tool-facts.ts";

/** What `initialize` says of the hooks: which tools they are for, and how long they may take, s. A late answer blocks the tool. */
export const hooks = {
  PreToolUse: [{ matcher: "Edit|Write|MultiEdit|NotebookEdit|Read", hookCallbackIds: ["before"], timeout: 30 }],
  PostToolUse: [{ matcher: "Edit|Write|MultiEdit", hookCallbackIds: ["after"], timeout: 30 }],
} as const;

/** Every hook is answered within this, ms, whatever the editor does. */
const answerMs = 1_900;

/** How long the editor may take to find new problems behind a change, ms, and how often it is looked. */
const problemsMs = 1_000;
const lookMs = 200;

/** The most that the model is told of a file, bytes: it can read the rest. */
const toldBytes = 32_768;
const toldProblems = 50;

const goOn = { continue: true } as const;

export interface HookOptions {
  readonly host: SessionHost;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cwd: string;
  /** Unsaved changes are saved before the agent reads or writes a file. */
  readonly autosave: boolean;
}

/** Answers the hooks: saves before a tool, and tells the model afterwards what it cannot know. */
export class Hooks {
  readonly #options: HookOptions;
  /** Problems before a change, by the use of the tool. */
  readonly #baselines: Map<string, readonly Problem[]> = new Map();
  readonly #edited: Map<string, string> = new Map();

  constructor(options: HookOptions) {
    this.#options = options;
  }

  /** The user has changed what a tool writes. */
  userEdited(toolId: string, text: string): void {
    this.#edited.set(toolId, text);
  }

  /** The answer to a hook, in less than two seconds. Never rejects. */
  async answer(hook: HookCallback): Promise<Readonly<Record<string, unknown>>> {
    return await new Promise((resolve) => {
      const limit = this.#options.clock.setTimeout(() => {
        this.#options.logger.warn("A hook was answered before the editor was ready", { hook: hook.callback_id });
        resolve(this.#told(hook, []));
      }, answerMs);
      void this.#work(hook)
        .catch((error: unknown) => {
          this.#options.logger.warn("A hook failed", { reason: messageOf(error) });
          return this.#told(hook, []);
        })
        .then((answer) => {
          limit.dispose();
          resolve(answer);
        });
    });
  }

  async #work(hook: HookCallback): Promise<Readonly<Record<string, unknown>>> {
    const path = pathIn(hook.input.tool_input ?? {}, this.#options.cwd);
    if (path === undefined) return goOn;
    return hook.callback_id === "before" ? await this.#before(hook, path) : await this.#after(hook, path);
  }

  async #before(hook: HookCallback, path: string): Promise<Readonly<Record<string, unknown>>> {
    const { host, autosave } = this.#options;
    if (autosave) await host.saveIfDirty(path);
    if (hook.input.tool_name === "Read") return goOn;
    await host.aboutToWrite?.(path);
    if (hook.tool_use_id !== undefined) {
      this.#baselines.set(hook.tool_use_id, await host.problems(path));
    }
    return goOn;
  }

  async #after(hook: HookCallback, path: string): Promise<Readonly<Record<string, unknown>>> {
    const baseline = hook.tool_use_id === undefined ? undefined : this.#baselines.get(hook.tool_use_id);
    if (hook.tool_use_id !== undefined) this.#baselines.delete(hook.tool_use_id);
    const problems = baseline === undefined ? [] : await this.#newProblems(path, baseline);
    return this.#told(
      hook,
      problems.slice(0, toldProblems).map((problem) => `${path}:${problem.line}: ${problemText(problem)}`),
    );
  }

  /** Those that were not there before; what only moved to another line was. */
  async #newProblems(path: string, baseline: readonly Problem[]): Promise<readonly Problem[]> {
    const { host, clock } = this.#options;
    const begun = clock.monotonic();
    for (;;) {
      const found = added(await host.problems(path), baseline);
      if (found.length > 0 || clock.monotonic() - begun >= problemsMs) return found;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, lookMs));
    }
  }

  /** What the model is told with the result of a tool; taken once. */
  #told(hook: HookCallback, problems: readonly string[]): Readonly<Record<string, unknown>> {
    const id = hook.tool_use_id;
    if (hook.callback_id !== "after" || id === undefined) return goOn;
    const edited = this.#edited.get(id);
    this.#edited.delete(id);
    const parts = [
      ...(edited === undefined ? [] : [editedText(edited)]),
      ...(problems.length === 0 ? [] : [`<ide-diagnostics>New problems:\n${problems.join("\n")}</ide-diagnostics>`]),
    ];
    if (parts.length === 0) return goOn;
    return { ...goOn, hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: parts.join("\n\n") } };
  }
}

function editedText(text: string): string {
  const told = limitText(text, toldBytes);
  const isWhole = told.length === text.length;
  const begin =
    "This edit was changed before it was accepted, by the user or because the file had changed. Do not undo that. The file now ";
  return `${begin}${isWhole ? "reads" : "begins as follows; read it for the rest"}:\n${told}`;
}

function problemText({ severity, message, source }: Problem): string {
  return `${severity}: ${message}${source === undefined ? "" : ` (${source})`}`;
}

function added(now: readonly Problem[], before: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const problem of before) known.set(problemText(problem), (known.get(problemText(problem)) ?? 0) + 1);
  return now.filter((problem) => {
    const left = known.get(problemText(problem)) ?? 0;
    known.set(problemText(problem), left - 1);
    return left <= 0 && (problem.severity === "error" || problem.severity === "warning");
  });
}
