import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DiffOutcome } from "../../src/diff/model.ts";
import { parseStoredProposal, type StoredProposal, withTextsOnce } from "../../src/diff/stored-proposals.ts";

const short = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "\ufeff", "😀", '"', "\\", "\u2028", "\0") });
const text = fc.oneof(
  short,
  fc.tuple(fc.constantFrom("x", "y"), short).map(([long, end]) => long.repeat(300) + end),
);
const accepted = fc.record({ kind: fc.constant("accepted" as const), text, edited: fc.boolean() });
const outcome: fc.Arbitrary<DiffOutcome> = fc.oneof(
  accepted,
  fc.record({ kind: fc.constantFrom("rejected" as const, "closed" as const, "stopped" as const) }),
);
/** Every part that a record may have. */
const stored: fc.Arbitrary<Required<StoredProposal>> = fc.record({
  facts: fc.record({
    id: fc.stringMatching(/^[A-Za-z0-9_-]{1,16}$/u),
    owner: fc.record({
      sessionId: fc.string(),
      dialect: fc.string(),
      agentName: fc.string(),
      byteOrderMark: fc.constantFrom("as-proposed" as const, "as-on-disk" as const),
      emptiedText: fc.constantFrom("" as const, "\n" as const),
      writes: fc.constantFrom("text" as const, "edits" as const),
      outlivesConnection: fc.boolean(),
      conversationId: fc.option(fc.string(), { nil: undefined }),
      agent: fc.option(fc.string(), { nil: undefined }),
      isOfHook: fc.option(fc.boolean(), { nil: undefined }),
      process: fc.option(fc.record({ pid: fc.integer({ min: 1 }), mark: fc.string() }), { nil: undefined }),
    }),
    input: fc.record({ path: fc.string(), text, handle: fc.string() }),
    kind: fc.constantFrom("create" as const, "change" as const, "delete" as const),
    createdAt: fc.nat(),
    real: fc.option(fc.string(), { nil: undefined }),
  }),
  draft: fc.option(text, { nil: undefined }),
  base: fc.option(
    fc.record({
      file: fc.oneof(
        fc.record({ text, unsaved: fc.boolean(), readable: fc.constant(true) }),
        fc.record({ text, unsaved: fc.boolean(), readable: fc.constant(false), stamp: fc.string() }),
      ),
      proposedOn: text,
      shown: fc.option(text, { nil: undefined }),
      isRebased: fc.boolean(),
      conflict: fc.option(fc.record({ base: text, ours: text, shown: text }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  detached: fc.boolean(),
  kept: fc.option(
    fc.record({
      reason: fc.constantFrom("agent-exited" as const, "not-delivered" as const, "not-written" as const),
      since: fc.nat(),
      isShown: fc.boolean(),
    }),
    { nil: undefined },
  ),
  outcome: fc.option(outcome, { nil: undefined }),
  sentAs: fc.nat(),
  aside: fc.option(fc.constantFrom("held" as const, "listed" as const), { nil: undefined }),
  isWritten: fc.option(fc.boolean(), { nil: undefined }),
});

describe("a kept proposal", () => {
  it("comes back as it was written, to the last character", () => {
    fc.assert(
      fc.property(stored, (record) => {
        expect(parseStoredProposal(JSON.stringify(withTextsOnce(record)))).toEqual(record);
      }),
    );
  });

  it("has a long text once, however often it stands there", () => {
    fc.assert(
      fc.property(stored, (record) => {
        const input = { ...record.facts.input, text: "proposed".repeat(1000) };
        const outcome = { kind: "accepted", text: input.text, edited: false } as const;
        const whole = JSON.stringify(withTextsOnce({ ...record, facts: { ...record.facts, input }, outcome }));
        expect(whole.split(input.text)).toHaveLength(2);
      }),
    );
  });

  it("is undefined, never an exception, for any other file", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (other) => parseStoredProposal(other) === undefined));
  });

  it("is undefined where it was cut off, or where one part of it is of another kind", () => {
    fc.assert(
      fc.property(stored, fc.nat(), fc.constantFrom("facts", "detached", "sentAs"), (record, at, part) => {
        const whole = JSON.stringify(withTextsOnce(record));
        expect(parseStoredProposal(whole.slice(0, at % whole.length))).toBeUndefined();
        expect(parseStoredProposal(JSON.stringify({ ...withTextsOnce(record), [part]: "another" }))).toBeUndefined();
      }),
    );
  });
});
