// @vitest-environment jsdom
import { pressButton, SimulatedTheia } from "../../support/simulated-theia.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { DiffRequest, FileDiagnostics, ProposalInfo } from "@patchbay/core";
import { CommonCommands } from "@theia/core/lib/browser/common-commands";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import type { CommandRegistry } from "@theia/core/lib/common/command";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import { URI } from "@theia/core/lib/common/uri";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentContribution } from "../../../src/browser/contributions/agent-contribution.ts";
import { AgentPrompts } from "../../../src/browser/contributions/agent-prompts.ts";
import { AgentNotices, AgentTerminals } from "../../../src/browser/contributions/agent-terminals.ts";
import { DiagnosisView } from "../../../src/browser/contributions/diagnosis-view.ts";
import { WindowService } from "../../../src/node/window-service.ts";
import { ProblemReader } from "../../../src/browser/documents/problem-reader.ts";
import type { OpenProposal } from "../../../src/browser/review/open-proposal.ts";
import { agentLaunches, patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { ReviewContribution } from "../../../src/browser/contributions/review-contribution.ts";
import { type ListItem, Lists } from "../../../src/browser/surfaces/lists.ts";
import { preferenceNames } from "../../../src/common/preferences.ts";
import { createTestBackend, settle, type TestBackend } from "../../support/backend.ts";
import { editorOf } from "../../support/simulated-editors.ts";
// Loaded with the first wish, which takes longer than a test waits.
import "../../../src/browser/contributions/review-actions.ts";

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

/** What a command may be given by a menu, a key, or another extension. */
const strangeArguments: readonly unknown[] = [undefined, null, 0, "one", {}, [], new URI("file:///x"), Symbol("x")];

let theia: SimulatedTheia;
let backend: TestBackend;
let commands: CommandRegistry;
let decided: unknown[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  theia = new SimulatedTheia();
  backend = createTestBackend();
  decided = [];
  theia.proposals.onDidDecide((one) => decided.push(one));
});
afterEach(() => {
  theia.dispose();
  vi.useRealTimers();
});

async function attach(): Promise<void> {
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
}

