import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { DiffView, DiffViewEvents, HunkDecision } from "@patchbay/core";
import { hunkAtLine, hunksBetween, takeHunk } from "@patchbay/core/texts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

let folder: string;
let queue: ReviewQueue;
let screen: PaperScreen;
let review: TerminalReview;
let clock: number;
let verdicts: string[];
let commands: string[];
let quits: number;
/** Proposals that core would not accept. */
let refused: Set<string>;
/** Reviews whose agents will not come back. */
let kept: Set<string>;
let views: Map<string, DiffView>;

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
async function propose(name: string, text: string, agentName = "Gemini CLI"): Promise<DiffView> {
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

async function prompted(part: string): Promise<void> {
  await expect.poll(() => screen.prompt).toContain(part);
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
  refused = new Set();
  kept = new Set();
  views = new Map();
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
    expect(screen.text).toContain("wants to create new.txt");
    enter("reject");
    expect(verdicts).toEqual(["new.txt rejected"]);
  });

  it("says why with a reject", async () => {
    await propose("a.txt", "A\n");
    await propose("b.txt", "B\n");
    await prompted("(1 more)");
    review.line("r too soon");
    expect(verdicts).toEqual([]);
    enter("r keep  the first line");
    await expect.poll(() => screen.text).toContain("It reads why.");
    expect(verdicts).toEqual(["a-txt-Gemini-CLI rejected: keep the first line"]);
    await expect.poll(() => screen.text).toContain("wants to create b.txt");
    await prompted("[r]eject");
    enter("reject no need");
    await prompted("patchbay > ");
    expect(verdicts.at(-1)).toBe("b-txt-Gemini-CLI rejected: no need");
  });

  it("says why a command is not to run, and goes on", async () => {
    const question = {
      code: "agent-command",
      severity: "warning",
      text: "May Gemini CLI run “make”?",
      values: { id: "c1" },
      actions: ["Allow", "Reject"],
    } as const;
    void review.ask(question);
    void review.ask({ ...question, values: { id: "c2" } });
    enter("1 why");
    expect(screen.text).toContain("Type the number");
    enter("2 use the script");
    expect(screen.prompt).toContain("[2] Reject");
    enter("reject me neither");
    expect(verdicts).toEqual(["c1 rejected: use the script", "c2 rejected: me neither"]);
    expect(screen.prompt).toBe("patchbay > ");
    void review.ask({ ...question, code: "outside-workspace" });
    enter("2 because");
    expect(verdicts).toHaveLength(2);
  });

  it("goes through several proposals, in order", async () => {
    await propose("a.txt", "A\n");
    await propose("b.txt", "B\n");
    await prompted("(1 more)");
    enter("a");
    await expect.poll(() => screen.text).toContain("b.txt");
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
    expect(screen.text).toContain("a.txt was answered in Gemini CLI's terminal.");
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
    await expect.poll(() => screen.text).toContain("b.txt");
    await prompted("[a]ccept");
    review.line("a");
    expect(verdicts).toEqual([]);
    expect(screen.text).toContain("so your answer was not used");
    enter("a");
    expect(verdicts).toEqual(['b.txt accepted "B\\n"']);
  });

  it("never lets contents or names speak to the terminal", async () => {
    await propose("e\u001b[2J.txt", "\u001b]0;owned\u0007\n", "Evil\u001b[31m");
    await prompted("[a]ccept");
    expect(screen.text).not.toContain("\u001b");
    expect(screen.text).toContain("Evil\\e[31m wants to create e\\e[2J.txt");
    enter("a");
    expect(screen.text).not.toContain("\u001b");
  });

  it("shows long changes in part, and all of them on v", async () => {
    await propose("long.txt", "x\n".repeat(1000));
    await prompted("[a]ccept");
    expect(screen.text).toContain("more lines: v shows all of it");
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
    expect(commands).toEqual(["sessions", "open a.txt:3"]);
    expect(screen.prompt).toContain("[a]ccept");
  });

  it.each(["help", "?", "h"])("explains the keys of a review on %s", async (word) => {
    create({ difftool: "meld" });
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter(word);
    expect(commands).toEqual([]);
    for (const key of [
      "a  accept: Gemini CLI writes a.txt",
      "r  reject",
      "e  edit",
      "v  view",
      "d  open it in the difftool",
    ]) {
      expect(screen.text).toContain(key);
    }
    expect(screen.prompt).toContain("[a]ccept");
  });

  it("names the file in the prompt, takes single keys, and fits into a narrow terminal", async () => {
    await propose("a.txt", "A\n");
    await prompted("a.txt: [a]ccept");
    expect(screen.keys).toBe("arpevsqh?");
    screen.columns = 45;
    await propose("a-rather-long-name-of-a-file.txt", "B\n");
    expect(screen.prompt).toBe("a.txt [a,r,p,e,v,s,q,?] (1 more) > ");
    enter("review");
    enter("r");
    await prompted("of-a-file.txt [a,r,p,e,v,s,q,?] > ");
    expect(screen.prompt.length).toBeLessThan(45);
    screen.ask("");
    expect(screen.keys).toBe("");
  });

  it("rings for every proposal, and says at once who else waits", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    expect(screen.rings).toBe(1);
    expect(screen.text).not.toContain("wait");
    await propose("b.txt", "B\n", "Qwen Code");
    expect(screen.rings).toBe(2);
    expect(screen.text).toContain("Qwen Code wants to create b.txt: 2 proposals are waiting.");
    expect(screen.prompt).toContain("(1 more)");
    const third = await propose("c.txt", "C\n");
    expect(screen.prompt).toContain("(2 more)");
    await third.close("decided-in-terminal");
    expect(screen.prompt).toContain("(1 more)");
  });

  it("does not interrupt a line that is being typed, and asks when it was entered or taken back", async () => {
    screen.isTyping = true;
    await propose("a.txt", "A\n");
    expect(screen.text).toContain("Gemini CLI wants to change a.txt: it is waiting for you.");
    expect([screen.rings, screen.keys, screen.prompt]).toEqual([1, "", "patchbay (1 waiting) > "]);
    enter("open a.txt");
    expect(commands).toEqual(["open a.txt"]);
    screen.isTyping = false;
    await prompted("[a]ccept");
    enter("r");
    expect(verdicts).toEqual(["a.txt rejected"]);
    screen.isTyping = true;
    await propose("b.txt", "B\n");
    screen.isTyping = false;
    review.emptied();
    await prompted("b.txt: [a]ccept");
  });

  it("shows as much as the screen has room for, and the rest in the pager", async () => {
    const seen = join(folder, "seen.txt");
    create({ environment: { PAGER: `cat > '${seen}'` } });
    screen.rows = 24;
    await propose("long.txt", "\u001b[2Jx\n".repeat(100));
    await prompted("[a]ccept");
    expect(screen.text.split("\n").length).toBeLessThan(24);
    expect(screen.text).toContain("more lines: v shows all of it");
    enter("v");
    await prompted("[a]ccept");
    expect(screen.lent).toBe(1);
    const paged = readFileSync(seen, "utf8");
    expect(paged.split("\n").filter((line) => line === "+\\e[2Jx")).toHaveLength(100);
    expect(paged).not.toContain("\u001b");
  });

  it("prints the rest where the pager does not run", async () => {
    create({ environment: { PAGER: "exit 127 #" } });
    screen.rows = 24;
    await propose("long.txt", "x\n".repeat(100));
    await prompted("[a]ccept");
    screen.printed.length = 0;
    enter("v");
    await prompted("[a]ccept");
    expect(screen.text.split("\n").filter((line) => line === "+x")).toHaveLength(100);
  });

  it("says when the agent has gone", async () => {
    const view = await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    view.setAgentPresent(false);
    enter("v");
    await prompted("[a]ccept");
    expect(screen.text).toContain("your decision won't be sent");
    enter("a");
    expect(screen.text).toContain("so the file was not changed");
  });
});

