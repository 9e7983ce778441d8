import { spawn, type SpawnOptions } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { messageOf, PatchbayError } from "@patchbay/core";
import type { Review, ReviewQueue } from "../host/review-queue.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { presentReview } from "./present-review.ts";

export interface OutsideOptions {
  readonly queue: Pick<ReviewQueue, "edit" | "hold">;
  readonly screen: Pick<Screen, "print" | "printLines" | "lend" | "columns" | "rows">;
  readonly paint: Paint;
  readonly folder: string;
  readonly difftool: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reviews whose agents will not come back. */
  readonly kept: { has(id: string): boolean };
}

/** Shows all of a change: in the pager where it is longer than the screen. Never rejects. */
export async function showAll(review: Review, options: OutsideOptions): Promise<void> {
  const { screen, paint, folder, environment, kept } = options;
  try {
    const lines = await presentReview(review, {
      paint,
      folder,
      maximumLines: Number.POSITIVE_INFINITY,
      columns: screen.columns,
      isKept: kept.has(review.request.id),
    });
    const text = lines.join("\n");
    const isLong = screen.rows !== undefined && lines.length > screen.rows - 2;
    const isShown =
      isLong &&
      (await screen.lend(async () => {
        return await showInPager(`${text.trimStart()}\n`, environment, folder).then(
          () => true,
          () => false,
        );
      }));
    if (!isShown) screen.printLines(text);
  } catch (error) {
    screen.print(escapeText(messageOf(error)));
  }
}

/** Has a proposal edited in another program, to which the terminal is lent. Never rejects. */
export async function editOutside(review: Review, tool: "editor" | "difftool", options: OutsideOptions): Promise<void> {
  const { queue, screen, folder, environment, difftool } = options;
  const { id, path } = review.request;
  try {
    // What is saved there is made from this text: until then it stays as it is, whatever becomes of the file.
    queue.hold(id);
    const request: ExternalEditRequest = { path, original: review.original, text: review.text, cwd: folder };
    const edit = await screen.lend(async () =>
      tool === "editor" || difftool === undefined
        ? await editInEditor(request, environment)
        : await editInDifftool(request, difftool),
    );
    take(id, edit, request.text, options);
  } catch (error) {
    queue.edit(id, review.text);
    screen.print(escapeText(messageOf(error)));
  }
}

/** What was saved outside becomes the proposal; where that has ended meanwhile, the copy stays for the user. */
function take(id: string, edit: ExternalEdit, before: string, { queue, screen }: OutsideOptions): void {
  if (edit.problem !== undefined) screen.print(escapeText(edit.problem));
  if (queue.edit(id, edit.text) || edit.text === before) return edit.dispose();
  screen.print(`The proposal was closed while you were editing it. What you saved is in ${escapeLine(edit.copy)}`);
}

interface ExternalEditRequest {
  readonly path: string;
  /** The left side. */
  readonly original: string;
  /** What can be changed. */
  readonly text: string;
  readonly cwd: string;
}

interface ExternalEdit {
  /** What was saved. */
  readonly text: string;
  /** Where it lies. */
  readonly copy: string;
  /** What went wrong with the program, although the text could be read. */
  readonly problem: string | undefined;
  /** Removes the copies. */
  dispose(): void;
}