describe("deciding", () => {
  beforeEach(() => {
    const { container } = theia;
    copied = [];
    container.bind<unknown>(ClipboardService).toConstantValue({ writeText: async (text: string) => copied.push(text) });
    container.bind<unknown>(Lists).toConstantValue({ ask: async () => typed });
    terminals = [];
    container.bind(AgentPrompts).toSelf();
    container.bind<unknown>(TerminalService).toConstantValue({
      get all() {
        return terminals;
      },
    });
    commands = theia.commands(ReviewContribution);
  });

  let copied: string[];
  let typed: string | undefined;
  let terminals: readonly unknown[];

  async function show(facts: Partial<DiffRequest> = {}): Promise<OpenProposal> {
    await theia.proposals.show({ ...request, ...facts });
    const proposal = theia.proposals.proposalOf(theia.editors.all.at(-1));
    if (proposal === undefined) throw new Error("Nothing is shown.");
    return proposal;
  }

  it.each([
    ["accept", { kind: "accepted", text: { kind: "unchanged" } }],
    ["reject", { kind: "rejected" }],
  ] as const)("%s is about the proposal of the button, or else the one in front", async (name, verdict) => {
    await show();
    await show({ id: "two" });
    await commands.executeCommand(patchbayCommands[name].id, theia.editors.all[0]);
    await commands.executeCommand(patchbayCommands[name].id);
    expect(decided).toEqual([
      { id: "one", verdict },
      { id: "two", verdict },
    ]);
  });

  it("leads to the conflict that has to be resolved first, and to nothing else", async () => {
    await show();
    expect(commands.isEnabled(patchbayCommands.showConflict.id)).toBe(false);
    const proposedText = "a\nb\n<<<<<<< current file\nx\n=======\ny\n>>>>>>> proposed change\n";
    await show({ id: "two", standing: "conflict", proposedText });
    const editor = editorOf(theia.editors.all.at(-1));
    await commands.executeCommand(patchbayCommands.showConflict.id);
    expect([editor.cursor.line, editor.isFocused()]).toEqual([2, true]);
  });

  describe("with a reason", () => {
    const proposal: ProposalInfo = {
      id: "one",
      sessionId: "hook:gemini s1",
      agentName: "Gemini CLI",
      path: "/workspace/a.txt",
      kind: "change",
      state: "shown",
      standing: "unchanged",
      edited: false,
      isHeld: false,
      createdAt: 0,
      lines: undefined,
      sessionTitle: undefined,
    };

    async function reject(text: string | undefined, asked: "by hook" | "otherwise"): Promise<unknown[]> {
      await attach();
      const [companion] = backend.companions;
      if (companion === undefined) throw new Error("There is no companion.");
      companion.proposals = [asked === "by hook" ? { ...proposal, readsReasons: true } : proposal];
      await show();
      typed = text;
      await commands.executeCommand(patchbayCommands.rejectWithReason.id);
      return companion.rejected;
    }

    it("tells an agent that asked by its hook", async () => {
      expect(await reject(" keep it ", "by hook")).toEqual([["one", "keep it"]]);
      expect([theia.messages.said, copied]).toEqual([["info: Rejected. Gemini CLI reads your text."], []]);
    });

    it("keeps the text for any other agent", async () => {
      expect(await reject("keep it", "otherwise")).toEqual([["one", "keep it"]]);
      expect(copied).toEqual(["keep it"]);
    });

    it("puts the text into the prompt of an agent in a terminal of this window, and sends nothing", async () => {
      const sent: string[] = [];
      const sendText = (text: string): void => void sent.push(text);
      const session = { id: "gemini.1", dialect: "gemini", agentName: "Gemini CLI", since: 0, openProposals: 1 };
      terminals = [
        { processId: Promise.resolve(1), sendText },
        { processId: Promise.resolve(process.ppid), sendText },
      ];
      await attach();
      theia.receive({
        ...theia.attachment.status,
        sessions: [{ ...session, state: "connected", pid: process.pid }],
        proposals: [{ ...proposal, sessionId: "gemini.1" }],
      });
      const [companion] = backend.companions;
      if (companion === undefined) throw new Error("There is no companion.");
      companion.proposals = [proposal];
      await show();
      typed = "use three\nplease";
      const rejecting = commands.executeCommand(patchbayCommands.rejectWithReason.id);
      await settle();
      theia.receive({ ...theia.attachment.status, proposals: [] });
      await vi.advanceTimersByTimeAsync(500);
      await rejecting;
      expect(sent).toEqual(["\u001b[200~use three please\u001b[201~"]);
      expect([theia.messages.said.at(-1), copied]).toEqual([expect.stringContaining("press Enter there"), []]);
    });

    it("needs no text, and Escape rejects nothing", async () => {
      expect(await reject(undefined, "otherwise")).toEqual([]);
      expect(await reject("", "otherwise")).toEqual([["one", undefined]]);
      expect(copied).toEqual([]);
    });
  });

  it("takes no strange argument for a proposal, and fails on none", async () => {
    for (const argument of strangeArguments) {
      expect(commands.isEnabled(patchbayCommands.accept.id, argument)).toBe(false);
      expect(commands.isEnabled(patchbayCommands.reject.id, argument)).toBe(false);
    }
    expect(decided).toEqual([]);
  });

  it("is off for a proposal that is decided, and for a text that is kept", async () => {
    const proposal = await show();
    expect(commands.isEnabled(patchbayCommands.accept.id)).toBe(true);
    theia.proposals.setKept(new Set(["one"]));
    expect(commands.isEnabled(patchbayCommands.accept.id)).toBe(false);
    theia.proposals.setKept(new Set());
    theia.proposals.reject(proposal);
    expect(commands.isEnabled(patchbayCommands.accept.id)).toBe(false);
  });

  it("accepts where the user saves in a proposal, and leaves saving alone elsewhere", async () => {
    await show();
    // In front, but the keys are elsewhere.
    expect(commands.isEnabled(CommonCommands.SAVE.id)).toBe(false);
    await theia.proposals.reveal("one");
    editorOf(theia.editors.all[0]).type("mine\n");
    await commands.executeCommand(CommonCommands.SAVE.id);
    expect(decided).toEqual([{ id: "one", verdict: { kind: "accepted", text: { kind: "edited", text: "mine\n" } } }]);
  });

  it("saves all files while a review is open, and accepts nothing", async () => {
    const file = editorOf(await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" }));
    file.type("changed");
    await show();
    editorOf(theia.editors.all.at(-1)).type("mine\n");
    await commands.executeCommand(CommonCommands.SAVE_ALL.id);
    expect(theia.files.get("file:///workspace/b.txt")).toBe("changed");
    expect([file.document.dirty, decided]).toEqual([false, []]);
  });

  it("leaves saving all to Theia where nothing is under review", () => {
    expect(commands.isEnabled(CommonCommands.SAVE_ALL.id)).toBe(false);
  });

  it.each([
    ["Cancel", []],
    ["Accept 2", [["one", "two"]]],
  ])("of all proposals asks first, about those that it lists: %s", async (button, expected) => {
    await attach();
    await show();
    const proposals = ["one", "two"].map((id): ProposalInfo => ({ ...info, id }));
    theia.receive({ ...theia.attachment.status, proposals: [...proposals, { ...info, id: "three", state: "kept" }] });
    const asked: (readonly string[])[] = [];
    const [companion] = backend.companions;
    if (companion === undefined) throw new Error("There is no companion.");
    companion.onAcceptAll = (ids) => asked.push(ids);
    const done = commands.executeCommand(patchbayCommands.acceptAll.id);
    await settle();
    expect(document.querySelectorAll(".dialogContent li")).toHaveLength(2);
    pressButton(button);
    await done;
    expect(asked).toEqual(expected);
    // None of them could be accepted.
    expect(theia.messages.said).toEqual(expected.length === 0 ? [] : ["warn: Accepted 0 of 2 proposals."]);
  });

  it("of a folder is about what waits in it, and not offered where nothing does", async () => {
    await attach();
    await show();
    const paths = ["src/a.txt", "src/deep/b.txt", "src2/c.txt", "src/held.txt", "held/d.txt"];
    const proposals = paths.map(
      (path): ProposalInfo => ({
        ...info,
        id: path,
        path: `/workspace/${path}`,
        isHeld: path.includes("held"),
      }),
    );
    theia.receive({ ...theia.attachment.status, proposals });
    const { acceptFolder, rejectFolder } = patchbayCommands;
    const inFolder = (uri: string): readonly boolean[] => {
      theia.container.get(SelectionService).selection = { uri: new URI(uri) };
      return [commands.isEnabled(acceptFolder.id), commands.isVisible(rejectFolder.id)];
    };
    expect(inFolder("file:///workspace/test")).toEqual([false, false]);
    expect(inFolder("file:///workspace/src/a.txt")).toEqual([false, false]);
    expect(inFolder("file:///workspace/held")).toEqual([false, false]);
    expect(inFolder("other:///workspace/src")).toEqual([false, false]);
    expect(inFolder("file:///workspace/src")).toEqual([true, true]);
    const done = commands.executeCommand(rejectFolder.id);
    await settle();
    expect(Array.from(document.querySelectorAll(".dialogContent li"), ({ textContent }) => textContent)).toEqual([
      "/workspace/src/a.txt (Gemini CLI)",
      "/workspace/src/deep/b.txt (Gemini CLI)",
    ]);
    pressButton("Reject 2");
    await done;
    expect(backend.companions[0]?.rejected).toEqual([
      ["src/a.txt", undefined],
      ["src/deep/b.txt", undefined],
    ]);
  });

  it("of some proposals is about those that are named and wait", async () => {
    await attach();
    await show();
    const proposals = ["one", "two", "three"].map((id): ProposalInfo => ({ ...info, id, isHeld: id === "two" }));
    theia.receive({ ...theia.attachment.status, proposals });
    const asked: (readonly string[])[] = [];
    const [companion] = backend.companions;
    if (companion === undefined) throw new Error("There is no companion.");
    companion.onAcceptAll = (ids) => asked.push(ids);
    const done = commands.executeCommand(patchbayCommands.acceptAll.id, ["two", "three", "gone"]);
    await settle();
    pressButton("Accept 1");
    await done;
    expect(asked).toEqual([["three"]]);
  });
});

const info: ProposalInfo = {
  id: "one",
  sessionId: "1",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};

describe("agents", () => {
  let typed: string[];
  let copied: string[];
  let listed: (readonly ListItem[])[];
  let placeholders: string[];
  let open: readonly unknown[];
  let problems: readonly FileDiagnostics[];

  beforeEach(async () => {
    open = [];
    problems = [];
    typed = [];
    copied = [];
    listed = [];
    placeholders = [];
    const terminal = { start: async () => {}, sendText: (text: string) => typed.push(text) };
    const { container } = theia;
    container.bind<unknown>(TerminalService).toConstantValue({
      newTerminal: async () => terminal,
      open: async () => {},
      get all() {
        return open;
      },
    });
    container.bind(AgentPrompts).toSelf();
    container.rebind<unknown>(ProblemReader).toConstantValue({ read: () => problems, onDidChange: () => {} });
    container.bind<unknown>(ClipboardService).toConstantValue({ writeText: async (text: string) => copied.push(text) });
    container.bind<unknown>(Lists).toConstantValue({
      choose: async (items: readonly ListItem[], placeholder: string) => {
        listed.push(items);
        placeholders.push(placeholder);
      },
    });
    container.bind<unknown>(DiagnosisView).toConstantValue({});
    await attach();
    commands = theia.commands(AgentContribution);
  });

  it("connect also where nobody has told them to: they would offer to install something", async () => {
    const home = mkdtempSync(join(tmpdir(), "patchbay-home-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    vi.stubEnv("HOME", home);
    vi.stubEnv("GEMINI_CLI_HOME", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    theia.setTrust(true);
    const launch = agentLaunches.find(({ id }) => id === "gemini");
    if (launch === undefined) throw new Error("There is no Gemini CLI.");
    theia.setPreference(launch.preference, "gemini");
    await commands.executeCommand(launch.command.id);
    expect(typed).toEqual(['gemini -i "/ide enable"\n']);
  });

  it("are started only in a folder that the user trusts, by the command line of the preferences", async () => {
    for (const { command } of agentLaunches) expect(commands.isEnabled(command.id)).toBe(false);
    theia.setTrust(true);
    for (const { command, preference } of agentLaunches) {
      theia.setPreference(preference, `start ${preference}`);
      await commands.executeCommand(command.id);
    }
    expect(typed).toEqual(agentLaunches.map(({ preference }) => `start ${preference}\n`));
  });

  it("follow a review that was tried, as the user chooses", async () => {
    theia.setTrust(true);
    const trial = vi.spyOn(WindowService.prototype, "tryReview");
    onTestFinished(() => trial.mockRestore());
    let diagnoses = 0;
    theia.container.rebind<unknown>(DiagnosisView).toConstantValue({ show: async () => void (diagnoses += 1) });
    commands = theia.commands(AgentContribution);
    const [launch] = agentLaunches;
    if (launch === undefined) throw new Error("There is no agent.");
    theia.setPreference(launch.preference, "start it");
    for (const next of [undefined, launch.id, "diagnose"] as const) {
      trial.mockResolvedValueOnce(next);
      await commands.executeCommand(patchbayCommands.tryReview.id);
    }
    expect(typed).toEqual(["start it\n"]);
    expect(diagnoses).toBe(1);
  });

  it("are not started by a preference of several lines, which the user has not seen as such", async () => {
    theia.setTrust(true);
    const [launch] = agentLaunches;
    if (launch === undefined) throw new Error("There is no agent.");
    theia.setPreference(launch.preference, "gemini\nrm -r .");
    await commands.executeCommand(launch.command.id);
    expect(typed).toEqual([]);
    expect(theia.messages.said).toEqual([expect.stringContaining("more than one line")]);
  });

  it("get a selection or a file only from an editor of a file", async () => {
    for (const name of ["sendSelection", "sendFile"] as const) {
      expect(commands.isEnabled(patchbayCommands[name].id)).toBe(false);
    }
    theia.application.state = "ready";
    await settle();
    const editor = editorOf(await theia.editors.open(new URI("file:///workspace/b.txt"), { mode: "activate" }));
    editor.moveTo({ line: 3, character: 1 }, { line: 1, character: 0 });
    const asked: unknown[] = [];
    const [companion] = backend.companions;
    if (companion === undefined) throw new Error("There is no companion.");
    companion.onMention = (path, lines) => asked.push([path, lines]);
    await commands.executeCommand(patchbayCommands.sendSelection.id);
    await commands.executeCommand(patchbayCommands.sendFile.id);
    expect(asked).toEqual([
      ["/workspace/b.txt", { start: 1, end: 3 }],
      ["/workspace/b.txt", undefined],
    ]);
    // Nobody took it.
    const nobody = "info: No agent in a terminal of this window takes a prompt now.";
    expect(theia.messages.said).toEqual([nobody, nobody]);
    await commands.executeCommand(patchbayCommands.sendProblem.id);
    expect(theia.messages.said.at(-1)).toBe("info: There is no problem at the cursor.");
    const session = { id: "gemini.1", dialect: "gemini", agentName: "Gemini CLI", since: 0, openProposals: 0 };
    theia.receive({ ...theia.attachment.status, sessions: [{ ...session, state: "connected", pid: process.pid }] });
    open = [{ processId: Promise.resolve(process.pid), sendText: (text: string) => typed.push(text) }];
    await commands.executeCommand(patchbayCommands.sendSelection.id);
    const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 2 } };
    problems = [
      {
        path: "/workspace/b.txt",
        diagnostics: [
          { message: "Hm.", severity: "Hint", range },
          { message: "Not\na word.", severity: "Error", range },
        ],
      },
    ];
    await commands.executeCommand(patchbayCommands.sendProblem.id);
    expect(typed).toEqual([
      "\u001b[200~@b.txt (lines 2-4)\u001b[201~",
      "\u001b[200~@b.txt (line 4): Not a word.\u001b[201~",
    ]);
    expect(theia.messages.said.at(-1)).toBe("info: It is in the prompt of Gemini CLI, and not sent.");
  });

  it("see what is open until sharing is paused, and from when it is resumed", async () => {
    await commands.executeCommand(patchbayCommands.pauseSharing.id);
    await settle();
    expect(theia.preferences.get(preferenceNames.sharing)).toBe(false);
    expect(backend.companions[0]?.settings.at(-1)).toMatchObject({ sharing: false });
    expect(commands.isEnabled(patchbayCommands.pauseSharing.id)).toBe(false);
    await commands.executeCommand(patchbayCommands.resumeSharing.id);
    await settle();
    expect(backend.companions[0]?.settings.at(-1)).toMatchObject({ sharing: true });
  });

  it("are found from other terminals by lines that a shell takes as they are", async () => {
    const environment = { PORT: "1", FOLDER: "/it's $HOME" };
    theia.receive({ ...theia.attachment.status, environment });
    await commands.executeCommand(patchbayCommands.copyEnvironment.id);
    expect(copied).toEqual([`export PORT='1'\nexport FOLDER='/it'\\''s $HOME'\n`]);
  });

  it("are shown nothing where there is no file", async () => {
    await commands.executeCommand(patchbayCommands.showShared.id);
    expect([listed, placeholders.length]).toEqual([[[]], 1]);
  });
});

describe("an agent that begins to wait", () => {
  it("is told in a notification where the user wants that and does not see its terminal, which leads to it", async () => {
    const { container } = theia;
    const led: unknown[] = [];
    let isVisible = false;
    container.bind<unknown>(AgentPrompts).toConstantValue({ terminalOf: async () => ({ isVisible }) });
    container.bind<unknown>(AgentTerminals).toConstantValue({ goTo: async (one: unknown) => void led.push(one) });
    container.bind(AgentNotices).toSelf();
    container.get(AgentNotices).onStart();
    await attach();
    const session = { id: "gemini.1", dialect: "gemini", agentName: "Gemini CLI", since: 0, openProposals: 1 };
    const tell = async (proposals: readonly ProposalInfo[]): Promise<void> => {
      const sessions = [{ ...session, state: "connected", pid: process.pid } as const];
      theia.receive({ ...theia.attachment.status, sessions, proposals });
      await settle();
    };
    const waiting = [{ ...info, sessionId: "gemini.1" }];
    await tell(waiting);
    expect(theia.messages.said).toEqual([]);
    await tell([]);
    theia.setPreference(preferenceNames.notify, "hiddenTerminal");
    await tell(waiting);
    expect(theia.messages.said).toEqual(["info: Gemini CLI is waiting for your answer: a session without a prompt"]);
    theia.messages.answer("Gemini CLI is waiting for your answer: a session without a prompt", "Show");
    await settle();
    expect(led).toEqual([expect.objectContaining({ id: "gemini.1" })]);
    await tell([]);
    isVisible = true;
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    await tell(waiting);
    expect(theia.messages.said).toHaveLength(1);
  });
});
