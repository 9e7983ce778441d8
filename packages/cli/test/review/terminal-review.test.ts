import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DiffView, DiffViewEvents } from "@patchbay/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ReviewQueue } from "../../src/host/review-queue.ts";
import { TerminalReview } from "../../src/review/terminal-review.ts";
import { createPaint } from "../../src/terminal/paint.ts";

// Real programs are started, on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 30_000 });

/** A terminal whose printed lines and current prompt a test reads. */
class PaperScreen {
  readonly printed: string[] = [];
  prompt = "";
  lent = 0;

  print(text: string): void {
    this.printed.push(text);
  }

  ask(prompt: string): void {
    this.prompt = prompt;
  }

  async lend<T>(run: () => Promise<T>): Promise<T> {
    this.lent += 1;
    return await run();
  }

  get text(): string {
    return this.printed.join("\n");
  }
}

let folder: string;
let queue: ReviewQueue;
let screen: PaperScreen;
let review: TerminalReview;
let clock: number;
let verdicts: string[];
let commands: string[];
let quits: number;

function create(options: { readonly difftool?: string; readonly environment?: Record<string, string> } = {}): void {
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
    quit: () => {
      quits += 1;
    },
  });
  review.start();
}

/** Lets a proposal come; `name` is part of what its verdict is recorded as. */
async function propose(name: string, text: string, agentName = "Gemini CLI"): Promise<DiffView> {
  const path = join(folder, name);
  const events: DiffViewEvents = {
    edited: () => {},
    accepted: (accepted) => verdicts.push(`${name} accepted ${JSON.stringify(accepted)}`),
    rejected: () => verdicts.push(`${name} rejected`),
    closed: () => verdicts.push(`${name} closed`),
  };
  const id = `${name}-${agentName}`.replaceAll(/\W/gu, "-");
  const kind = existsSync(path) ? "change" : "create";
  const originalText = kind === "create" ? "" : readFileSync(path, "utf8");
  const standing = "unchanged";
  const request = { id, agentName, path, kind, proposedText: text, originalText, unsaved: false, standing } as const;
  const opening = await queue.open({ ...request, agentPresent: true }, events);
  if (opening.kind !== "opened") throw new Error("not opened");
  return opening.view;
}

async function prompted(part: string): Promise<void> {
  await vi.waitFor(() => expect(screen.prompt).toContain(part));
}

/** The user reads for a second, then answers. */
function enter(line: string): void {
  clock += 1000;
  review.line(line);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "patchbay-review-test-"));
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  queue = new ReviewQueue();
  screen = new PaperScreen();
  clock = 0;
  verdicts = [];
  commands = [];
  quits = 0;
  create();
});

