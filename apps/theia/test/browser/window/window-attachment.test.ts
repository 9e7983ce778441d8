// @vitest-environment jsdom
import { pressButton, SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest, DiffView, KeptText, ProposalInfo } from "@patchbay/core";
import { Deferred } from "@theia/core/lib/common/promise-util";
import { URI } from "@theia/core/lib/common/uri";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { preferenceNames } from "../../../src/common/preferences.ts";
import { createTestBackend, settle, type TestBackend } from "../../support/backend.ts";
import type { FakeCompanion } from "../../support/fake-companion.ts";
import { editorOf, type SimulatedEditor } from "../../support/simulated-editors.ts";

// A window and the backend of the application, with Theia's own connection between them.

const request: DiffRequest = {
  id: "one",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\n",
  agentPresent: true,
};

const failed =
  "error: Your decision could not be sent to the agent. The proposal stays open. Try again, or answer in the agent's terminal.";

let theia: SimulatedTheia;
let backend: TestBackend;
/** What the agent's side hears. */
let heard: string[];
let view: DiffView | undefined;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  window.sessionStorage.clear();
  theia = new SimulatedTheia();
  backend = createTestBackend();
  heard = [];
  view = undefined;
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
});
afterEach(() => {
  theia.dispose();
  vi.useRealTimers();
});

function theCompanion(): FakeCompanion {
  const [companion] = backend.companions;
  if (companion === undefined) throw new Error("There is no companion.");
  return companion;
}

/** An agent proposes a change; what core does at the end of a proposal is done, too. */
async function propose(facts: Partial<DiffRequest> = {}): Promise<SimulatedEditor> {
  const { host } = theCompanion();
  const end = (text: string): void => {
    heard.push(text);
    void view?.close("decided-in-terminal");
  };
  const opening = await host.diffs.open(
    { ...request, ...facts },
    {
      edited: () => heard.push("edited"),
      accepted: (text) => end(`accepted ${text}`),
      rejected: () => end("rejected"),
      closed: () => end("closed"),
    },
  );
  if (opening.kind === "declined") throw new Error("The window does not want it.");
  view = opening.view;
  return editorOf(theia.editors.all.at(-1));
}

/** The verdict that a button gives. */
function decide(verdict: "accept" | "reject"): void {
  const proposal = theia.proposals.proposalOf(theia.editors.all.at(-1));
  if (proposal === undefined) throw new Error("Nothing is shown.");
  theia.proposals[verdict](proposal);
}

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settle();
}

describe("what a window is", () => {
  it("is said when it has a connection: its folders, and what may be shared", () => {
    const { host, settings } = theCompanion();
    expect(host.workspace.folders()).toEqual(["/workspace"]);
    expect(settings).toEqual([
      { exclude: [], reviews: {}, openReviews: "always", shareSelection: true, sharing: true },
    ]);
    expect(host.workspace.trusted()).toBeUndefined();
    expect(theia.attachment.status.state).toMatchObject({ kind: "listening" });
  });

  it("is said again when the user decides about trust, opens a folder or changes what is shared", async () => {
    theia.setTrust(true);
    await settle();
    expect([theCompanion().host.workspace.trusted(), theia.attachment.trust]).toEqual([true, true]);
    theia.setPreference(preferenceNames.sharing, false);
    theia.setPreference(preferenceNames.exclude, ["**/*.key"]);
    theia.setPreference(preferenceNames.reviews, { "*": "never" });
    theia.setPreference(preferenceNames.openReviews, "onDemand");
    await settle();
    expect(theCompanion().settings.at(-1)).toEqual({
      exclude: ["**/*.key"],
      reviews: { "*": "never" },
      openReviews: "onDemand",
      shareSelection: true,
      sharing: false,
    });
    // What stands in a file may be anything.
    theia.setPreference(preferenceNames.openReviews, 7);
    await settle();
    expect(theCompanion().settings.at(-1)).toMatchObject({ openReviews: "always" });
    theia.setRoots(["/workspace", "/other"]);
    await settle();
    expect([theCompanion().host.workspace.folders(), theia.attachment.roots]).toEqual([
      ["/workspace", "/other"],
      ["/workspace", "/other"],
    ]);
  });

  it("is said to a backend that comes back, under the same name as before", async () => {
    theia.disconnect();
    await settle();
    theia.connect(backend);
    await settle();
    // Another name would be another window, and the companion would wait for the first one.
    expect(backend.companions.length).toBe(1);
    await propose();
    expect(theia.proposals.ids).toEqual(["one"]);
  });

  it("is said again when the connection broke under it", async () => {
    theia.disconnect();
    const next = createTestBackend();
    theia.connect(next);
    theia.stall();
    await settle();
    theia.disconnect();
    await settle();
    expect(theia.log).toEqual([expect.stringContaining("the backend did not take this window")]);
    theia.connect(next);
    await settle();
    expect(next.companions.map(({ host }) => host.workspace.folders())).toEqual([["/workspace"]]);
  });
});

