import { createFakeClock, createMemoryEditor } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import type { EditorContext } from "../../src/context/model.ts";
import { readExclusions } from "../../src/context/exclusions.ts";
import { createSharingPolicy } from "../../src/context/sharing-policy.ts";

function start(options: { readonly exclude?: readonly string[] } = {}) {
  const clock = createFakeClock();
  const editor = createMemoryEditor({ folders: ["/ws"] });
  const policy = createSharingPolicy({
    shareSelection: true,
    isExcluded: readExclusions(options.exclude ?? [], false).excludes,
  });
  const tracker = new ContextTracker({ host: editor, clock, policy }).follow();
  const updates: EditorContext[] = [];
  tracker.onDidUpdate((context) => updates.push(context));
  return { clock, editor, tracker, updates };
}

describe("context tracker", () => {
  it("orders files by when they were focused last and makes only the newest active", () => {
    const { clock, editor, tracker } = start();
    editor.openFile("/ws/a.ts", "a");
    clock.advance(1_000);
    editor.openFile("/ws/b.ts", "b");
    clock.advance(1_000);
    editor.focusFile("/ws/a.ts");
    const context = tracker.current();
    expect(context.files.map((file) => file.path)).toEqual(["/ws/a.ts", "/ws/b.ts"]);
    expect(context.files[0]?.timestamp).toBe(clock.now());
    expect(context.active?.path).toBe("/ws/a.ts");
  });

  it("names a file once that is open twice", () => {
    const { editor, tracker } = start();
    Object.assign(editor.editors, { openFiles: () => ["/ws/a.ts", "/ws/b.ts", "/ws/a.ts"] });
    expect(tracker.current().files.map(({ path }) => path)).toEqual(["/ws/a.ts", "/ws/b.ts"]);
  });

  it("forgets when a file was focused that was closed since", () => {
    const { clock, editor, tracker } = start();
    const before = clock.now();
    clock.advance(1_000);
    editor.openFile("/ws/a.ts", "a");
    editor.closeFile("/ws/a.ts");
    Object.assign(editor.editors, { openFiles: () => ["/ws/a.ts"] });
    expect(tracker.current().files[0]?.timestamp).toBeLessThan(before);
  });

  it("tells that the workspace is trusted now, and nothing else has changed", () => {
    const { clock, editor, updates } = start();
    editor.setTrusted(false);
    clock.advance(1_000);
    editor.setTrusted(true);
    clock.advance(1_000);
    expect(updates.map(({ trusted }) => trusted)).toEqual([false, true]);
  });

  it("does not wait once more where the timer comes a part of a millisecond early, as Node's do", () => {
    const clock = createFakeClock();
    const early = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimeout: (callback: () => void, ms: number) => clock.setTimeout(callback, ms > 1 ? ms - 0.4 : ms),
    };
    const editor = createMemoryEditor({ folders: ["/ws"] });
    const policy = createSharingPolicy({ shareSelection: true });
    const tracker = new ContextTracker({ host: editor, clock: early, policy }).follow();
    let updates = 0;
    tracker.onDidUpdate(() => (updates += 1));
    editor.openFile("/ws/a.ts", "a");
    clock.advance(49);
    expect(updates).toBe(0);
    clock.advance(0.7);
    expect(updates).toBe(1);
  });

  it("C02 names at most 10 files", () => {
    const { editor, tracker } = start();
    for (let index = 0; index < 25; index += 1) editor.openFile(`/ws/${index}.ts`, "");
    expect(tracker.current().files).toHaveLength(10);
    expect(tracker.current().files[0]?.path).toBe("/ws/24.ts");
  });

  it("tells the rest where the selected text cannot be read", () => {
    const { clock, editor } = start();
    const active = { path: "/ws/gone.ts", cursor: { line: 0, character: 4 } };
    const selection = { start: { line: 0, character: 0 }, end: active.cursor };
    const readSelection = (): string => {
      throw new Error("The file is gone.");
    };
    const editors = {
      openFiles: () => [active.path],
      active: () => ({ ...active, selection, readSelection }),
      onDidChange: editor.editors.onDidChange,
    };
    const policy = createSharingPolicy({ shareSelection: true });
    const tracker = new ContextTracker({ host: { editors, workspace: editor.workspace }, clock, policy });
    expect(tracker.current()).toMatchObject({ files: [{ path: active.path }], active });
    expect(tracker.current().active).not.toHaveProperty("selection");
  });

  it("waits 50 ms after the last change", () => {
    const { clock, editor, updates } = start();
    editor.openFile("/ws/a.ts", "a");
    clock.advance(49);
    expect(updates).toHaveLength(0);
    clock.advance(1);
    expect(updates).toHaveLength(1);
  });

  it("C03 a held arrow key still gives at least 8 updates in 2 s", () => {
    const { clock, editor, updates } = start();
    editor.openFile("/ws/a.ts", "\n".repeat(100));
    clock.advance(100);
    const before = updates.length;
    for (let step = 0; step < 66; step += 1) {
      editor.setCursor({ line: step, character: 0 });
      clock.advance(30);
    }
    expect(updates.length - before).toBeGreaterThanOrEqual(8);
  });

  it("C04 equal states push nothing", () => {
    const { clock, editor, updates } = start();
    editor.openFile("/ws/a.ts", "a");
    clock.advance(100);
    for (let round = 0; round < 10; round += 1) {
      editor.focusFile("/ws/a.ts");
      clock.advance(200);
    }
    expect(updates).toHaveLength(1);
  });

  it("reads the editor once for a thousand cursor moves in one burst", () => {
    const { clock, editor } = start();
    editor.openFile("/ws/a.ts", "x".repeat(2_000));
    clock.advance(100);
    const before = editor.reads.active;
    for (let step = 0; step < 1_000; step += 1) editor.setCursor({ line: 0, character: step });
    clock.advance(100);
    expect(editor.reads.active - before).toBe(1);
  });

  it("says when a file is closed and when a selection is cleared", () => {
    const { clock, editor, updates } = start();
    editor.openFile("/ws/a.ts", "hello");
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 4 } });
    clock.advance(100);
    expect(updates.at(-1)?.active?.selection?.text).toBe("hell");
    editor.setCursor({ line: 0, character: 1 });
    clock.advance(100);
    expect(updates.at(-1)?.active).toEqual({ path: "/ws/a.ts", cursor: { line: 0, character: 1 } });
    editor.closeFile("/ws/a.ts");
    clock.advance(100);
    expect(updates.at(-1)).toEqual({ files: [], trusted: true });
  });

  it("C06 names a secret file but never sends its text", () => {
    const { editor, tracker } = start();
    editor.openFile("/ws/.env", "TOKEN=1");
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 7 } });
    const context = tracker.current();
    expect(context.active).toEqual({ path: "/ws/.env", cursor: context.active?.cursor });
    expect(JSON.stringify(context)).not.toContain("TOKEN");
    expect(editor.reads.selection).toBe(0);
  });

  it("leaves an excluded file out, also while the user is in it", () => {
    const { editor, tracker } = start({ exclude: ["*.log"] });
    editor.openFile("/ws/a.ts", "");
    editor.openFile("/ws/b.log", "");
    expect(tracker.current()).toEqual({ files: [expect.objectContaining({ path: "/ws/a.ts" })], trusted: true });
  });

  it("shares nothing while paused, and everything again afterwards", () => {
    const { clock, editor, tracker, updates } = start();
    editor.openFile("/ws/a.ts", "");
    clock.advance(100);
    tracker.setPolicy(createSharingPolicy({ shareSelection: true }), false);
    clock.advance(100);
    expect(updates.at(-1)).toEqual({ files: [], trusted: true });
    tracker.setPolicy(createSharingPolicy({ shareSelection: true }), true);
    clock.advance(100);
    expect(updates.at(-1)?.files).toHaveLength(1);
  });

  it("keeps the active file newest after the clock went back", () => {
    const { clock, editor, tracker } = start();
    editor.openFile("/ws/a.ts", "");
    clock.jump(-60_000);
    editor.openFile("/ws/b.ts", "");
    const { files } = tracker.current();
    expect(files[0]?.path).toBe("/ws/b.ts");
    expect(files[0]?.timestamp).toBeGreaterThanOrEqual(files[1]?.timestamp ?? 0);
  });

  it("a state from before is told again after an agent was given another one in between", () => {
    const { clock, editor, tracker, updates } = start();
    editor.openFile("/ws/a.ts", "a\nb\n");
    clock.advance(100);
    expect(updates).toHaveLength(1);
    editor.setCursor({ line: 1, character: 0 });
    expect(tracker.snapshot().active?.cursor).toEqual({ line: 1, character: 0 });
    editor.setCursor({ line: 0, character: 0 });
    clock.advance(100);
    expect(updates).toHaveLength(2);
    expect(updates[1]?.active?.cursor).toEqual({ line: 0, character: 0 });
  });
});
