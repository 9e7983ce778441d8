import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { portOf } from "../workspace-lab.ts";
import { createHookLab, readClaude } from "./hook-lab.ts";

const call = (path: string) => ({
  tool: "Edit",
  mode: "acceptEdits",
  input: { file_path: path, old_string: "two", new_string: "2" },
});

describe("a hook", () => {
  it("whose record has another token than its companion goes on at once, and asks the next editor on the folder", async () => {
    const { ask, companion, editor, platform, file, build } = await createHookLab();
    const records = join(platform.home, ".claude", "ide");
    const record = join(records, `${portOf(companion)}.lock`);
    const told: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(record, "utf8"));
    writeFileSync(record, JSON.stringify({ ...told, authToken: "0".repeat(43) }));
    expect(await ask("claude", call(file))).toBeUndefined();
    const second = build();
    await second.companion.start();
    expect(readdirSync(records)).toHaveLength(2);
    // Tried first: the newest.
    const later = new Date(Date.now() + 60_000);
    utimesSync(record, later, later);
    const answer = ask("claude", call(file));
    (await second.editor.nextView()).accept();
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "allow" });
    expect(editor.views).toEqual([]);
  });

  it("asks one of two editors on the folder, and no other", async () => {
    const { ask, editor, file, build } = await createHookLab();
    const second = build();
    await second.companion.start();
    const answer = ask("claude", call(file));
    const view = await Promise.race([editor.nextView(), second.editor.nextView()]);
    view.accept();
    expect(readClaude(await answer)).toMatchObject({ permissionDecision: "allow" });
    expect(editor.views.length + second.editor.views.length).toBe(1);
  });

  it("gets the user's text also where the disk is full and no draft can be kept", async () => {
    const { ask, editor, file, platform } = await createHookLab();
    const full = async (): Promise<never> => {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    };
    Object.assign(platform.files, { createExclusive: full });
    const answer = ask("claude", call(file));
    const view = await editor.nextView();
    view.type("one\n2\nmine\n");
    await expect.poll(() => editor.shownMessages.map(({ message }) => message.code)).toEqual(["draft-not-kept"]);
    view.accept();
    const { permissionDecision, updatedInput } = readClaude(await answer);
    expect([permissionDecision, JSON.stringify(updatedInput)]).toEqual(["allow", expect.stringContaining("mine")]);
  });

  it("that is interrupted takes its review back at once, and has nothing to say", async () => {
    const { ask, companion, editor, file } = await createHookLab();
    const interrupted = new AbortController();
    const answer = ask("claude", call(file), interrupted.signal);
    const view = await editor.nextView();
    interrupted.abort();
    expect(await answer).toBeUndefined();
    await editor.ended(view);
    expect([companion.proposals, companion.keptTexts]).toEqual([[], []]);
    expect(readFileSync(file, "utf8")).toContain("two");
  });

  it("that is interrupted before it has begun asks nobody", async () => {
    const { ask, editor, file } = await createHookLab();
    expect(await ask("claude", call(file), AbortSignal.abort())).toBeUndefined();
    expect(editor.views).toEqual([]);
  });

  it("that is interrupted while its editor is away waits for no other", async () => {
    const { ask, companion, editor, file } = await createHookLab();
    const interrupted = new AbortController();
    const answer = ask("claude", call(file), interrupted.signal);
    await editor.nextView();
    await companion.stop({ reload: true });
    interrupted.abort();
    // Whoever is not interrupted is refused after 20 s.
    expect(await answer).toBeUndefined();
  });
});
