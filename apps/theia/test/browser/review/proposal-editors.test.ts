// @vitest-environment jsdom
import { pressButton, SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest, DiffUpdate } from "@patchbay/core";
import { URI } from "@theia/core/lib/common/uri";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OpenProposal } from "../../../src/browser/review/open-proposal.ts";
import type { DraftedProposal } from "../../../src/browser/review/proposal-editors.ts";
import { ProposalLabels, ProposalResources, proposalUri } from "../../../src/browser/review/proposal-resources.ts";
import { preferenceNames } from "../../../src/common/preferences.ts";
import { settle } from "../../support/backend.ts";
import { editorOf } from "../../support/simulated-editors.ts";

const request: DiffRequest = {
  id: "one",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\r\n",
  agentPresent: true,
};

let theia: SimulatedTheia;
let decided: unknown[];
let drafts: DraftedProposal[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  theia = new SimulatedTheia();
  decided = [];
  drafts = [];
  theia.proposals.onDidDecide((one) => decided.push(one));
  theia.proposals.onDidDraft((one) => drafts.push(one));
});
afterEach(() => {
  theia.dispose();
  vi.useRealTimers();
});

interface Shown {
  readonly proposal: OpenProposal;
  readonly widget: EditorWidget;
}

async function show(facts: Partial<DiffRequest> = {}): Promise<Shown> {
  await theia.proposals.show({ ...request, ...facts });
  const widget = theia.editors.all.at(-1);
  const proposal = theia.proposals.proposalOf(widget);
  if (widget === undefined || proposal === undefined) throw new Error("Nothing is shown.");
  return { widget, proposal };
}

const isOpen = (id: string): boolean => theia.proposals.ids.includes(id);
const titleOf = ({ widget }: Shown): string => theia.container.get(ProposalLabels).getName(widget.editor.uri);

/** Theia looks every now and then whether a widget has closed. */
async function closed<T>(closing: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(1_000);
  return await closing;
}

/** The keys go to a file in the area of the editors. */
async function typeInFile(): Promise<void> {
  await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" });
}

describe("showing", () => {
  it("waits for the layout, whose restoring would take the view away", async () => {
    const restoring = new SimulatedTheia({ hasLayout: false });
    const showing = restoring.proposals.show(request);
    await settle();
    expect(restoring.editors.all).toEqual([]);
    restoring.application.state = "initialized_layout";
    expect(await showing).toBe("opened");
    expect(restoring.editors.all.length).toBe(1);
    restoring.dispose();
  });

  it("brings the view to the front, and leaves the keys where they are", async () => {
    const terminal = document.createElement("input");
    document.body.append(terminal);
    terminal.focus();
    const opening = theia.proposals.show(request);
    await settle();
    // Editors ask for the focus when they have drawn.
    expect(theia.shell.mainPanel.node.inert).toBe(true);
    await opening;
    expect(theia.editors.all.map((widget) => widget.isVisible)).toEqual([true]);
    vi.advanceTimersByTime(300);
    expect(theia.shell.mainPanel.node.inert).toBe(false);
    expect(document.activeElement).toBe(terminal);
    expect(theia.messages.said).toEqual([]);
    terminal.remove();
  });

  it("takes the keys where the user asks for it, and keeps them", async () => {
    const list = document.createElement("input");
    document.body.append(list);
    list.focus();
    await theia.proposals.show(request);
    await theia.proposals.reveal("one");
    expect(theia.shell.mainPanel.node.inert).toBe(false);
    vi.advanceTimersByTime(300);
    expect(theia.shell.mainPanel.node.contains(document.activeElement)).toBe(true);
    list.remove();
  });

  it.each([true, undefined] as const)(
    "lets the user edit the right side, unless the agent takes none (%j)",
    async (isReadOnly) => {
      await theia.proposals.show({ ...request, ...(isReadOnly === undefined ? {} : { isReadOnly }) });
      const resource = theia.container
        .get(ProposalResources)
        .resolve(proposalUri(new URI("file:///workspace/a.txt"), "one"));
      expect(resource.readOnly).toBe(isReadOnly === true);
    },
  );

  it("opens behind the file the user types in, and says so once with a way there", async () => {
    await typeInFile();
    const { widget } = await show();
    expect(widget.isVisible).toBe(false);
    expect(theia.messages.said).toEqual(["info: Gemini CLI proposes a change to a.txt."]);
    theia.messages.answer("Gemini CLI proposes a change to a.txt.", "Review");
    await settle();
    expect(widget.isVisible).toBe(true);
    expect(theia.shell.activeWidget).toBe(widget);
  });

  it.each([
    ["the user has come there another way", () => theia.proposals.reveal("one")],
    ["it is over", () => closed(theia.proposals.close("one"))],
  ])("takes the announcement back when %s", async (_when, happen) => {
    await typeInFile();
    await show();
    await happen();
    expect(theia.messages.withdrawn).toEqual(["Gemini CLI proposes a change to a.txt."]);
  });

  it("opens beside where the user wants that, also while they type", async () => {
    theia.setPreference(preferenceNames.placement, "beside");
    await typeInFile();
    await show();
    expect(theia.editors.asked.at(-1)).toBe("beside, reveal");
  });

  it("shows a proposal once, however often it is asked to", async () => {
    await show();
    expect(await theia.proposals.show(request)).toBe("opened");
    expect(theia.editors.all.length).toBe(1);
  });

  it("forgets a proposal whose view does not open, and says why", async () => {
    theia.editors.failure = new Error("no room");
    await expect(theia.proposals.show(request)).rejects.toThrow("no room");
    expect(theia.proposals.ids).toEqual([]);
    // It can be shown again.
    await show();
  });

  it("closes a view at once that was decided elsewhere while it was being made", async () => {
    let finish = (): void => {};
    theia.editors.gate = new Promise((resolve) => (finish = resolve));
    const showing = theia.proposals.show(request);
    await settle();
    await theia.proposals.close("one");
    finish();
    expect(await closed(showing)).toBe("opened");
    expect(theia.editors.all).toEqual([]);
    expect(decided).toEqual([]);
  });

  it("has the draft of the user as its text, which closing must ask about", async () => {
    const { widget, proposal } = await show({ draftText: "typed before\n" });
    expect(widget.editor.document.getText()).toBe("typed before\n");
    expect(widget.saveable.dirty).toBe(true);
    expect(proposal.currentText()).toEqual({ kind: "unchanged" });
  });
});

