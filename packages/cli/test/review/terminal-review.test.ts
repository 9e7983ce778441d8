import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commands,
  create,
  enter,
  folder,
  prompted,
  propose,
  queue,
  quits,
  refused,
  review,
  screen,
  setUp,
  verdicts,
  wait,
} from "./terminal-review-lab.ts";

setUp();

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
    wait(1000);
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
    const pager = join(folder, "pager.mjs");
    writeFileSync(
      pager,
      `import { createWriteStream } from "node:fs"; process.stdin.pipe(createWriteStream(process.argv[2]));`,
    );
    create({ environment: { PAGER: `"${process.execPath}" "${pager}" "${seen}"` } });
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

  it("of a folder asks with those that are in it and below, and rejects them too", async () => {
    await propose("src/a.txt", "A\n");
    await propose("src2/b.txt", "B\n", "Qwen Code");
    await propose("src/deep/c.txt", "C\n");
    await prompted("[a]ccept");
    enter("accept all nowhere");
    expect(screen.printed.at(-1)).toBe("No proposals are waiting in nowhere.");
    await prompted(`${join("src", "a.txt")}: [a]ccept`);
    enter("reject all src");
    expect(screen.text).toContain(`  Gemini CLI wants to create ${join("src", "deep", "c.txt")}\n`);
    expect(screen.text).not.toContain(`wants to create ${join("src2", "b.txt")}\n  `);
    expect(screen.printed.at(-1)).toBe("Reject these 2 proposals?");
    expect(screen.prompt).toBe("[1] Reject All  [2] Cancel > ");
    enter("1");
    await prompted(`${join("src2", "b.txt")}: [a]ccept`);
    expect(screen.text).toContain("All 2 were rejected.");
    expect(verdicts).toEqual(["src/a.txt rejected", "src/deep/c.txt rejected"]);
    enter("accept all src2/");
    enter("1");
    await expect.poll(() => verdicts.at(-1)).toBe('src2/b.txt accepted "B\\n"');
    await prompted("patchbay > ");
    enter("reject all src");
    expect(screen.printed.at(-1)).toBe("No proposals are waiting in src.");
    expect(commands).toEqual([]);
  });

  it("of a folder is no reason, and a reason is no folder", async () => {
    await propose("src/a.txt", "A\n");
    await prompted("[a]ccept");
    enter("reject all of this is wrong");
    await expect.poll(() => verdicts).toEqual(["src-a-txt-Gemini-CLI rejected: all of this is wrong"]);
  });

  it("completes the folders in which something waits, and commands", async () => {
    await propose("src/a.txt", "A\n");
    await propose("src/deep/c.txt", "C\n");
    await propose("../outside.txt", "D\n");
    await prompted("[a]ccept");
    expect(review.complete("accept all ")).toEqual(["accept all src/", "accept all src/deep/"]);
    expect(review.complete("reject all src/d")).toEqual(["reject all src/deep/"]);
    expect(review.complete("re")).toEqual(["reject all", "review"]);
    enter("accept all");
    expect(review.complete("re")).toEqual([]);
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