/** Opens a copy of the proposal in the user's editor: $VISUAL, then $EDITOR, then vi (notepad on Windows). */
async function editInEditor(
  request: ExternalEditRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExternalEdit> {
  const command = firstOf(environment["VISUAL"], environment["EDITOR"]) ?? defaultEditor();
  return await editCopy(request, (_local, copy) => ({ command, args: [copy], environment: {}, cwd: request.cwd }));
}

/**
 * Opens file and proposal in a difftool, with git's placeholders as variables: LOCAL is a copy of the file, REMOTE one of
 * the proposal; MERGED and BASE are set for tools that want them. Never the file itself: only the agent writes that.
 */
async function editInDifftool(request: ExternalEditRequest, tool: string): Promise<ExternalEdit> {
  const command = process.platform === "win32" ? placeholdersForWindows(tool) : tool;
  return await editCopy(request, (local, copy) => ({
    command,
    args: /\$\{?(?:LOCAL|REMOTE|MERGED)|%(?:LOCAL|REMOTE|MERGED)%/u.test(command) ? [] : [local, copy],
    environment: { LOCAL: local, REMOTE: copy, MERGED: copy, BASE: local },
    cwd: request.cwd,
  }));
}

/** Git brings a shell of its own there, and its placeholders are what people know. */
export function placeholdersForWindows(tool: string): string {
  return tool.replaceAll(
    /\$(?:\{(?<inBraces>LOCAL|REMOTE|MERGED|BASE)\}|(?<plain>LOCAL|REMOTE|MERGED|BASE)\b)/gu,
    "%$1$2%",
  );
}

async function editCopy(
  request: ExternalEditRequest,
  program: (local: string, copy: string) => Program,
): Promise<ExternalEdit> {
  const copies = new PrivateCopies();
  try {
    const local = copies.write(request.path, "file-", request.original);
    const copy = copies.write(request.path, "proposal-", request.text);
    const problem = await runProgram(program(local, copy)).then(() => undefined, messageOf);
    return { text: copies.read(copy), copy, problem, dispose: () => copies.dispose() };
  } catch (error) {
    copies.dispose();
    throw new PatchbayError("host-failed", `The proposal could not be edited: ${messageOf(error)}`, { cause: error });
  }
}

function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== "");
}

function defaultEditor(): string {
  return process.platform === "win32" ? "notepad" : "vi";
}

/** Copies of texts in a directory that only this user can enter, for programs that want files. */
class PrivateCopies {
  readonly #directory: string;

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), "patchbay-review-"));
    chmodSync(this.#directory, 0o700);
  }

  /** Writes a copy (0600) whose name ends like the file's, so that editors know the language. `label` goes in front. */
  write(path: string, label: string, text: string): string {
    const name = basename(path).replace(/[^\p{L}\p{N}._-]/gu, "_");
    const copy = join(this.#directory, `${label}${name}`);
    writeFileSync(copy, text, { mode: 0o600, flag: "wx" });
    return copy;
  }

  read(copy: string): string {
    return readFileSync(copy, "utf8");
  }

  dispose(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

interface Program {
  /** As the user wrote it: a command line for the shell. */
  readonly command: string;
  /** Appended as arguments, quoted by nobody but us. */
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it reads; undefined: the terminal. */
  readonly input?: string;
}

/** Runs a program that takes the whole terminal. Rejects with PatchbayError `host-failed` where it cannot run or fails. */
async function runProgram(program: Program): Promise<void> {
  const { command, args, cwd, input } = program;
  const options: SpawnOptions = {
    cwd,
    stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
    env: { ...process.env, ...program.environment },
  };
  // As git does: the words of the command are the shell's business, the paths are arguments and need no quoting.
  const child =
    process.platform === "win32"
      ? spawn([command, ...args.map((arg) => `"${arg}"`)].join(" "), { ...options, shell: true })
      : spawn("/bin/sh", ["-c", args.length === 0 ? command : `${command} "$@"`, command, ...args], options);
  // A pager that was left before its end reads no more.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).catch((error: unknown) => {
    throw new PatchbayError("host-failed", `${command} could not be started.`, { cause: error });
  });
  if (code !== 0) throw new PatchbayError("host-failed", `${command} exited with code ${String(code)}.`);
}

/** Shows text (safe to print) in $PAGER, or less (more on Windows), a screen at a time. Rejects where that cannot run or fails. */
async function showInPager(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<void> {
  const { PAGER: pager = "", LESS: less } = environment;
  const command = pager !== "" ? pager : process.platform === "win32" ? "more" : "less";
  // As git does: colours are shown, a text of one screen needs no key, and it stays there.
  await runProgram({ command, args: [], environment: less === undefined ? { LESS: "FRX" } : {}, cwd, input: text });
}
