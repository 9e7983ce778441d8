import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyPatch, type ConversationSnapshot } from "../../src/model/snapshot.ts";
import { makeLab, textBlock } from "./conversation-lab.ts";

type Step =
  | { readonly kind: "message" | "tool" | "question"; readonly id: number; readonly text: string }
  | {
      readonly kind: "append";
      readonly to: "message" | "thought" | "output";
      readonly id: number;
      readonly text: string;
    }
  | { readonly kind: "title"; readonly text: string }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "held up" }
  | { readonly kind: "look" };

const id = fc.nat(90);
const text = fc.string({ maxLength: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("message", "tool", "question"), id, text }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("append"),
      to: fc.constantFrom("message", "thought", "output"),
      id,
      text,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("title"), text }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.nat(120) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "held up" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "look" as const }) },
);

describe("a view that applies the patches", () => {
  it("has the state of the conversation, whenever it looks, and asks for all of it after a backlog", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const lab = makeLab();
        const conversation = await lab.open();
        const prompt = conversation.prompt([textBlock("go")]);
        await expect.poll(() => lab.sessions[0]?.prompts.map((one) => one.id)).toEqual([prompt]);
        let view: ConversationSnapshot = conversation.snapshot();
        let firedAt = Number.NEGATIVE_INFINITY;
        let isLooking = false;
        conversation.onDidChange((change) => {
          if (!isLooking) expect(lab.clock.monotonic() - firedAt).toBeGreaterThanOrEqual(50);
          firedAt = lab.clock.monotonic();
          const next = change.kind === "patch" ? applyPatch(view, change.patch) : conversation.snapshot();
          if (next === undefined) throw new Error("A patch was missed.");
          view = next;
        });
        const compare = (): void => {
          isLooking = true;
          const now = conversation.snapshot();
          isLooking = false;
          const [first] = now.entries;
          const seen = view.entries.filter(({ place }) => place >= (first?.place ?? 0));
          expect({ ...view, entries: seen }).toEqual(now);
        };
        for (const one of steps) {
          switch (one.kind) {
            case "message":
              lab.session.tell({ kind: "message", id: `e${one.id}`, at: 0, text: one.text, isComplete: false });
              break;
            case "tool":
              lab.session.tell({
                kind: "tool",
                id: `e${one.id}`,
                at: 0,
                tool: "execute",
                name: "Bash",
                title: "",
                state: "running",
                output: one.text,
              });
              break;
            case "question":
              lab.session.tell({
                kind: "question",
                id: `e${one.id}`,
                at: 0,
                question: { type: "form", message: one.text, fields: [] },
                ...(one.text.length > 10 ? { outcome: { type: "withdrawn" } } : {}),
              });
              break;
            case "append":
              lab.session.say({ type: "append", id: `e${one.id}`, to: one.to, text: one.text });
              break;
            case "title":
              lab.session.say({ type: "title", title: one.text });
              break;
            case "wait":
              lab.clock.advance(one.ms);
              break;
            case "held up":
              lab.clock.holdUp(2_000);
              lab.clock.advance(0);
              break;
            case "look":
              compare();
          }
        }
        compare();
        await conversation.close();
      }),
      { numRuns: 40 },
    );
  });

  it("is told that it has missed one", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    const before = conversation.snapshot();
    const patches: number[] = [];
    let last: ConversationSnapshot | undefined;
    conversation.onDidChange((change) => {
      if (change.kind !== "patch") return;
      patches.push(change.patch.sequence);
      last = applyPatch(before, change.patch);
    });
    await conversation.rename("one");
    lab.clock.advance(50);
    await conversation.rename("two");
    lab.clock.advance(50);
    expect(patches).toEqual([before.sequence + 1, before.sequence + 2]);
    expect(last).toBeUndefined();
    await conversation.close();
  });

  it("is told to ask for all of it where it is told more than a second late", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    await conversation.rename("one");
    const kinds: string[] = [];
    conversation.onDidChange(({ kind }) => kinds.push(kind));
    lab.clock.holdUp(900);
    lab.clock.advance(0);
    await conversation.rename("two");
    lab.clock.holdUp(1_200);
    lab.clock.advance(0);
    expect(kinds).toEqual(["patch", "reset"]);
    expect(conversation.snapshot().title).toBe("two");
    await conversation.close();
  });

  it("gets one patch in 50 ms, however much is said", async () => {
    const lab = makeLab();
    const conversation = await lab.open();
    conversation.prompt([textBlock("go")]);
    await expect.poll(() => lab.sessions[0]?.isInTurn).toBe(true);
    lab.clock.advance(100);
    const patches: unknown[] = [];
    conversation.onDidChange((change) => patches.push(change.kind === "patch" ? change.patch : change));
    for (let count = 0; count < 1_000; count += 1) {
      lab.session.stream("m1", "x");
      lab.clock.advance(1);
    }
    expect(patches.length).toBeLessThanOrEqual(21);
    expect(patches.at(-1)).toMatchObject({ entries: [], appends: [{ text: "x".repeat(50) }] });
    await conversation.close();
  });
});
