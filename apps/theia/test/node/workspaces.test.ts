import { describe, expect, it } from "vitest";
import { createTestBackend, settle } from "../support/backend.ts";
import { FakeCompanion } from "../support/fake-companion.ts";
import { SimulatedWindow } from "../support/simulated-window.ts";
import type { WindowService } from "../../src/node/window-service.ts";
import { open, theOnly } from "./workspace-windows.ts";

describe("windows and workspaces", () => {
  it("two windows on one set of roots share a companion, whatever the order of the roots", async () => {
    const backend = createTestBackend();
    await open(backend, "one", ["/a", "/b"]);
    await open(backend, "two", ["/b", "/a"]);
    expect(theOnly(backend).starts).toBe(1);
  });

  it("each workspace has its own companion", async () => {
    const backend = createTestBackend();
    await open(backend, "one", ["/a"]);
    await open(backend, "two", ["/a/below"]);
    expect(backend.companions.map((companion) => companion.host.workspace.folders())).toEqual([["/a"], ["/a/below"]]);
  });

  it("windows that attach at the same moment do not get two companions", async () => {
    const backend = createTestBackend();
    await Promise.all([open(backend, "one"), open(backend, "two")]);
    expect(theOnly(backend).starts).toBe(1);
  });

  it("a window without folders is told so and starts nothing", async () => {
    const backend = createTestBackend();
    const window = new SimulatedWindow({ windowId: "one", roots: [] });
    const attachment = await window.attach(backend.connect(window));
    expect(attachment.status).toMatchObject({ state: { kind: "no-folder" }, environment: {} });
    expect(backend.companions).toEqual([]);
  });

  it("a window that opens a folder later is served from then on", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one", []);
    const { status } = await window.attach(service, { roots: ["/ws"] });
    expect(status.state.kind).toBe("listening");
    expect(status.environment).toEqual({ PORT: "1000" });
  });

  it("a diagnosis is about the window that asks for it", async () => {
    const backend = createTestBackend();
    const codes = async (service: WindowService, environment: boolean): Promise<readonly string[]> =>
      (await service.examine(environment)).map(({ code }) => code);
    const empty = await open(backend, "one", []);
    expect(await codes(empty.service, true)).toEqual(["no-folder-open", "no-agent-connected"]);
    const { window, service } = await open(backend, "two", ["/a"]);
    expect(await codes(service, false)).toEqual([
      "listening",
      "folders-open",
      "terminal-environment-off",
      "no-agent-connected",
    ]);
    await window.attach(service, {
      trusted: false,
      settings: {
        exclude: [],
        shareSelection: true,
        reviews: {},
        openReviews: "always",
        sharing: false,
        agentChanges: true,
      },
    });
    expect(await codes(service, true)).toEqual([
      "listening",
      "folders-open",
      "workspace-untrusted",
      "sharing-off",
      "no-agent-connected",
    ]);
  });

  it("folders that are added go with the only window: the companion stays the same", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one", ["/a"]);
    await window.attach(service, { roots: ["/a", "/b"], workspace: "/tmp/untitled.theia-workspace" });
    const companion = theOnly(backend);
    expect(companion.host.workspace.folders()).toEqual(["/a", "/b"]);
    expect(companion.stops).toBe(0);
  });

  it("folders that are added to a workspace file go with all its windows", async () => {
    const backend = createTestBackend();
    const one = await open(backend, "one", ["/a"], "/w.theia-workspace");
    const two = await open(backend, "two", ["/a"], "/w.theia-workspace");
    await one.window.attach(one.service, { roots: ["/a", "/b"] });
    await two.window.attach(two.service, { roots: ["/a", "/b"] });
    expect(theOnly(backend).host.workspace.folders()).toEqual(["/a", "/b"]);
  });

  it("a window that leaves others behind gets a companion of its own", async () => {
    const backend = createTestBackend();
    await open(backend, "one", ["/a"]);
    const two = await open(backend, "two", ["/a"]);
    await two.window.attach(two.service, { roots: ["/a", "/b"], workspace: "/w.theia-workspace" });
    expect(backend.companions.map((companion) => companion.host.workspace.folders())).toEqual([["/a"], ["/a", "/b"]]);
  });

  it("a companion that did not start says why, and the next attempt starts it", async () => {
    const made: FakeCompanion[] = [];
    const backend = createTestBackend({
      createCompanion: (options) => {
        const companion = new FakeCompanion(options);
        companion.failure = new Error("The port is taken.");
        made.push(companion);
        return companion;
      },
    });
    const window = new SimulatedWindow({ windowId: "one", roots: ["/ws"] });
    const service = backend.connect(window);
    expect((await window.attach(service)).status.state).toEqual({ kind: "failed", message: "The port is taken." });
    for (const companion of made) companion.failure = undefined;
    expect((await window.attach(service)).status.state.kind).toBe("listening");
  });

  it("a workspace is served although its storage cannot be used; nothing is kept of it", async () => {
    const backend = createTestBackend({ storageFor: () => Promise.reject(new Error("EACCES: permission denied")) });
    const { window, service } = await open(backend, "one");
    expect(theOnly(backend).host.storageDirectory).toBeUndefined();
    expect((await window.attach(service)).status.state.kind).toBe("listening");
  });

  it("a companion that could not be made once is made for the next window", async () => {
    let isFirst = true;
    const made: FakeCompanion[] = [];
    const backend = createTestBackend({
      createCompanion: (options) => {
        if (isFirst) {
          isFirst = false;
          throw new Error("EMFILE: too many open files");
        }
        const companion = new FakeCompanion(options);
        made.push(companion);
        return companion;
      },
    });
    const window = new SimulatedWindow({ windowId: "one", roots: ["/ws"] });
    const service = backend.connect(window);
    await expect(window.attach(service)).rejects.toThrow("EMFILE");
    expect((await window.attach(service)).status.state.kind).toBe("listening");
    expect(made.map(({ starts }) => starts)).toEqual([1]);
  });

  it("a window that waits for its problems is asked for what it knows when the agent's time is up", async () => {
    const backend = createTestBackend();
    const { window } = await open(backend, "one");
    const known = [{ path: "/ws/a.ts", diagnostics: [] }];
    window.readDiagnostics = (_path, patient) => (patient ? new Promise(() => {}) : Promise.resolve(known));
    const { diagnostics } = theOnly(backend).host;
    const timeUp = new AbortController();
    const answer = diagnostics?.read("/ws/a.ts", timeUp.signal);
    await settle();
    timeUp.abort();
    expect(await answer).toEqual(known);
    expect(await diagnostics?.read("/ws/a.ts", timeUp.signal)).toEqual(known);
  });

  it("what any window says of new problems reaches the agents' side", async () => {
    const backend = createTestBackend();
    const [{ window: one }, { window: two }] = [await open(backend, "one"), await open(backend, "two")];
    const heard: string[] = [];
    theOnly(backend).host.diagnostics?.onDidChange?.(({ paths }) => heard.push(...paths));
    one.editor.setDiagnostics({ path: "/ws/a.ts", diagnostics: [] });
    two.editor.setDiagnostics({ path: "/ws/b.ts", diagnostics: [] });
    await settle();
    expect(heard).toEqual(["/ws/a.ts", "/ws/b.ts"]);
  });

  it("problems that a window was asked for when it went are none, and no failure", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    window.readDiagnostics = () => new Promise(() => {});
    const answer = theOnly(backend).host.diagnostics?.read("/ws/a.ts", new AbortController().signal);
    await settle();
    service.dispose();
    expect(await answer).toEqual([]);
  });

  it("a file is read in the encoding of the window that has it, also while that is being loaded anew", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    const { documents } = theOnly(backend).host;
    const decode = (bytes: readonly number[]): Promise<string | undefined> | undefined =>
      documents?.decodeFile?.("/ws/a.txt", Uint8Array.from(bytes));
    expect(await decode([0xc3, 0xbc])).toBeUndefined();
    window.encoding = "iso88591";
    expect(await decode([0x66, 0xfc, 0x72])).toBe("für");
    service.dispose();
    await settle();
    expect(await decode([0xfc])).toBe("ü");
  });

  it("a byte order mark says how a file is read, whatever the settings say", async () => {
    const backend = createTestBackend();
    const { window } = await open(backend, "one");
    window.encoding = "iso88591";
    const { documents } = theOnly(backend).host;
    expect(await documents?.decodeFile?.("/ws/a.txt", Uint8Array.of(0xff, 0xfe, 0x61, 0, 0xfc, 0))).toBe("aü");
    expect(await documents?.decodeFile?.("/ws/a.txt", Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBeUndefined();
  });

  it("a companion that nobody uses is stopped after a while, and a later window starts another", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    service.dispose();
    await settle();
    await backend.clock.advanceAsync(299_000);
    expect(theOnly(backend).stops).toBe(0);
    await backend.clock.advanceAsync(2_000);
    await settle();
    expect(theOnly(backend).stops).toBe(1);
    await open(backend, "two");
    expect(backend.companions.length).toBe(2);
  });

  it("a companion with an agent goes on without windows", async () => {
    const backend = createTestBackend();
    const { service } = await open(backend, "one");
    const session = {
      id: "s",
      dialect: "gemini",
      agentName: "Gemini CLI",
      state: "connected",
      since: 0,
      openProposals: 0,
    } as const;
    theOnly(backend).setSessions([session]);
    service.dispose();
    await settle();
    await backend.clock.advanceAsync(3_600_000);
    expect(theOnly(backend).stops).toBe(0);
    theOnly(backend).setSessions([]);
    await backend.clock.advanceAsync(301_000);
    await settle();
    expect(theOnly(backend).stops).toBe(1);
  });

  it("the end of the backend stops every companion, and decides nothing", async () => {
    const backend = createTestBackend();
    await open(backend, "one", ["/a"]);
    await open(backend, "two", ["/b"]);
    backend.workspaces.removeRecordsSync();
    await backend.workspaces.stop();
    expect(backend.companions.map(({ stoppedWith }) => stoppedWith?.reload)).toEqual([true, true]);
    expect(backend.companions.map(({ stops, recordsRemoved }) => [stops, recordsRemoved])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

const waitingAgent = {
  id: "s",
  dialect: "gemini",
  agentName: "Gemini CLI",
  state: "connected",
  since: 0,
  openProposals: 0,
} as const;

describe("from one backend to the next", () => {
  it("passes on the workspaces that an agent is in, under the key of their storage, and no others", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one", ["/a"]);
    const [companion] = backend.companions;
    companion?.setSessions([waitingAgent]);
    await open(backend, "two", ["/b"]);
    await window.attach(service, { roots: ["/a", "/c"], workspace: "/tmp/untitled.theia-workspace" });
    await backend.workspaces.stop();
    const left = { roots: ["/a", "/c"], storageKey: "/a", application: "Theia", trusted: true };
    expect(backend.left).toEqual([left]);
  });

  it("goes on with them before a window comes, with the storage they had", async () => {
    const storages: string[] = [];
    const left = { roots: ["/a", "/c"], storageKey: "/a", application: "Theia", trusted: false };
    const backend = createTestBackend({
      handover: { take: async () => [left], leave: async () => {} },
      storageFor: async (key) => void storages.push(key),
    });
    await backend.workspaces.resume();
    const { host, starts } = theOnly(backend);
    expect([host.workspace.folders(), host.workspace.trusted(), starts, storages]).toEqual([
      ["/a", "/c"],
      false,
      1,
      ["/a"],
    ]);
    await open(backend, "one", ["/c", "/a"]);
    expect(theOnly(backend).starts).toBe(1);
  });

  it("one of them that nobody comes back to is stopped after a while", async () => {
    const left = { roots: ["/a"], storageKey: "/a", application: "Theia" };
    const backend = createTestBackend({ handover: { take: async () => [left], leave: async () => {} } });
    await backend.workspaces.resume();
    await backend.clock.advanceAsync(301_000);
    await settle();
    expect(theOnly(backend).stops).toBe(1);
  });

  it("a window that attaches to a backend that is ending starts nothing, and keeps what it shows", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    await backend.workspaces.stop();
    const shown = [{ id: "proposal-1", text: { kind: "edited", text: "typed" } }] as const;
    const { status, proposals } = await window.attach(service, { shown });
    expect([status.state.kind, proposals, theOnly(backend).starts]).toEqual(["stopped", ["proposal-1"], 1]);
  });

  it("agents are told the application's own name, with nothing unseen in it", async () => {
    const backend = createTestBackend();
    const window = new SimulatedWindow({ windowId: "one", roots: ["/ws"] });
    await window.attach(backend.connect(window), { application: "Blueprint\u202e IDE\n" });
    expect(theOnly(backend).host.identity.displayName).toBe("Blueprint\\u{202e} IDE\\n");
  });
});