describe("a file that changes under its review", () => {
  const merged = {
    originalText: "one\ntwo\nthree\n",
    unsaved: false,
    expectedText: "ONE\ntwo\n",
    text: "ONE\ntwo\nthree\n",
    proposedText: "ONE\ntwo\nthree\n",
    standing: "merged",
  } as const;
  const inConflict = "<<<<<<< current file\n1\n=======\nONE\n>>>>>>> proposed change\ntwo\n";
  // Nobody has typed: what is shown counts as the proposal.
  const conflict = {
    ...merged,
    text: inConflict,
    proposedText: inConflict,
    standing: "conflict",
  } as const;

  it("is shown anew, both sides, and an answer to what stood there before does not count", async () => {
    const view = await propose("a.txt", "ONE\ntwo\n");
    await prompted("[a]ccept");
    screen.printed.length = 0;
    clock += 10_000;
    expect(await view.update(merged)).toBe("applied");
    expect(screen.text).toContain("a.txt has changed. The proposal now:");
    await expect.poll(() => screen.text).toContain("-one\n+ONE\n two\n three");
    expect(screen.text).toContain("the proposal includes those changes");
    expect(screen.rings).toBe(2);
    await prompted("[a]ccept");
    review.line("a");
    expect(verdicts).toEqual([]);
    enter("a");
    expect(verdicts).toEqual(['a.txt accepted "ONE\\ntwo\\nthree\\n"']);
  });

  it("is a conflict where both changed the same lines: accept is refused until it is resolved in the editor", async () => {
    create({ environment: { EDITOR: program(`writeFileSync(process.argv.at(-1), "both\\ntwo\\n");`) } });
    const view = await propose("a.txt", "ONE\ntwo\n");
    await prompted("[a]ccept");
    refused.add("a.txt");
    await view.update(conflict);
    await expect.poll(() => screen.text).toContain("+<<<<<<< current file");
    expect(screen.text).toContain("a.txt has changed in the same lines. Both versions are between");
    await prompted("[a]ccept");
    enter("a");
    const path = join(folder, "a.txt");
    await review.ask({ code: "not-accepted-conflict", severity: "warning", text: "", values: { path }, actions: [] });
    expect(screen.printed.at(-1)).toContain("Not accepted: a.txt has changed in the same lines.");
    expect(screen.printed.at(-1)).toContain("Press e");
    expect(verdicts).toEqual([]);
    refused.clear();
    enter("e");
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("(with your edits)");
    await prompted("[a]ccept");
    enter("a");
    expect(verdicts).toEqual(['a.txt accepted "both\\ntwo\\n"']);
  });

  it("waits while the text is being edited, so that nothing of the file is taken back", async () => {
    const release = join(folder, "release");
    create({
      environment: {
        EDITOR: `until test -e '${release}' || ! test -d '${folder}'; do sleep 0.05; done; printf mine >`,
      },
    });
    const view = await propose("a.txt", "ONE\ntwo\n");
    await prompted("[e]dit");
    enter("e");
    await expect.poll(() => screen.lent).toBe(1);
    expect(await view.update(merged)).toBe("stale");
    writeFileSync(release, "");
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("(with your edits)");
    expect(await view.update({ ...merged, expectedText: "mine", text: "mine\nthree\n" })).toBe("applied");
    expect(await view.currentText()).toBe("mine\nthree\n");
    expect(await view.update(merged)).toBe("stale");
    await view.close("superseded");
    expect(await view.update(merged)).toBe("gone");
  });
});