describe("a verdict", () => {
  it("gives the text byte for byte where nobody typed, and as typed where somebody did", async () => {
    const { proposal } = await show();
    theia.proposals.accept(proposal);
    expect(decided).toEqual([{ id: "one", verdict: { kind: "accepted", text: { kind: "unchanged" } } }]);
    const { proposal: other, widget } = await show({ id: "two" });
    editorOf(widget).type("mine\n");
    theia.proposals.accept(other);
    expect(decided[1]).toEqual({ id: "two", verdict: { kind: "accepted", text: { kind: "edited", text: "mine\n" } } });
  });

  it("is given once: a second one while the first is on its way is none", async () => {
    const { proposal } = await show();
    theia.proposals.accept(proposal);
    theia.proposals.reject(proposal);
    theia.proposals.accept(proposal);
    expect(decided.length).toBe(1);
  });

  it("can be given again when the first one did not arrive", async () => {
    const { proposal } = await show();
    theia.proposals.accept(proposal);
    theia.proposals.reopen("one");
    theia.proposals.reject(proposal);
    expect(decided[1]).toEqual({ id: "one", verdict: { kind: "rejected" } });
  });

  it("is to accept where the user saves", async () => {
    const { widget } = await show();
    editorOf(widget).type("mine\n");
    await editorOf(widget).document.save();
    expect(decided).toEqual([{ id: "one", verdict: { kind: "accepted", text: { kind: "edited", text: "mine\n" } } }]);
  });

  it("is none where the backend takes the view away, edited or not", async () => {
    const { widget } = await show();
    editorOf(widget).type("mine\n");
    await closed(theia.proposals.close("one"));
    expect(widget.isDisposed).toBe(true);
    expect(document.querySelector(".dialogOverlay")).toBeNull();
    expect([decided, theia.proposals.ids]).toEqual([[], []]);
  });

  it("is none when the window unloads", async () => {
    const { widget } = await show();
    theia.proposals.stop();
    widget.dispose();
    expect(decided).toEqual([]);
  });
});