afterEach(() => {
  review.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe("a review in the terminal", () => {
  it("shows who wants what, and takes an accept", async () => {
    await propose("a.txt", "one\nTWO\n");
    await prompted("[a]ccept");
    expect(screen.text).toContain("Gemini CLI wants to change a.txt  +1 -1");
    expect(screen.text).toContain("-two\n+TWO");
    enter("a");
    expect(verdicts).toEqual(['a.txt accepted "one\\nTWO\\n"']);
    expect(screen.text).toContain("Gemini CLI writes a.txt.");
    expect(screen.prompt).toBe("patchbay > ");
  });

  it("takes a reject", async () => {
    await propose("new.txt", "new\n");
    await prompted("[r]eject");
    expect(screen.text).toContain("wants to make new.txt");
    enter("reject");
    expect(verdicts).toEqual(["new.txt rejected"]);
  });

  it("goes through several proposals, in order", async () => {
    await propose("a.txt", "A\n");
    await propose("b.txt", "B\n");
    await prompted("(1 more)");
    enter("a");
    await vi.waitFor(() => expect(screen.text).toContain("b.txt"));
    await prompted("[a]ccept");
    enter("r");
    expect(verdicts).toEqual(['a.txt accepted "A\\n"', "b.txt rejected"]);
  });

  it("skips, and comes back on command", async () => {
    await propose("a.txt", "A\n");
    await prompted("[s]kip");
    enter("s");
    expect(screen.prompt).toBe("patchbay (1 skipped: review) > ");
    enter("review");
    expect(commands).toEqual(["review"]);
    review.review(queue.waiting[0]?.request.id ?? "");
    await prompted("[a]ccept");
  });

  it("takes the question away when the agent's terminal decides", async () => {
    const view = await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    await view.close("decided-in-terminal");
    expect(screen.text).toContain("a.txt was decided in Gemini CLI's own terminal.");
    expect(screen.prompt).toBe("patchbay > ");
    enter("a");
    expect(verdicts).toEqual([]);
    expect(commands).toEqual(["a"]);
  });

  it("does not take an answer that was meant for the question before", async () => {
    const first = await propose("a.txt", "A\n");
    await propose("b.txt", "B\n");
    await prompted("(1 more)");
    clock += 1000;
    await first.close("decided-in-terminal");
    await vi.waitFor(() => expect(screen.text).toContain("b.txt"));
    await prompted("[a]ccept");
    review.line("a");
    expect(verdicts).toEqual([]);
    expect(screen.text).toContain("your answer was not used");
    enter("a");
    expect(verdicts).toEqual(['b.txt accepted "B\\n"']);
  });

  it("never lets contents or names speak to the terminal", async () => {
    await propose("e\u001b[2J.txt", "\u001b]0;owned\u0007\n", "Evil\u001b[31m");
    await prompted("[a]ccept");
    expect(screen.text).not.toContain("\u001b");
    expect(screen.text).toContain("Evil\\e[31m wants to make e\\e[2J.txt");
    enter("a");
    expect(screen.text).not.toContain("\u001b");
  });

  it("shows long changes in part, and all of them on v", async () => {
    await propose("long.txt", "x\n".repeat(1000));
    await prompted("[a]ccept");
    expect(screen.text).toContain("more lines: v shows all");
    screen.printed.length = 0;
    enter("v");
    await prompted("[a]ccept");
    expect(screen.text.split("\n").filter((line) => line === "+x")).toHaveLength(1000);
  });

  it("asks twice before it ends with proposals waiting", async () => {
    enter("q");
    expect(quits).toBe(1);
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter("q");
    expect(quits).toBe(1);
    enter("q");
    expect(quits).toBe(2);
    expect(verdicts).toEqual([]);
  });

  it("hands other lines to the surrounding program, in a review as well", async () => {
    enter("sessions");
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter("open a.txt:3");
    enter("?");
    expect(commands).toEqual(["sessions", "open a.txt:3", "help"]);
    expect(screen.prompt).toContain("[a]ccept");
  });

  it("says when the agent has gone", async () => {
    const view = await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    view.setAgentPresent(false);
    enter("v");
    await prompted("[a]ccept");
    expect(screen.text).toContain("what you decide reaches nobody");
    enter("a");
    expect(screen.text).toContain("nobody writes the file");
  });
});

describe("questions of the companion", () => {
  const message = {
    code: "outside-workspace",
    severity: "warning",
    text: "Open /etc/x?\u001b[2J",
    values: {},
    actions: ["Open", "Cancel"],
  } as const;

  it("are answered by number or word, and come before proposals", async () => {
    const answer = review.ask(message);
    expect(screen.prompt).toBe("[1] Open  [2] Cancel > ");
    expect(screen.text).not.toContain("\u001b");
    enter("3");
    enter("2");
    expect(await answer).toBe("Cancel");
    const again = review.ask(message);
    enter("open");
    expect(await again).toBe("Open");
    const none = review.ask(message);
    enter("");
    expect(await none).toBeUndefined();
  });

  it("are notices where there is nothing to choose", async () => {
    expect(await review.ask({ ...message, actions: [] })).toBeUndefined();
    expect(screen.text).toContain("Open /etc/x?\\e[2J");
  });

  it("end without an answer when the review ends", async () => {
    const answer = review.ask(message);
    review.dispose();
    expect(await answer).toBeUndefined();
  });
});

/** A program that stands in for an editor: it gets the file as its last argument. */
function program(body: string): string {
  const path = join(folder, "editor.mjs");
  writeFileSync(path, `import { readFileSync, writeFileSync, statSync } from "node:fs";\n${body}\n`);
  return `'${process.execPath}' '${path}'`;
}

describe("editing outside", () => {
  it("takes what $VISUAL saved, from a copy that only this user can read", async () => {
    const seen = join(folder, "seen.json");
    const visual = program(
      `const file = process.argv.at(-1); writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ file, mode: statSync(file).mode & 0o777, text: readFileSync(file, "utf8") })); writeFileSync(file, "by hand 😀\\r\\n");`,
    );
    create({ environment: { VISUAL: visual, EDITOR: "false" } });
    await propose("a b'c.txt", "proposed\n");
    await prompted("[e]dit");
    enter("e");
    await vi.waitFor(() => expect(screen.text).toContain("(with your edits)"), 10_000);
    const { file, mode, text } = JSON.parse(readFileSync(seen, "utf8"));
    expect([mode, text]).toEqual([0o600, "proposed\n"]);
    expect(file.endsWith("a_b_c.txt")).toBe(true);
    expect(existsSync(dirname(file))).toBe(false);
    expect(screen.lent).toBe(1);
    enter("a");
    expect(verdicts).toEqual(['a b\'c.txt accepted "by hand 😀\\r\\n"']);
  });

  it("keeps what was saved when the proposal ends meanwhile", async () => {
    create({ environment: { EDITOR: program(`writeFileSync(process.argv.at(-1), "typed for hours\\n");`) } });
    const view = await propose("a.txt", "A\n");
    await prompted("[e]dit");
    enter("e");
    await view.close("decided-in-terminal");
    await vi.waitFor(() => expect(screen.text).toContain("is kept in"), 10_000);
    const copy = /is kept in (?<path>\S+)/u.exec(screen.text)?.groups?.["path"] ?? "";
    expect(readFileSync(copy, "utf8")).toBe("typed for hours\n");
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    rmSync(dirname(copy), { recursive: true });
  });

  it("says when the editor fails, and asks again", async () => {
    create({ environment: { EDITOR: "exit 3 #" } });
    await propose("a.txt", "A\n");
    await prompted("[e]dit");
    enter("e");
    await vi.waitFor(() => expect(screen.text).toContain("ended with code 3"), 10_000);
    await prompted("[a]ccept");
  });

  it("runs a difftool with git's placeholders, and takes what was saved in $REMOTE", async () => {
    const seen = join(folder, "seen.json");
    const tool = program(
      `const [left, right] = process.argv.slice(2); writeFileSync(${JSON.stringify(seen)}, JSON.stringify([readFileSync(left, "utf8"), readFileSync(right, "utf8")])); writeFileSync(right, "merged\\n");`,
    );
    create({ difftool: `${tool} "$LOCAL" "$REMOTE"` });
    await propose("a.txt", "A\n");
    await prompted("[d]ifftool");
    enter("d");
    await vi.waitFor(() => expect(screen.text).toContain("(with your edits)"), 10_000);
    expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual(["one\ntwo\n", "A\n"]);
    enter("a");
    expect(verdicts).toEqual(['a.txt accepted "merged\\n"']);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("gives a difftool without placeholders both files as arguments", async () => {
    create({ difftool: program(`writeFileSync(process.argv[3], readFileSync(process.argv[2], "utf8") + "more\\n");`) });
    await propose("a.txt", "A\n");
    await prompted("[d]ifftool");
    enter("d");
    await vi.waitFor(() => expect(screen.text).toContain("+more"), 10_000);
  });

  it("says how to set a difftool where there is none", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter("d");
    expect(screen.text).toContain("--difftool");
  });
});
