import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shownMode } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { placeholdersForWindows } from "../../src/review/outside.ts";
import {
  create,
  enter,
  folder,
  kept,
  prompted,
  propose,
  queue,
  refused,
  review,
  screen,
  setUp,
  verdicts,
  wait,
} from "./terminal-review-lab.ts";

setUp();

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
    wait(10_000);
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
    const editor = program(
      `import { existsSync } from "node:fs"; const [release, folder] = ${JSON.stringify([release, folder])};
       const look = () => existsSync(release) || !existsSync(folder) ? writeFileSync(process.argv.at(-1), "mine") : setTimeout(look, 50);
       look();`,
    );
    create({ environment: { EDITOR: editor } });
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

/** A program that stands in for an editor: it gets the file as its last argument. */
function program(body: string): string {
  const path = join(folder, "editor.mjs");
  writeFileSync(path, `import { readFileSync, writeFileSync, statSync } from "node:fs";\n${body}\n`);
  return `"${process.execPath}" "${path}"`;
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
    expect([mode, text]).toEqual([shownMode(0o600), "proposed\n"]);
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
    expect(statSync(copy).mode & 0o777).toBe(shownMode(0o600));
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

  it.each([
    ['tool "$LOCAL" "${REMOTE}" $MERGED', 'tool "%LOCAL%" "%REMOTE%" %MERGED%'],
    ["tool $LOCALE $BASE", "tool $LOCALE %BASE%"],
    ['tool "%LOCAL%"', 'tool "%LOCAL%"'],
  ])("has git's placeholders read by the command processor of Windows: %s", (tool, command) => {
    expect(placeholdersForWindows(tool)).toBe(command);
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
