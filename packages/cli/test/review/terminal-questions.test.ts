import { describe, expect, it } from "vitest";
import { enter, prompted, propose, review, screen, setUp } from "./terminal-review-lab.ts";

setUp();

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

  it("are notices where it is about the other files of a patch: they come next", async () => {
    const rest = { ...message, code: "patch-rest", actions: ["Accept the Others", "Reject All"] };
    expect(await review.ask(rest)).toBeUndefined();
    expect(screen.text).toContain("Type: accept all, or reject all");
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
