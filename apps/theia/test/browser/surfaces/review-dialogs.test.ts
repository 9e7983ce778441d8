// @vitest-environment jsdom
import "../../support/simulated-theia.ts";
import { expect, it } from "vitest";
import { DecideAllDialog } from "../../../src/browser/surfaces/careful-dialogs.ts";

it.each([
  ["accept", 1, "Accept one proposal?"],
  ["accept", 2, "Accept 2 proposals?"],
  ["reject", 1, "Reject one proposal?"],
  ["reject", 2, "Reject 2 proposals?"],
] as const)("asks whether to %s %i", (verdict, count, title) => {
  const proposals = Array.from({ length: count }, (_, at) => ({ path: `${at}.txt`, agentName: "Gemini CLI" }));
  const { node } = new DecideAllDialog({ verdict, proposals } as never);
  expect(node.querySelector(".dialogTitle")?.textContent).toBe(title);
});
