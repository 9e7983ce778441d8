import { expect, it } from "vitest";
import type { DiffOutcome } from "../../src/diff/model.ts";
import { Proposal } from "../../src/diff/proposal.ts";
import { memoryInUse } from "../endpoint/memory-in-use.ts";
import { ownerOf } from "./registry-under-test.ts";

const accepted = (text: string): DiffOutcome => ({ kind: "accepted", text, edited: false });

/** A proposal of which only the answer is left, and what tells whether anybody still holds the answer with its text. */
function settled(): { readonly proposal: Proposal; readonly answer: WeakRef<DiffOutcome> } {
  const input = { path: "/ws/a.ts", text: "proposed", handle: "/ws/a.ts" };
  const proposal = new Proposal({ id: "p1", owner: ownerOf("one"), input, kind: "change", createdAt: 0 });
  const outcome = accepted("accepted");
  proposal.undelivered = outcome;
  proposal.settle(outcome);
  return { proposal, answer: new WeakRef(outcome) };
}

it("a settled proposal that rests holds none of its texts, and neither does the promise that it gave out", async () => {
  const { proposal, answer } = settled();
  proposal.rest();
  expect(proposal.textUnits).toBe(0);
  expect(await proposal.outcome).toMatchObject({ kind: "accepted", text: "" });
  // What a weak reference has been made for stays until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  memoryInUse();
  expect(answer.deref()).toBeUndefined();
  expect(proposal.settled?.kind).toBe("accepted");
});

it("a settled proposal that does not rest holds its answer", async () => {
  const { proposal, answer } = settled();
  await new Promise((resolve) => setImmediate(resolve));
  memoryInUse();
  expect(answer.deref()).toEqual(accepted("accepted"));
  expect(proposal.undelivered?.kind).toBe("accepted");
});
