import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnWitness } from "../../src/hooks/turn-witness.ts";
import type { MemoryDiffView } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { startTrial, type Trial } from "../../src/trial/trial.ts";
import { createWorkspaceLab, type EditorRun, type WorkspaceLab } from "../workspace-lab.ts";

interface Trying extends WorkspaceLab, EditorRun {
  readonly trial: Trial;
  readonly view: MemoryDiffView;
  /** What is in the directory for temporary files. */
  left(): readonly string[];
  /** Texts and proposals that are on disk for another run. */
  kept(): readonly string[];
}

async function tryOut(turns?: TurnWitness): Promise<Trying> {
  const lab = createWorkspaceLab();
  const run = lab.build([lab.platform.workspace], undefined, turns);
  const trial = await begin(run.companion, lab.platform);
  const view = await run.editor.nextView();
  const left = (): readonly string[] => readdirSync(lab.platform.tmp);
  const storage = join(lab.platform.root, "storage");
  const kept = (): readonly string[] =>
    existsSync(storage)
      ? readdirSync(storage, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("proposal-"))
      : [];
  return { ...lab, ...run, trial, view, left, kept };
}

async function begin(...[companion, platform]: Parameters<typeof startTrial>): Promise<Trial> {
  const trial = await startTrial(companion, platform);
  if (trial === undefined) throw new Error("There is a trial already.");
  return trial;
}

const hunkLines = async ({ companion, trial }: Trying): Promise<readonly number[]> =>
  ((await companion.hunks(trial.id)) ?? []).map(({ right }) => right.start);

describe("a trial of a review", () => {
  it("is shown without a listener, an agent or a question, although its file is nobody's", async () => {
    const trying = await tryOut();
    const { companion, editor, platform, view } = trying;
    expect(companion.state.kind).toBe("stopped");
    expect(view.request).toMatchObject({ agentName: "Patchbay", kind: "change", isTrial: true });
    expect(view.request.path.startsWith(platform.tmp)).toBe(true);
    expect(view.request.originalText).toBe(readFileSync(view.request.path, "utf8"));
    expect(view.request.originalText.split("\n")[0]).toMatch(/^\/\/ A sample .* none of your files is touched\.$/u);
    expect(editor.messages.shown).toEqual([]);
    // Each change can be decided by itself.
    expect(await hunkLines(trying)).toHaveLength(3);
  });

  it("tells what an agent would write: with single changes rejected", async () => {
    const trying = await tryOut();
    const { companion, trial, left } = trying;
    const [first = 0, second = 0, third = 0] = await hunkLines(trying);
    await companion.decideHunk(trial.id, "accept", first);
    await companion.decideHunk(trial.id, "accept", second);
    await companion.decideHunk(trial.id, "reject", third);
    const end = await trial.ended;
    expect(end).toMatchObject({ kind: "accepted", taken: 2, proposed: 3, isEdited: false });
    expect(end.kind === "accepted" && end.text).toContain("price of prices");
    expect(left()).toEqual([]);
  });

  it("tells what an agent would write: all of it, and with edits", async () => {
    const whole = await tryOut();
    await whole.companion.accept(whole.trial.id);
    expect(await whole.trial.ended).toMatchObject({ kind: "accepted", taken: 3, isEdited: false });
    const edited = await tryOut();
    edited.view.type(edited.view.text.replace('"..."', '"…"'));
    edited.view.accept();
    expect(await edited.trial.ended).toMatchObject({ kind: "accepted", taken: 2, isEdited: true });
  });

  it.each([
    ["rejected", (view: MemoryDiffView) => view.reject()],
    ["closed", (view: MemoryDiffView) => view.closeByUser()],
  ] as const)("tells that an agent would write nothing: %s, and leaves nothing behind", async (kind, act) => {
    const { companion, editor, kept, left, trial, view } = await tryOut();
    view.type("typed\n");
    await expect.poll(() => companion.proposals).toMatchObject([{ edited: true }]);
    act(view);
    expect(await trial.ended).toEqual({ kind });
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
    expect(companion.keptTexts).toEqual([]);
    expect([left(), kept()]).toEqual([[], []]);
  });

  it("is nothing that an agent did", async () => {
    const told: unknown[] = [];
    const note = (...what: readonly unknown[]): void => void told.push(what);
    const { companion, trial } = await tryOut({
      aboutToWrite: note,
      aboutToRun: note,
      accepted: note,
      turnBegan: note,
      turnEnded: note,
      wrote: note,
      ready: async () => {},
    });
    await companion.accept(trial.id);
    await trial.ended;
    expect(told).toEqual([]);
  });

  it("comes to the front when it is asked for again, and can be had anew afterwards", async () => {
    const { companion, editor, left, platform, trial, view } = await tryOut();
    editor.focus = "";
    expect(await startTrial(companion, platform)).toBeUndefined();
    expect(editor.focus).toBe(trial.id);
    expect(left()).toHaveLength(1);
    view.reject();
    await trial.ended;
    const again = await begin(companion, platform);
    expect(again.id).not.toBe(trial.id);
    expect((await editor.nextView()).request.id).toBe(again.id);
  });

  it("ends with the editor, whether that comes back or not, and the next run knows nothing of it", async () => {
    for (const reload of [true, false]) {
      const { build, companion, kept, left, trial, view } = await tryOut();
      view.type("typed\n");
      await expect.poll(() => companion.proposals).toMatchObject([{ edited: true }]);
      await companion.stop({ reload });
      expect(await trial.ended).toEqual({ kind: "stopped" });
      expect([left(), kept()]).toEqual([[], []]);
      const next = build();
      await next.companion.start();
      await next.companion.restored;
      expect([next.companion.proposals, next.companion.keptTexts]).toEqual([[], []]);
    }
  });

  it("takes away what a killed editor has left, and nothing else", async () => {
    const lab = createWorkspaceLab();
    const { companion } = lab.build();
    const make = (name: string, ageMs: number): void => {
      const directory = join(lab.platform.tmp, name);
      mkdirSync(directory);
      writeFileSync(join(directory, "sample.js"), "");
      const at = (lab.platform.clock.now() - ageMs) / 1_000;
      utimesSync(directory, at, at);
    };
    const day = 24 * 60 * 60_000;
    make("patchbay-try-old", day + 60_000);
    make("patchbay-try-new", day - 60_000);
    make("something-else", 2 * day);
    const { id } = await begin(companion, lab.platform);
    expect(
      readdirSync(lab.platform.tmp)
        .filter((name) => !name.startsWith("patchbay-try-"))
        .toSorted(),
    ).toEqual(["something-else"]);
    expect(existsSync(join(lab.platform.tmp, "patchbay-try-old"))).toBe(false);
    expect(existsSync(join(lab.platform.tmp, "patchbay-try-new"))).toBe(true);
    await companion.reject(id);
  });

  it("says what is in the way where there is no place for its file", async () => {
    const lab = createWorkspaceLab();
    const { companion } = lab.build();
    const process = { ...lab.platform.process, temporaryDirectory: join(lab.platform.root, "nowhere") };
    writeFileSync(process.temporaryDirectory, "");
    await expect(startTrial(companion, { ...lab.platform, process })).rejects.toMatchObject({
      code: "storage-failed",
      message: expect.stringContaining("nowhere"),
    });
    expect(companion.proposals).toEqual([]);
    // It can be had once that is mended.
    const { id } = await begin(companion, lab.platform);
    await companion.reject(id);
  });
});
