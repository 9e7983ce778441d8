import { createFakeClock, createMemoryEditor } from "@patchbay/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextTracker } from "../../src/context/context-tracker.ts";
import { type EditorContext, maximumOpenFiles, maximumSelectionBytes } from "../../src/context/model.ts";
import { readExclusions } from "../../src/context/exclusions.ts";
import { createSharingPolicy, isSecretPath } from "../../src/context/sharing-policy.ts";
import { encodeContextUpdate } from "../../src/agents/gemini-family/engine.ts";

type Happening =
  | { readonly kind: "open" | "close" | "focus"; readonly file: number }
  | { readonly kind: "select"; readonly line: number; readonly character: number }
  | { readonly kind: "cursor"; readonly line: number; readonly character: number }
  | { readonly kind: "trust"; readonly trusted: boolean }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number };

const files = [
  ...Array.from({ length: 12 }, (_unused, index) => `/ws/f${index}.ts`),
  "/ws/.env",
  "/ws/id_rsa",
  "/ws/hidden/secret.ts",
];
const file = fc.nat(files.length - 1);
const place = { line: fc.nat(6), character: fc.nat(40_000) };
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constantFrom("open", "open", "open", "close", "focus"), file }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("select", "cursor"), ...place }) },
  fc.record({ kind: fc.constant("trust"), trusted: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(1, 30, 60, 120, 500) }) },
  fc.record({ kind: fc.constant("jump"), ms: fc.integer({ min: -100_000, max: 100_000 }) }),
);
/** Letters of one to four bytes, and halves of pairs, which editors do hold now and then. */
const text = fc
  .array(fc.constantFrom("a", "é", "€", "😀", "\ud83d", "\ude00", "\n", "\r\n"), { maxLength: 8 })
  .map((parts) => parts.join("").repeat(3_000));

function check(context: EditorContext): void {
  const { active, files: named } = context;
  expect(named.length).toBeLessThanOrEqual(maximumOpenFiles);
  expect(new Set(named.map(({ path }) => path)).size).toBe(named.length);
  const times = named.map(({ timestamp }) => timestamp);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(named.some(({ path }) => path.includes("/hidden/"))).toBe(false);
  if (active !== undefined) {
    expect(named[0]?.path).toBe(active.path);
    const selected = active.selection?.text ?? "";
    expect(Buffer.byteLength(selected)).toBeLessThanOrEqual(maximumSelectionBytes);
    expect(selected).not.toMatch(/\p{Surrogate}/u);
    if (isSecretPath(active.path)) expect(active.selection).toBeUndefined();
  }
  // One null would disconnect the client.
  expect(encodeContextUpdate(context)).not.toContain("null");
}

describe("whatever an editor reports", () => {
  it("the context keeps its limits, its order and its secrets, and is never told twice", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 80, size: "max" }), text, (happenings, content) => {
        const clock = createFakeClock();
        let shift = 0;
        const editor = createMemoryEditor({ folders: ["/ws"] });
        const policy = createSharingPolicy({
          shareSelection: true,
          isExcluded: readExclusions(["hidden"], false).excludes,
        });
        const tracker = new ContextTracker({
          host: editor,
          policy,
          clock: {
            now: () => clock.now() + shift,
            monotonic: () => clock.monotonic(),
            setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
          },
        }).follow();
        const told: EditorContext[] = [];
        tracker.onDidUpdate((context) => told.push(context));
        const open = new Set<string>();
        for (const event of happenings) {
          if (event.kind === "wait") clock.advance(event.ms);
          else if (event.kind === "jump") shift += event.ms;
          else if (event.kind === "trust") editor.setTrusted(event.trusted);
          else if (event.kind === "select" || event.kind === "cursor") {
            if (editor.editors.active() === undefined) continue;
            const at = { line: event.line, character: event.character };
            if (event.kind === "cursor") editor.setCursor(at);
            else editor.select({ start: { line: 0, character: 0 }, end: at });
          } else {
            const path = files[event.file] ?? "";
            if (event.kind === "open") {
              editor.openFile(path, content);
              open.add(path);
            } else if (open.has(path)) {
              if (event.kind === "focus") editor.focusFile(path);
              else {
                editor.closeFile(path);
                open.delete(path);
              }
            }
          }
          check(tracker.current());
        }
        clock.advance(1_000);
        for (const context of told) check(context);
        // The last word is the truth, and no two neighbours say the same.
        if (told.length > 0) expect(told.at(-1)).toEqual(tracker.current());
        const said = told.map((context) => JSON.stringify(context));
        expect(said.every((one, index) => one !== said[index - 1])).toBe(true);
        tracker.dispose();
      }),
      { numRuns: 150 },
    );
  });
});
