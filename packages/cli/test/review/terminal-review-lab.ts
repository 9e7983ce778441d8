import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DiffView, DiffViewEvents, HunkDecision } from "@patchbay/core";
import { hunkAtLine, hunksBetween, takeHunk } from "@patchbay/core/texts";
import { afterEach, beforeEach, expect } from "vitest";
import { ReviewQueue } from "../../src/host/review-queue.ts";
import { TerminalReview } from "../../src/review/terminal-review.ts";
import { createPaint } from "../../src/terminal/paint.ts";

/** A terminal whose printed lines and current prompt a test reads. */
class PaperScreen {
  readonly printed: string[] = [];
  prompt = "";
  keys = "";
  lent = 0;
  rings = 0;
  isTyping = false;
  columns: number | undefined;
  rows: number | undefined;

  print(text: string): void {
    this.printed.push(text);
  }

  printLines(text: string): void {
    this.printed.push(text);
  }

  ring(): void {
    this.rings += 1;
  }

  ask(prompt: string, keys = ""): void {
    this.isTyping = false;
    this.reword(prompt, keys);
  }

  reword(prompt: string, keys = ""): void {
    this.prompt = prompt;
    this.keys = keys;
  }

  async lend<T>(run: () => Promise<T>): Promise<T> {
    this.lent += 1;
    return await run();
  }

  get text(): string {
    return this.printed.join("\n");
  }
}

export let folder: string;
export let queue: ReviewQueue;
export let screen: PaperScreen;
export let review: TerminalReview;
let clock: number;
export let verdicts: string[];
export let commands: string[];
export let quits: number;
/** Proposals that core would not accept. */
export let refused: Set<string>;
/** Reviews whose agents will not come back. */
export let kept: Set<string>;
export let views: Map<string, DiffView>;

export function create(
  options: { readonly difftool?: string; readonly environment?: Record<string, string> } = {},
): void {
  review?.dispose();
  review = new TerminalReview({
    queue,
    screen,
    paint: createPaint(false),
    folder,
    difftool: options.difftool,
    environment: options.environment ?? {},
    monotonic: () => clock,
    command: (line) => void commands.push(line),
    accept: async (id) => {
      queue.accept(id);
      return queue.find(id) === undefined;
    },
    hunks: {
      list: async (id) => {
        const found = queue.find(id);
        return found === undefined ? undefined : hunksBetween(found.original, found.text);
      },
      decide: async (id, verdict, line) => await decideHunk(id, verdict, line),
      undo: async () => false,
    },
    rejectWithReason: async (id, reason) => {
      verdicts.push(`${id} rejected: ${reason}`);
      await views.get(id)?.close("rejected");
      return "It reads why.";
    },
    rejectCommand: (id, reason) => void verdicts.push(`${id} rejected: ${reason}`),
    kept: {
      has: (id) => kept.has(id),
      save: async (id) => {
        const name = queue.find(id)?.request.path ?? "";
        await views.get(id)?.close("accepted");
        return `saved to ${basename(name)}`;
      },
    },
    quit: () => {
      quits += 1;
    },
  });
  review.start();
}

/** What core does: the verdict comes as an update of the view, and the last one takes it away. */
async function decideHunk(id: string, verdict: "accept" | "reject", line: number): Promise<HunkDecision> {
  const found = queue.find(id);
  const hunk = found === undefined ? undefined : hunkAtLine(hunksBetween(found.original, found.text), line);
  if (found === undefined || hunk === undefined) return { kind: "none" };
  const original =
    verdict === "accept" ? takeHunk(found.text, found.original, { from: hunk.right, to: hunk.left }) : found.original;
  const text =
    verdict === "reject" ? takeHunk(found.original, found.text, { from: hunk.left, to: hunk.right }) : found.text;
  verdicts.push(`${verdict} line ${hunk.right.start}`);
  await views.get(id)?.update({
    originalText: original,
    unsaved: false,
    expectedText: found.text,
    text,
    proposedText: found.request.proposedText,
    standing: "unchanged",
  });
  const open = hunksBetween(original, text);
  if (open.length > 0) return { kind: "decided", left: open.length, next: hunkAtLine(open, line)?.right };
  await views.get(id)?.close(text === found.request.originalText ? "rejected" : "accepted");
  return { kind: "ended" };
}

/** Lets a proposal come; `name` is part of what its verdict is recorded as. */
export async function propose(name: string, text: string, agentName = "Gemini CLI"): Promise<DiffView> {
  const path = join(folder, name);
  let view: DiffView | undefined;
  // As core does: it takes the view away when the verdict counts.
  const settle = (verdict: "accepted" | "rejected"): void => void view?.close(verdict);
  const events: DiffViewEvents = {
    edited: () => {},
    accepted: (accepted) => {
      if (refused.has(name)) return;
      verdicts.push(`${name} accepted ${JSON.stringify(accepted)}`);
      settle("accepted");
    },
    rejected: () => {
      verdicts.push(`${name} rejected`);
      settle("rejected");
    },
    closed: () => verdicts.push(`${name} closed`),
  };
  const id = `${name}-${agentName}`.replaceAll(/\W/gu, "-");
  const kind = existsSync(path) ? "change" : "create";
  const originalText = kind === "create" ? "" : readFileSync(path, "utf8");
  const standing = "unchanged";
  const request = { id, agentName, path, kind, proposedText: text, originalText, unsaved: false, standing } as const;
  const opening = await queue.open({ ...request, agentPresent: true }, events);
  if (opening.kind !== "opened") throw new Error("not opened");
  view = opening.view;
  views.set(id, view);
  return view;
}

export async function prompted(part: string): Promise<void> {
  await expect.poll(() => screen.prompt).toContain(part);
}

/** Time passes, ms. */
export function wait(ms: number): void {
  clock += ms;
}

/** The user reads for a second, then answers. */
export function enter(line: string): void {
  wait(1000);
  review.line(line);
}

/** A folder, a screen and a review for each test of the file that calls this. */
export function setUp(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "patchbay-review-test-"));
    writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
    queue = new ReviewQueue();
    screen = new PaperScreen();
    clock = 0;
    verdicts = [];
    commands = [];
    quits = 0;
    refused = new Set();
    kept = new Set();
    views = new Map();
    create();
  });

  afterEach(() => {
    review.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
}
