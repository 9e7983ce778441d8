import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { enter, folder, prompted, propose, queue, screen, setUp, verdicts, views } from "./terminal-review-lab.ts";

setUp();

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