describe("a text that no agent takes any more", () => {
  const id = "a-txt-Gemini-CLI";

  it("is written or discarded, never accepted", async () => {
    const view = await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    kept.add(id);
    view.setAgentPresent(false);
    expect(screen.prompt).toContain("a.txt: [w]rite [r]emove [e]dit");
    expect(screen.keys).toBe("awrevsqh?");
    expect(screen.text).toContain("Gemini CLI is no longer waiting for this. Your text is kept: w writes it to a.txt");
    enter("?");
    expect(screen.text).toContain("w  write your text to a.txt");
    enter("a");
    expect(verdicts).toEqual([]);
    enter("accept all");
    expect(screen.text).toContain("No proposals are waiting.");
    enter("w");
    await prompted("patchbay > ");
    expect(screen.printed.at(-1)).toBe("saved to a.txt");
    expect(verdicts).toEqual([]);
  });

  it("is gone when it was discarded", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    kept.add(id);
    enter("r");
    expect(queue.find(id)).toBeDefined();
    expect(screen.text).toContain("Press r again to discard your text permanently.");
    enter("r");
    expect(screen.text).toContain("Your text was discarded.");
    expect(screen.text).not.toContain("Rejected");
  });
});

describe("accepting all", () => {
  it("asks with a list and a count, and says how many it were", async () => {
    await propose("a.txt", "A\n");
    await propose("b.txt", "B\n", "Qwen Code");
    await propose("c.txt", "C\n");
    await prompted("[a]ccept");
    refused.add("b.txt");
    enter("accept all");
    expect(screen.text).toContain("  Qwen Code wants to create b.txt\n");
    expect(screen.printed.at(-1)).toBe("Accept these 3 proposals?");
    expect(screen.prompt).toBe("[1] Accept All  [2] Cancel > ");
    enter("1");
    await prompted("b.txt: [a]ccept");
    expect(verdicts).toEqual(['a.txt accepted "A\\n"', 'c.txt accepted "C\\n"']);
    expect(screen.text).toContain("2 of 3 were accepted.");
  });

  it("accepts nothing when the answer is another one", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter("accept all");
    enter("2");
    await prompted("[a]ccept");
    expect(verdicts).toEqual([]);
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

  it("are named during a review, and asked after it", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    const answer = review.ask(message);
    expect(screen.text).toContain("Open /etc/x?\\e[2J You will be asked next.");
    expect(screen.rings).toBe(2);
    enter("r");
    await prompted("[1] Open");
    enter("1");
    expect(await answer).toBe("Open");
  });

  it("are notices where a kept text is offered: the list has it", async () => {
    const offer = { ...message, actions: ["Save to File"] };
    expect(await review.ask(offer)).toBeUndefined();
    expect(screen.text).toContain("Type: kept");
    expect(screen.prompt).toBe("patchbay > ");
  });

  it("go away when they are answered elsewhere", async () => {
    const elsewhere = new AbortController();
    const answer = review.ask({ ...message, signal: elsewhere.signal });
    expect(screen.prompt).toContain("[1] Open");
    elsewhere.abort();
    expect(await answer).toBeUndefined();
    expect(screen.prompt).toBe("patchbay > ");
    expect(screen.text).toContain("This was answered elsewhere.");
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
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("(with your edits)");
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
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("What you saved is in");
    const copy = /What you saved is in (?<path>\S+)/u.exec(screen.text)?.groups?.["path"] ?? "";
    expect(readFileSync(copy, "utf8")).toBe("typed for hours\n");
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    rmSync(dirname(copy), { recursive: true });
  });

  it("says when the editor fails, and asks again", async () => {
    create({ environment: { EDITOR: "exit 3 #" } });
    await propose("a.txt", "A\n");
    await prompted("[e]dit");
    enter("e");
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("exited with code 3");
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
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("(with your edits)");
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
    await expect.poll(() => screen.text, { timeout: 10_000 }).toContain("+more");
  });

  it("says how to set a difftool where there is none", async () => {
    await propose("a.txt", "A\n");
    await prompted("[a]ccept");
    enter("d");
    expect(screen.text).toContain("--difftool");
  });
});

