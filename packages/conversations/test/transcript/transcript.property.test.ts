import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/model/entries.ts";
import { appendText } from "../../src/model/snapshot.ts";
import { makeTranscriptLab, message } from "./transcript-lab.ts";

type Step =
  | { readonly kind: "new"; readonly text: string }
  | { readonly kind: "upsert"; readonly at: number; readonly text: string }
  | { readonly kind: "append"; readonly at: number; readonly text: string }
  | { readonly kind: "flush" }
  | { readonly kind: "reopen" }
  | { readonly kind: "compact" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("new" as const), text: fc.string({ unit: "binary" }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("upsert" as const, "append" as const),
      at: fc.nat(30),
      text: fc.string({ maxLength: 200 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "flush" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "reopen" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "compact" as const }) },
);

describe("a transcript", () => {
  it("holds what was said, however it was flushed, read, compacted and opened anew", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 20 }),
        async (steps, from, count) => {
          const lab = makeTranscriptLab();
          let transcript = await lab.open();
          const model: Entry[] = [];
          for (const one of steps) {
            if (one.kind === "flush") await transcript.flush();
            else if (one.kind === "compact") {
              await transcript.flush();
              await transcript.compact();
            } else if (one.kind === "reopen") {
              await transcript.close();
              transcript = await lab.open();
            } else if (one.kind === "new") {
              const entry = message(`m${model.length}`, one.text, false);
              transcript.upsert(model.length, entry);
              model.push(entry);
            } else {
              const place = one.at % Math.max(1, model.length);
              const before = model[place];
              if (before === undefined) continue;
              const after = one.kind === "append" ? appendText(before, one.text) : message(before.id, one.text);
              model[place] = after;
              if (one.kind === "append") transcript.append(place, one.text);
              else transcript.upsert(place, after);
            }
          }
          await transcript.flush();
          const placed = model.map((entry, place) => ({ place, entry }));
          expect(await transcript.before(from, count)).toEqual(
            placed.slice(Math.max(0, Math.min(from, model.length) - count), from),
          );
          expect(await (await lab.open()).before(Number.POSITIVE_INFINITY, 1_000)).toEqual(placed);
        },
      ),
      { numRuns: 60 },
    );
  });
});
