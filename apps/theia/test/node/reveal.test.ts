import type { DiffRequest, DiffView } from "@patchbay/core";
import { Deferred } from "@theia/core/lib/common/promise-util";
import { beforeEach, describe, expect, it } from "vitest";
import { WindowDiffs } from "../../src/node/window-diffs.ts";
import type { WindowService } from "../../src/node/window-service.ts";
import { createTestBackend, settle, type TestBackend } from "../support/backend.ts";
import type { FakeCompanion } from "../support/fake-companion.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";

// A user who asks for a review gets it, whatever its window is doing just then.

const request: DiffRequest = {
  id: "one",
  agentName: "Gemini CLI",
  path: "/ws/a.txt",
  originalText: "old\n",
  unsaved: false,
  standing: "unchanged",
  kind: "change",
  proposedText: "new\n",
  agentPresent: true,
};

/** A window that notes what it is asked for. */
class NotingWindow extends SimulatedWindow {
  readonly asked: string[] = [];
  /** Holds openings back until it resolves. */
  gate: Promise<unknown> = Promise.resolve();
  /** It has lost what it was given to show. */
  hasForgotten = false;
  answersReveal = true;

  constructor(windowId: string) {
    super({ windowId, roots: ["/ws"] });
  }

  override async openDiff(asked: DiffRequest): Promise<"opened" | "declined"> {
    this.asked.push("open");
    await this.gate;
    this.hasForgotten = false;
    return await super.openDiff(asked);
  }

  override async revealDiff(): Promise<boolean> {
    this.asked.push("reveal");
    if (!this.answersReveal) await new Promise(() => {});
    return !this.hasForgotten;
  }
}

let backend: TestBackend;
let services: Map<NotingWindow, WindowService>;

beforeEach(() => {
  backend = createTestBackend();
  services = new Map();
});

async function join(windowId: string, shown: "resumes" | "loads" = "loads"): Promise<NotingWindow> {
  const window = new NotingWindow(windowId);
  const service = backend.connect(window);
  services.set(window, service);
  await window.attach(
    service,
    shown === "resumes" ? { shown: [{ id: "one", text: { kind: "unchanged" } }] } : undefined,
  );
  await settle();
  return window;
}

async function leave(window: NotingWindow): Promise<void> {
  services.get(window)?.dispose();
  await settle();
}

function theCompanion(): FakeCompanion {
  const [companion] = backend.companions;
  if (companion === undefined) throw new Error("There is no companion.");
  return companion;
}

async function propose(): Promise<DiffView> {
  const events = { edited: () => {}, accepted: () => {}, rejected: () => {}, closed: () => {} };
  const opening = await theCompanion().host.diffs.open(request, events);
  if (opening.kind !== "opened") throw new Error("The proposal was not shown.");
  return opening.view;
}

describe("a review that the user asks for", () => {
  it("comes to the front in the window that shows it", async () => {
    const window = await join("one");
    await (await propose()).reveal();
    expect(window.asked).toEqual(["open", "reveal"]);
  });

  it("while no window is there comes to the front in the next one, once", async () => {
    const window = await join("one");
    const view = await propose();
    await leave(window);
    await view.reveal();
    const next = await join("one");
    expect(next.asked).toEqual(["open", "reveal"]);
    await leave(next);
    expect((await join("one")).asked).toEqual(["open"]);
  });

  it("while its window has lost its connection comes to the front when it has another", async () => {
    const window = await join("one");
    const view = await propose();
    await leave(window);
    await view.reveal();
    expect((await join("one", "resumes")).asked).toEqual(["reveal"]);
  });

  it("comes to the front in the next window where its own went before it could answer", async () => {
    const window = await join("one");
    const view = await propose();
    window.answersReveal = false;
    const revealing = view.reveal();
    await settle();
    await leave(window);
    await revealing;
    expect((await join("one")).asked).toEqual(["open", "reveal"]);
  });

  it("moves at once to the window that the user is in, if its own has gone", async () => {
    const one = await join("one");
    const two = await join("two");
    one.use();
    await settle();
    const view = await propose();
    await leave(one);
    await view.reveal();
    expect(two.asked).toEqual(["open", "reveal"]);
  });

  it("is waited for while its view is being opened", async () => {
    const window = await join("one");
    const gate = new Deferred<void>();
    window.gate = gate.promise;
    const { diffs } = theCompanion().host;
    const opening = propose();
    await settle();
    if (!(diffs instanceof WindowDiffs)) throw new Error("These are none of the backend's.");
    await diffs.find("one")?.reveal();
    expect(window.asked).toEqual(["open"]);
    gate.resolve();
    await opening;
    expect(window.asked).toEqual(["open", "reveal"]);
  });

  it("is opened again in a window that has lost it", async () => {
    const window = await join("one");
    const view = await propose();
    window.hasForgotten = true;
    await view.reveal();
    expect(window.asked).toEqual(["open", "reveal", "open", "reveal"]);
  });

  it("comes nowhere once it is decided", async () => {
    const window = await join("one");
    const view = await propose();
    await view.close("decided-in-terminal");
    await view.reveal();
    expect(window.asked).toEqual(["open"]);
  });
});

describe("a wish that comes before its window has said whose it is", () => {
  it("is fulfilled once it has", async () => {
    await join("one");
    const window = new NotingWindow("two");
    const service = backend.connect(window);
    const revealing = service.reveal("one");
    await settle();
    expect(theCompanion().asked).toEqual([]);
    await window.attach(service);
    expect([await revealing, theCompanion().asked]).toEqual([true, ["reveal one"]]);
  });

  it("ends with the connection", async () => {
    await join("one");
    const service = backend.connect(new NotingWindow("two"));
    const revealing = service.reveal("one");
    service.dispose();
    expect(await revealing).toBe(false);
  });
});