describe("closing the tab", () => {
  it("closes the proposal", async () => {
    const { widget } = await show();
    widget.close();
    await settle();
    expect(widget.isDisposed).toBe(true);
    expect(decided).toEqual([{ id: "one", verdict: { kind: "closed" } }]);
    expect(isOpen("one")).toBe(false);
  });

  it("decides nothing as long as another tab shows the proposal, edited or not", async () => {
    const { widget } = await show();
    const second = await theia.editors.split(widget);
    editorOf(widget).type("mine\n");
    second.close();
    await settle();
    expect(second.isDisposed).toBe(true);
    expect([decided, theia.proposals.ids]).toEqual([[], ["one"]]);
    expect(theia.proposals.read("one")).toEqual({ kind: "edited", text: "mine\n" });
  });

  it.each([
    ["Accept", { kind: "accepted", text: { kind: "edited", text: "mine\n" } }],
    ["Reject", { kind: "rejected" }],
    ["Keep Reviewing", undefined],
  ])("asks about what the user typed: %s", async (button, verdict) => {
    const { widget } = await show();
    editorOf(widget).type("mine\n");
    widget.close();
    await settle();
    expect(document.querySelector(".dialogContent")?.textContent).toContain("Gemini CLI's proposal for a.txt");
    pressButton(button);
    await settle();
    expect(decided).toEqual(verdict === undefined ? [] : [{ id: "one", verdict }]);
    // The backend takes it away once it has the verdict.
    expect([widget.isDisposed, theia.proposals.read("one")]).toEqual([false, { kind: "edited", text: "mine\n" }]);
  });

  it("asks nothing about a text that is kept anyway", async () => {
    const { widget } = await show({ draftText: "mine\n" });
    theia.proposals.setKept(new Set(["one"]));
    widget.close();
    await settle();
    expect(widget.isDisposed).toBe(true);
  });
});

describe("what the user types", () => {
  it("is reported a moment later, and at once when asked for", async () => {
    const { widget } = await show();
    editorOf(widget).type("a");
    editorOf(widget).type("ab");
    expect(drafts).toEqual([]);
    vi.advanceTimersByTime(250);
    expect(drafts).toEqual([{ id: "one", text: "ab" }]);
    editorOf(widget).type("abc");
    theia.proposals.flush();
    expect(drafts[1]).toEqual({ id: "one", text: "abc" });
  });

  it("is reported as the proposal's own text where the user took it all back", async () => {
    const { widget } = await show();
    const loaded = widget.editor.document.getText();
    editorOf(widget).type("a");
    editorOf(widget).type(loaded);
    theia.proposals.flush();
    expect(drafts).toEqual([{ id: "one", text: "new\r\n" }]);
  });

  it("is no draft any more once it is decided", async () => {
    const { widget, proposal } = await show();
    editorOf(widget).type("a");
    theia.proposals.reject(proposal);
    vi.advanceTimersByTime(1_000);
    expect(drafts).toEqual([]);
  });

  it("is with the window's other facts when it attaches again", async () => {
    const { widget } = await show();
    await show({ id: "two" });
    editorOf(widget).type("a");
    expect(theia.proposals.shown).toEqual([
      { id: "one", text: { kind: "edited", text: "a" } },
      { id: "two", text: { kind: "unchanged" } },
    ]);
  });
});

describe("what becomes of the file and the agent", () => {
  const update: DiffUpdate = {
    originalText: "older\n",
    unsaved: false,
    expectedText: "new\r\n",
    text: "newer\n",
    proposedText: "newer\n",
    standing: "conflict",
  };

  it("stands in the title of the tab", async () => {
    const shown = await show();
    expect(titleOf(shown)).toBe("a.txt (Gemini CLI)");
    theia.proposals.setAgentPresent("one", false);
    expect(titleOf(shown)).toBe("Away: a.txt (Gemini CLI, the agent is not connected)");
    theia.proposals.setStanding("one", "merged");
    expect(titleOf(shown)).toContain("merged with changes to the file");
    theia.proposals.setKept(new Set(["one"]));
    expect(titleOf(shown)).toContain("your text is kept");
    theia.proposals.setKept(new Set());
    expect(titleOf(shown)).not.toContain("your text is kept");
  });

  it("is not taken over what the user has typed meanwhile", async () => {
    const { widget, proposal } = await show();
    editorOf(widget).type("mine\n");
    expect(await theia.proposals.update("one", update, [])).toBe("stale");
    expect(proposal.request.originalText).toBe("old\n");
    expect(await theia.proposals.update("two", update, [])).toBe("gone");
  });

  it("lets the user decide anew about a verdict that was held up by it", async () => {
    const shown = await show();
    theia.proposals.accept(shown.proposal);
    expect(await theia.proposals.update("one", update, [])).toBe("applied");
    expect(titleOf(shown)).toMatch(/^Conflict: .*resolve, then accept/u);
    theia.proposals.accept(shown.proposal);
    expect(decided.length).toBe(2);
  });
});
