import type { Diagnostic, HostDiagnostics } from "../editor-host.ts";
import { type Disposable, onAbort } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { limitText } from "../support/text.ts";
import type { Clock } from "../support/time.ts";

/** Language servers often publish twice in a row (syntax, then types), ms. */
const quietMs = 300;
/** Longest that an agent waits for them after it has written, ms. */
const longestMs = 2_000;
/** Longest that the editor may take to say what it knows, ms. */
const readMs = 400;
/** Problems that are told; of the rest only the number is. */
const mostProblems = 10;
/** Of one message, UTF-8 bytes. */
const longestMessage = 300;
/** Files whose problems before a write are remembered. */
const mostFiles = 100;

export interface SettledProblemsOptions {
  /** Undefined, or without an event: nothing is told. */
  readonly diagnostics: HostDiagnostics | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether an agent may read what the editor says of a file: messages quote it. */
  readonly mayQuote: (path: string) => boolean;
}

/** How a file stood before an agent wrote it. */
interface Before extends Disposable {
  /** Undefined: it cannot be told. */
  readonly problems: Promise<readonly Diagnostic[] | undefined>;
  /** When they changed last, on the monotonic clock, ms. */
  changedAt: number | undefined;
  wake: () => void;
}

/**
 * Tells an agent which problems a write of its own has made, once the language servers have had their say: after the first change of
 * the file's problems and a moment of quiet, or after two seconds; a kind of file of which nothing was heard is not waited for again.
 */
export class SettledProblems implements Disposable {
  readonly #options: SettledProblemsOptions;
  readonly #before: Map<string, Before> = new Map();
  /** Kinds of files for which nothing came in time once: probably no language server looks at them. */
  readonly #silent: Set<string> = new Set();

  constructor(options: SettledProblemsOptions) {
    this.#options = options;
  }

  /** An agent is about to write a file: how it stands now is what new problems are measured by. Never throws. */
  begin(owner: string, path: string): void {
    const { diagnostics, clock, mayQuote } = this.#options;
    const { onDidChange } = diagnostics ?? {};
    if (onDidChange === undefined || !mayQuote(path)) return;
    const key = keyOf(owner, path);
    this.#take(key)?.dispose();
    const listening = onDidChange(({ paths }) => {
      if (!paths.includes(path)) return;
      this.#silent.delete(extensionOf(path));
      before.changedAt = clock.monotonic();
      before.wake();
    });
    const before: Before = {
      problems: this.#read(path),
      changedAt: undefined,
      wake: () => {},
      dispose: () => listening.dispose(),
    };
    this.#before.set(key, before);
    for (const [oldest] of this.#before) if (this.#before.size > mostFiles) this.#take(oldest)?.dispose();
  }

  /** The agent has written these files: what is new, for its model to read. Undefined: nothing, or nothing is known. Never rejects. */
  async told(owner: string, paths: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const notes = await Promise.all(paths.map((path) => this.#toldOf(owner, path, signal)));
    const found = notes.filter((note) => note !== undefined);
    return found.length === 0 ? undefined : found.join("\n");
  }

  async #toldOf(owner: string, path: string, signal: AbortSignal): Promise<string | undefined> {
    const before = this.#take(keyOf(owner, path));
    if (before === undefined) return undefined;
    try {
      const known = await before.problems;
      await this.#settled(before, path, signal);
      const now = signal.aborted || known === undefined ? undefined : await this.#read(path);
      return known === undefined || now === undefined ? undefined : problemsNote(path, newProblems(known, now));
    } finally {
      before.dispose();
    }
  }

  /** An agent has gone. */
  forget(owner: string): void {
    for (const key of Array.from(this.#before.keys())) if (key.startsWith(`${owner} `)) this.#take(key)?.dispose();
  }

  dispose(): void {
    for (const key of Array.from(this.#before.keys())) this.#take(key)?.dispose();
  }

  #take(key: string): Before | undefined {
    const before = this.#before.get(key);
    this.#before.delete(key);
    return before;
  }

  async #settled(before: Before, path: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const wasHeard = before.changedAt !== undefined;
    const patienceMs = this.#silent.has(extensionOf(path)) ? quietMs : longestMs;
    // One of long ago, in the time of a review, says nothing of the write.
    if (before.changedAt !== undefined && begun - before.changedAt > longestMs) before.changedAt = undefined;
    while (!signal.aborted) {
      const due = Math.min(begun + patienceMs, (before.changedAt ?? Number.POSITIVE_INFINITY) + quietMs);
      const left = due - clock.monotonic();
      if (left <= 0) break;
      let following: Disposable | undefined;
      await new Promise<void>((resolve) => {
        const timer = clock.setTimeout(resolve, left);
        before.wake = () => {
          timer.dispose();
          resolve();
        };
        following = onAbort(signal, before.wake);
      });
      following?.dispose();
    }
    if (!wasHeard && before.changedAt === undefined && !signal.aborted) this.#silent.add(extensionOf(path));
  }

  async #read(path: string): Promise<readonly Diagnostic[] | undefined> {
    const { diagnostics, clock, logger } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), readMs);
    try {
      const files = (await diagnostics?.read(path, late.signal)) ?? [];
      return files.filter((file) => file.path === path).flatMap((file) => file.diagnostics);
    } catch (error) {
      logger.debug("The editor did not say what problems a file has", { reason: messageOf(error) });
      return undefined;
    } finally {
      timer.dispose();
    }
  }
}

/** The errors and warnings that were not there before, errors first. Where they stand does not count: lines move with a write. */
export function newProblems(before: readonly Diagnostic[], now: readonly Diagnostic[]): readonly Diagnostic[] {
  const counts = new Map<string, number>();
  for (const one of before) counts.set(kindOf(one), (counts.get(kindOf(one)) ?? 0) + 1);
  const fresh = now.filter((one) => {
    const left = counts.get(kindOf(one)) ?? 0;
    if (left > 0) counts.set(kindOf(one), left - 1);
    return left === 0;
  });
  const of = (severity: Diagnostic["severity"]): readonly Diagnostic[] =>
    fresh.filter((one) => one.severity === severity);
  return [...of("Error"), ...of("Warning")];
}

/** What the model reads. Undefined where there is nothing to tell. */
export function problemsNote(path: string, problems: readonly Diagnostic[]): string | undefined {
  if (problems.length === 0) return undefined;
  const lines = problems.slice(0, mostProblems).map(({ severity, message, range, source, code }) => {
    const from = [source, code].filter((part) => part !== undefined).join(" ");
    const said = limitText(message, longestMessage);
    return `${severity} in line ${range.start.line + 1}: ${said}${said === message ? "" : "…"}${from === "" ? "" : ` (${from})`}`;
  });
  const more = problems.length - lines.length;
  return [
    `The editor shows new problems in ${path} since this change:`,
    ...lines,
    ...(more > 0 ? [`and ${more} more.`] : []),
  ].join("\n");
}

function keyOf(owner: string, path: string): string {
  return `${owner} ${path}`;
}

/** A file's kind, as far as its name tells: `.md`, or the whole name without one. */
function extensionOf(path: string): string {
  return /(?:\.[^./\\]*|[^./\\]+)$/u.exec(path)?.[0] ?? "";
}

function kindOf({ severity, message, source = "", code = "" }: Diagnostic): string {
  return JSON.stringify([severity, message, source, code]);
}
