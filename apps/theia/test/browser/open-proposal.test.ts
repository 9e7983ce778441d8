import type { DiffRequest } from "@patchbay/core";
import { expect, it } from "vitest";
import { OpenProposal } from "../../src/browser/open-proposal.ts";

const request: DiffRequest = {
  id: "1",
  agentName: "Gemini CLI",
  path: "/workspace/a b#1.txt",
  kind: "change",
  proposedText: "one\r\ntwo\n",
  agentPresent: true,
};

it("counts a document that nobody touched as what was given, whatever line ends the editor made of it", () => {
  const proposal = new OpenProposal(request, "file");
  proposal.loaded("one\ntwo\n");
  expect(proposal.textOf("one\ntwo\n")).toEqual({ kind: "unchanged" });
  expect(proposal.textOf("one\ntwo")).toEqual({ kind: "edited", text: "one\ntwo" });
});

it("names the file, the agent, and what is special", () => {
  expect(new OpenProposal(request, "file").title).toBe("a b#1.txt (Gemini CLI)");
  expect(new OpenProposal({ ...request, kind: "create" }, "file").title).toBe("a b#1.txt (Gemini CLI, new file)");
  const gone = new OpenProposal({ ...request, agentPresent: false }, "unsaved");
  expect(gone.title).toBe("a b#1.txt (Gemini CLI, compared with unsaved text, the agent has gone)");
});
