import type { DiffRequest } from "@patchbay/core";
import { expect, it } from "vitest";
import { OpenProposal } from "../../../src/browser/review/open-proposal.ts";

const request: DiffRequest = {
  id: "1",
  agentName: "Gemini CLI",
  path: "/workspace/a b#1.txt",
  kind: "change",
  originalText: "one\r\n",
  unsaved: false,
  standing: "unchanged",
  proposedText: "one\r\ntwo\n",
  agentPresent: true,
};

it("counts a document that nobody touched as what was given, whatever line ends the editor made of it", () => {
  const proposal = new OpenProposal(request);
  proposal.loaded("one\ntwo\n");
  expect(proposal.textOf("one\ntwo\n")).toEqual({ kind: "unchanged" });
  expect(proposal.textOf("one\ntwo")).toEqual({ kind: "edited", text: "one\ntwo" });
});

it("counts from what an update gave once the file has changed", () => {
  const proposal = new OpenProposal(request);
  proposal.loaded("one\ntwo\n");
  const text = "one\r\ntwo\nthree\n";
  const update = { originalText: "x", unsaved: true, expectedText: request.proposedText, text, proposedText: text };
  proposal.follow({ ...update, standing: "conflict" }, "one\ntwo\nthree\n");
  expect(proposal.heldText).toBe(text);
  expect(proposal.textOf("one\ntwo\nthree\n")).toEqual({ kind: "unchanged" });
  expect(proposal.textOf("one\ntwo\n")).toEqual({ kind: "edited", text: "one\ntwo\n" });
  expect(proposal.request).toMatchObject({ originalText: "x", unsaved: true, standing: "conflict" });
});

it("names the file, the agent, and what is special", () => {
  const titleOf = (facts: Partial<DiffRequest>): string => new OpenProposal({ ...request, ...facts }).title;
  expect(titleOf({})).toBe("a b#1.txt (Gemini CLI)");
  expect(titleOf({ kind: "create" })).toBe("a b#1.txt (Gemini CLI, new file)");
  expect(titleOf({ agentPresent: false, unsaved: true })).toBe(
    "Away: a b#1.txt (Gemini CLI, compared with unsaved text, the agent is not connected)",
  );
  expect(titleOf({ agentPresent: false, decidedBy: "terminal" })).toBe(
    "a b#1.txt (Gemini CLI, answer in the agent's terminal)",
  );
  expect(titleOf({ isReadOnly: true })).toBe("a b#1.txt (Gemini CLI, read-only)");
  expect(titleOf({ standing: "merged" })).toBe("a b#1.txt (Gemini CLI, merged with changes to the file)");
  // The file itself may be as it was.
  expect(titleOf({ unsaved: true, standing: "merged" })).toBe("a b#1.txt (Gemini CLI, merged with unsaved text)");
  expect(titleOf({ standing: "conflict" })).toBe("Conflict: a b#1.txt (Gemini CLI, resolve, then accept)");
  const kept = new OpenProposal({ ...request, agentPresent: false });
  kept.isKept = true;
  expect(kept.title).toBe("Kept: a b#1.txt (Gemini CLI, your text is kept)");
});

it("tells once that it is over, and at once where it is", () => {
  const proposal = new OpenProposal(request);
  const told: string[] = [];
  proposal.onDidEnd(() => told.push("early"));
  proposal.end();
  proposal.end();
  proposal.onDidEnd(() => told.push("late"));
  expect(told).toEqual(["early", "late"]);
});
