// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest, ProposalInfo } from "@patchbay/core";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { ReviewNavigation } from "../../../src/browser/contributions/review-navigation.ts";
import { createTestBackend, settle, type TestBackend } from "../../support/backend.ts";

const request: DiffRequest = {
  id: "two",
  agentName: "Gemini CLI",
  path: "/workspace/two.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\n",
  agentPresent: true,
};

const info: ProposalInfo = {
  id: "one",
  sessionId: "1",
  agentName: "Gemini CLI",
  path: "/workspace/one.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};

/** In the order of the view: what is held comes after what waits. */
const proposals: readonly ProposalInfo[] = [
  info,
  { ...info, id: "two", createdAt: 1 },
  { ...info, id: "held", isHeld: true, state: "hidden" },
];

let theia: SimulatedTheia;
let backend: TestBackend;
let commands: CommandRegistry;

beforeEach(async () => {
  theia = new SimulatedTheia();
  backend = createTestBackend();
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
  theia.container.bind<unknown>(CommandRegistry).toConstantValue({});
  commands = theia.commands(ReviewNavigation);
});
afterEach(() => theia.dispose());

async function run(name: "next" | "previous" | "hold"): Promise<string | undefined> {
  await commands.executeCommand(patchbayCommands[name].id);
  await settle();
  return backend.companions[0]?.asked.at(-1);
}

describe("from one review to the next", () => {
  it("goes in the order of the view, around, and also to what is held", async () => {
    expect(commands.isEnabled(patchbayCommands.next.id)).toBe(false);
    theia.receive({ ...theia.attachment.status, proposals });
    expect(await run("next")).toBe("reveal one");
    expect(await run("previous")).toBe("reveal held");
    await theia.proposals.show(request);
    expect(await run("next")).toBe("reveal held");
    expect(await run("previous")).toBe("reveal one");
  });

  it("holds the review that is in front, and nothing where none is", async () => {
    expect(commands.isEnabled(patchbayCommands.hold.id)).toBe(false);
    await theia.proposals.show(request);
    expect(await run("hold")).toBe("hold two");
  });
});