describe("a verdict", () => {
  it("reaches the agent, with the text as the user left it, and the view goes", async () => {
    const editor = await propose();
    editor.type("mine\n");
    decide("accept");
    await pass(1_000);
    expect(heard.at(-1)).toBe("accepted mine\n");
    expect([theia.proposals.ids, theia.messages.said]).toEqual([[], []]);
  });

  it("is not lost while the backend is away: the user is told, and decides again when it is back", async () => {
    await propose();
    theia.disconnect();
    decide("accept");
    await settle();
    expect(theia.messages.said).toEqual([failed]);
    expect(heard).toEqual([]);
    theia.connect(backend);
    await settle();
    // What was meant for the old connection is not carried out later.
    expect([heard, theia.proposals.ids]).toEqual([[], ["one"]]);
    decide("reject");
    await pass(1_000);
    expect(heard).toEqual(["rejected"]);
  });

  it("is not lost when the connection breaks under it", async () => {
    await propose();
    theia.stall();
    decide("accept");
    await settle();
    theia.disconnect();
    await settle();
    expect(theia.messages.said).toEqual([failed]);
    expect(theia.proposals.proposalOf(theia.editors.all[0])?.phase).toBe("open");
  });

  it("counts once, however often it is given", async () => {
    await propose();
    decide("accept");
    decide("reject");
    decide("accept");
    await pass(10_000);
    expect(heard).toEqual(["accepted new\n"]);
  });

  it("can be given again where the first one was taken and led to nothing", async () => {
    await propose();
    const { host } = theCompanion();
    view = undefined;
    decide("accept");
    await pass(2_999);
    decide("reject");
    await settle();
    expect(heard).toEqual(["accepted new\n"]);
    await pass(1);
    decide("reject");
    await settle();
    expect([heard, host.diffs !== undefined]).toEqual([["accepted new\n", "rejected"], true]);
  });

  it("takes the view away that nobody waits for any more", async () => {
    await theia.proposals.show({ ...request, id: "of an earlier run" });
    decide("accept");
    await pass(1_000);
    expect([theia.proposals.ids, theia.messages.said]).toEqual([[], []]);
  });
});

describe("proposals over a break of the connection", () => {
  it("stay, with what the user typed meanwhile", async () => {
    const editor = await propose();
    theia.disconnect();
    editor.type("typed meanwhile\n");
    await pass(1_000);
    theia.connect(backend);
    await settle();
    expect(await view?.currentText()).toBe("typed meanwhile\n");
    expect(heard).toContain("edited");
    decide("accept");
    await pass(1_000);
    expect(heard.at(-1)).toBe("accepted typed meanwhile\n");
  });

  it("go when they were decided elsewhere meanwhile, with no verdict and no question", async () => {
    const editor = await propose();
    theia.disconnect();
    await settle();
    editor.type("typed meanwhile\n");
    await view?.close("decided-in-terminal");
    theia.connect(backend);
    await pass(1_000);
    expect([theia.proposals.ids, heard, document.querySelector(".dialogOverlay")]).toEqual([[], [], null]);
  });

  it("stay where they came while the backend was saying what is open", async () => {
    theia.disconnect();
    await settle();
    const said = new Deferred<void>();
    theia.connect({
      connect: (window) => {
        const service = backend.connect(window);
        const attach = service.attach.bind(service);
        service.attach = async (facts) => {
          const answer = await attach(facts);
          await said.promise;
          return answer;
        };
        return service;
      },
    });
    await settle();
    await propose();
    said.resolve();
    await pass(1_000);
    expect([theia.proposals.ids, heard]).toEqual([["one"], []]);
  });

  it("come when they were made meanwhile", async () => {
    theia.disconnect();
    await settle();
    const opening = theCompanion().host.diffs.open(request, {
      edited: () => {},
      accepted: () => {},
      rejected: () => {},
      closed: () => {},
    });
    theia.connect(backend);
    await opening;
    await settle();
    expect(theia.proposals.ids).toEqual(["one"]);
  });
});

