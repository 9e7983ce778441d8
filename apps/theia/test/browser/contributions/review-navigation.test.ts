// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest, ProposalInfo } from "@patchbay/core";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { ReviewNavigation } from "../../../src/browser/contributions/review-navigation.ts";
import { proposalIdOf } from "../../../src/browser/review/proposal-resources.ts";
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

const asked = (): string | undefined => backend.companions[0]?.asked.at(-1);

/** The user accepts a review. */
function decide(id: string): void {
  const proposal = theia.proposals.proposalOf(theia.editors.all.find(({ editor }) => proposalIdOf(editor.uri) === id));
  if (proposal === undefined) throw new Error(`${id} is not shown`);
  theia.proposals.accept(proposal);
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

  it("goes through those that are shown all, and with a verdict on one to the next of them", async () => {
    const all = [...proposals, { ...info, id: "three", createdAt: 3 }];
    theia.receive({ ...theia.attachment.status, proposals: all });
    await commands.executeCommand(patchbayCommands.showAll.id, ["two", "three", "held"]);
    await settle();
    expect(asked()).toBe("reveal two");
    await theia.proposals.show(request);
    // Round those that are meant.
    expect(await run("next")).toBe("reveal three");
    expect(await run("previous")).toBe("reveal three");
    const [open] = theia.proposals.ids;
    expect(open).toBe("two");
    await theia.proposals.reveal("two");
    const before = backend.companions[0]?.asked.length;
    decide("two");
    // It may not be possible: the next one comes when this one has gone.
    theia.receive({ ...theia.attachment.status, proposals: all });
    await settle();
    expect(backend.companions[0]?.asked).toHaveLength(before ?? 0);
    theia.receive({ ...theia.attachment.status, proposals: all.filter(({ id }) => id !== "two") });
    await settle();
    expect(asked()).toBe("reveal three");
    expect(backend.companions[0]?.asked).toHaveLength((before ?? 0) + 1);
  });

  it("begins with the first of all that wait, and stays where one is decided that is not gone through", async () => {
    theia.receive({ ...theia.attachment.status, proposals });
    await theia.proposals.show(request);
    decide("two");
    theia.receive({ ...theia.attachment.status, proposals: proposals.filter(({ id }) => id !== "two") });
    await settle();
    expect(asked()).toBeUndefined();
    await commands.executeCommand(patchbayCommands.showAll.id, undefined);
    await settle();
    expect(asked()).toBe("reveal one");
    await commands.executeCommand(patchbayCommands.showAll.id, ["held"]);
    expect(theia.messages.said).toEqual(["info: No proposals are open."]);
  });

  it("holds the review that is in front, and nothing where none is", async () => {
    expect(commands.isEnabled(patchbayCommands.hold.id)).toBe(false);
    await theia.proposals.show(request);
    expect(await run("hold")).toBe("hold two");
  });
});
