import { expect, it } from "vitest";
import { proposalLabel } from "../../src/commands/review-list.ts";

it("says who wants what, and what is special about it", () => {
  const proposal = { id: "1", sessionId: "s", agentName: "Qwen Code", path: "/w/a.ts", edited: false } as const;
  expect(proposalLabel({ ...proposal, kind: "change", state: "shown" })).toBe("Qwen Code changes a.ts  /w/a.ts");
  expect(proposalLabel({ ...proposal, kind: "delete", state: "kept", edited: true })).toBe(
    "Qwen Code empties a.ts  /w/a.ts  [edited, the agent has gone]",
  );
});