describe("leaving the page", () => {
  it("asks nothing where the backend knows all that was typed", async () => {
    const editor = await propose();
    editor.type("mine\n");
    expect(theia.attachment.onWillStop()).toBeUndefined();
    await settle();
    // Also what was typed a moment ago.
    expect(heard).toEqual(["edited"]);
  });

  it.each([
    ["Stay", false],
    ["Leave", true],
  ])("asks where what was typed is kept nowhere: %s", async (button, leaves) => {
    const editor = await propose();
    theia.disconnect();
    editor.type("lost\n");
    const asking = theia.attachment.onWillStop()?.action(undefined);
    await settle();
    pressButton(button);
    expect(await asking).toBe(leaves);
  });

  it("asks nothing once the backend is back and has been told", async () => {
    const editor = await propose();
    theia.disconnect();
    editor.type("mine\n");
    await pass(1_000);
    theia.connect(backend);
    await settle();
    expect(theia.attachment.onWillStop()).toBeUndefined();
  });

  it("decides nothing about what is open", async () => {
    await propose();
    theia.attachment.onStop();
    theia.editors.all[0]?.dispose();
    await settle();
    expect(heard).toEqual([]);
  });
});

describe("what agents see", () => {
  it("tells the backend whose problems were published", async () => {
    const published: (readonly string[])[] = [];
    theCompanion().host.diagnostics?.onDidChange?.(({ paths }) => published.push(paths));
    theia.publishProblems("/workspace/a.txt", "/workspace/b.txt");
    await settle();
    expect(published).toEqual([["/workspace/a.txt", "/workspace/b.txt"]]);
  });

  const session = {
    id: "1",
    dialect: "gemini",
    agentName: "Gemini CLI",
    state: "connected",
    openProposals: 0,
    since: 0,
  } as const;

  beforeEach(async () => {
    theia.application.state = "ready";
    await settle();
  });

  it("is read only from when an agent is there", async () => {
    await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" });
    await pass(1_000);
    // The first picture goes in any case.
    theia.editors.all[0]?.dispose();
    await pass(1_000);
    expect(theCompanion().host.editors.openFiles()).toEqual(["/workspace/b.txt"]);
    theCompanion().setSessions([session]);
    await pass(1_000);
    expect(theCompanion().host.editors.openFiles()).toEqual([]);
  });

  it("is said again to a backend that is new, even if nothing has changed", async () => {
    theCompanion().setSessions([session]);
    await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" });
    await pass(1_000);
    theia.disconnect();
    const next = createTestBackend();
    theia.connect(next);
    await pass(1_000);
    expect(next.companions[0]?.host.editors.openFiles()).toEqual(["/workspace/b.txt"]);
  });
});

it("marks the views whose texts are the user's now", async () => {
  await propose();
  const kept: KeptText = {
    id: "one",
    path: request.path,
    agentName: "Gemini CLI",
    reason: "agent-exited",
    since: 0,
    isShown: true,
  };
  const proposals: readonly ProposalInfo[] = [];
  theia.receive({ ...theia.attachment.status, proposals, keptTexts: [kept] });
  expect(theia.proposals.proposalOf(theia.editors.all[0])?.isKept).toBe(true);
});