describe("a review hunk by hunk", () => {
  const proposed = "ONE\ntwo\n3\n4\nFIVE\nsix\n7\n8\nNINE\n";

  async function patching(): Promise<void> {
    writeFileSync(join(folder, "p.txt"), "one\ntwo\n3\n4\nfive\nsix\n7\n8\nnine\n");
    await propose("p.txt", proposed);
    await prompted("[p]atch");
    enter("p");
    await prompted("(1 of 3) Accept this hunk of p.txt [y,n,q,a,d,e,u,?]?");
  }

  it("draws one after the other, and takes verdicts as git add -p does", async () => {
    await patching();
    expect(screen.keys).toBe("ynqadeu?");
    expect(screen.printed.at(-1)).toBe("@@ -1,4 +1,4 @@\n-one\n+ONE\n two\n 3\n 4");
    enter("y");
    await prompted("(2 of 3)");
    expect(screen.printed.at(-1)).toBe("@@ -2,7 +2,7 @@\n two\n 3\n 4\n-five\n+FIVE\n six\n 7\n 8");
    enter("n");
    await prompted("(3 of 3)");
    enter("y");
    await prompted("patchbay > ");
    expect(verdicts).toEqual(["accept line 0", "reject line 4", "accept line 8"]);
    expect(screen.text).toContain("p.txt was accepted.");
    expect(screen.text).not.toContain("has changed");
  });

  it("leaves the rest undecided with q, and asks about the whole proposal again", async () => {
    await patching();
    enter("n");
    await prompted("(2 of 3)");
    enter("q");
    await prompted("[a]ccept");
    expect(screen.text).toContain("(with your edits)");
    enter("a");
    expect(verdicts).toEqual(["reject line 0", `p.txt accepted ${JSON.stringify(proposed.replace("ONE", "one"))}`]);
  });

  it("accepts this and all later ones with a", async () => {
    await patching();
    enter("n");
    await prompted("(2 of 3)");
    enter("a");
    await prompted("patchbay > ");
    expect(verdicts.at(-1)).toBe(`p.txt accepted ${JSON.stringify(proposed.replace("ONE", "one"))}`);
  });

  it("rejects this and all later ones with d", async () => {
    await patching();
    enter("d");
    await prompted("patchbay > ");
    expect(verdicts).toEqual(["reject line 0", "reject line 4", "reject line 8"]);
    expect(screen.text).toContain("p.txt was rejected.");
  });

  it("does not use an answer to what has changed meanwhile", async () => {
    await patching();
    const [waiting] = queue.waiting;
    await views.get(waiting?.request.id ?? "")?.update({
      originalText: "zero\none\ntwo\n3\n4\nfive\nsix\n7\n8\nnine\n",
      unsaved: false,
      expectedText: proposed,
      text: `zero\n${proposed}`,
      proposedText: `zero\n${proposed}`,
      standing: "merged",
    });
    enter("y");
    await expect.poll(() => screen.text).toContain("p.txt has changed, so your answer was not used.");
    expect(verdicts).toEqual([]);
    await prompted("(1 of 3)");
    enter("y");
    await prompted("(2 of 3)");
    expect(verdicts).toEqual(["accept line 1"]);
  });

  it("ends with the proposal, whoever decides it", async () => {
    await patching();
    await views.get(queue.waiting[0]?.request.id ?? "")?.close("decided-in-terminal");
    await prompted("patchbay > ");
    expect(screen.text).toContain("p.txt was answered in Gemini CLI's terminal.");
  });

  it("explains its keys, and says when nothing is there to take back", async () => {
    await patching();
    enter("?");
    await expect.poll(() => screen.text).toContain("n  reject this hunk: the proposal loses it");
    await prompted("(1 of 3)");
    enter("u");
    await expect.poll(() => screen.text).toContain("There is no verdict on a hunk to undo.");
  });
});
