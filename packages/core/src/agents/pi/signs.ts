import { memberOfAny } from "../plugin.ts";

/** How often it is looked for an editor between two events, ms. */
const lookAgainMs = 5_000;

/** A longer name of a file or command is cut, characters. */
const longestName = 40;

/** By what the line in Pi's footer is known to Pi, and its command. */
const name = "patchbay";

/** What Pi's user sees of Patchbay in Pi: a line in the footer, and what `/patchbay` answers. Never throws. */
export class PiSigns {
  readonly #editorOf: (context: unknown) => Promise<string | undefined>;
  #editor: string | undefined;
  #waitsFor: string | undefined;
  #isPaused = false;
  #context: unknown;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(editorOf: (context: unknown) => Promise<string | undefined>) {
    this.#editorOf = editorOf;
  }

  /** The user goes without reviews in this session. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** A session has begun; with `-p` nobody looks. */
  begin(context: unknown): void {
    this.end();
    this.#isPaused = false;
    if (!hasUser(context)) return;
    this.#context = context;
    // It keeps no program alive.
    this.#timer = setInterval(() => void this.look(), lookAgainMs).unref();
    void this.look();
  }

  /** The session has ended: what it gave is of no use any more. */
  end(): void {
    clearInterval(this.#timer);
    this.#context = undefined;
    this.#waitsFor = undefined;
  }

  /** The editor that would be asked now. */
  async look(): Promise<void> {
    const context = this.#context;
    if (context === undefined) return;
    const editor = await this.#editorOf(context).catch(() => undefined);
    if (this.#context !== context) return;
    this.#editor = editor;
    this.#draw();
  }

  /** The user is asked in their editor; undefined: not any more. */
  waitsFor(what: string | undefined): void {
    this.#waitsFor = what === undefined ? undefined : shortName(what);
    this.#draw();
  }

  /** `/patchbay`, with what was typed behind it. `show`: brings up in the editor what waits there. */
  async answer(typed: string, context: unknown, show: () => Promise<unknown>): Promise<void> {
    const wanted = typed.trim();
    if (wanted === "pause" || wanted === "review") this.#isPaused = wanted === "pause";
    await this.look();
    if (wanted === "review") void show();
    const isKnown = wanted === "" || subcommands.some((one) => one === wanted);
    callUi(context, "notify", isKnown ? this.#sentence() : usage, "info");
  }

  #sentence(): string {
    if (this.#editor === undefined) return "No running editor has this folder open: nothing that Pi does is reviewed.";
    const connected = `Connected to ${this.#editor}.`;
    if (this.#isPaused) return `${connected} Reviews are paused in this session; /patchbay review resumes them.`;
    return this.#waitsFor === undefined ? connected : `${connected} Waiting for your review there: ${this.#waitsFor}`;
  }

  #draw(): void {
    const state = this.#isPaused ? "reviews paused" : this.#waitsFor === undefined ? "" : `review ${this.#waitsFor}`;
    // In a terminal Patchbay is the editor.
    const editor = this.#editor === "Patchbay" ? "Patchbay" : `Patchbay: ${this.#editor ?? "no editor"}`;
    callUi(this.#context, "setStatus", name, [editor, state].filter((part) => part !== "").join(" · "));
  }
}

const subcommands = ["status", "pause", "review"] as const;

const usage = "/patchbay status, /patchbay pause (no reviews in this session), or /patchbay review (resumes them)";

/** Gives Pi the command `/patchbay`. */
export function registerCommand(host: unknown, answer: (typed: string, context: unknown) => Promise<void>): void {
  const register = memberOfAny(host, "registerCommand");
  if (typeof register !== "function") return;
  const command = {
    description: "Patchbay: status, pause, or review",
    getArgumentCompletions: (typed: string) =>
      subcommands.filter((one) => one.startsWith(typed)).map((value) => ({ value, label: value })),
    handler: async (typed: unknown, context: unknown) => {
      await answer(typeof typed === "string" ? typed : "", context).catch(() => undefined);
    },
  };
  Reflect.apply(register, host, [name, command]);
}

/** False with `-p`. */
function hasUser(context: unknown): boolean {
  try {
    return memberOfAny(context, "hasUI") === true;
  } catch {
    return false;
  }
}

/** A session that has ended throws at every touch. */
function callUi(context: unknown, method: "notify" | "setStatus", ...given: readonly string[]): void {
  try {
    const ui = memberOfAny(context, "ui");
    const found = memberOfAny(ui, method);
    if (typeof found === "function") Reflect.apply(found, ui, given);
  } catch {
    // What is only shown may be missing.
  }
}

/** On one line, without what a terminal obeys. */
function shortName(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > longestName ? `${line.slice(0, longestName)}…` : line;
}
