import type { AgentActivity, EditorFinding, KeptText, ProposalInfo, SessionInfo } from "@patchbay/core";
import { examineEditor } from "@patchbay/core/diagnosis";
import type { HookState, ListedTurn, WindowStatus } from "../../../src/common/protocol.ts";

/** Everything that the window is told, with a name in each place that holds anybody's words. */
export class HostileBackend {
  readonly name: string;
  readonly path: string;
  readonly turn: ListedTurn;

  constructor(name: string) {
    this.name = name;
    // No file has half a character in its name.
    const inPath = name.replaceAll(/\p{Cs}/gu, "");
    this.path = `/workspace/${inPath}/${inPath}.txt`;
    const file = {
      path: this.path,
      attribution: "unknown",
      review: "queued",
      lines: undefined,
      kind: "changed",
    } as const;
    this.turn = {
      id: "t1",
      number: 1,
      agents: [name, "other"],
      agent: "claude",
      session: "s1",
      prompt: name,
      began: 0,
      ended: 1,
      border: "estimated",
      undoes: undefined,
      headMoved: false,
      isPartial: false,
      undecided: 1,
      lines: { added: 1, removed: 1 },
      files: [file],
    };
  }

  get status(): WindowStatus {
    const { name, path } = this;
    const session: SessionInfo = {
      id: "s",
      dialect: "gemini",
      agentName: name,
      version: name,
      state: "connected",
      since: 0,
      openProposals: 1,
    };
    const activity: AgentActivity = {
      agent: "claude",
      session: "s1",
      owner: "o",
      processes: [9],
      folder: path,
      title: name,
      state: "waiting",
      since: 0,
      waitsFor: [path],
    };
    const proposal: ProposalInfo = {
      id: "one",
      sessionId: "s",
      agentName: name,
      path,
      kind: "change",
      state: "shown",
      standing: "conflict",
      edited: true,
      isHeld: false,
      createdAt: 0,
      lines: undefined,
      sessionTitle: name,
    };
    const kept: KeptText = { id: "k", agentName: name, path, reason: "agent-exited", since: 0, isShown: false };
    return {
      state: { kind: "listening", port: 1, warnings: [name] },
      environment: {},
      sessions: [session],
      proposals: [proposal, { ...proposal, id: "k", state: "kept" }],
      keptTexts: [kept],
      activities: [activity, { ...activity, session: "s2", owner: "p", title: `${name} 2`, waitsFor: [] }],
      commands: {
        all: [{ id: "c", agentName: name, owner: "o", command: name, folder: path, since: 0 }],
      },
      questions: 1,
    };
  }

  onDidOpenConnection(): void {}
  notifyContext(): void {}
  notifyDraft(): void {}
  notifyUnsaved(): void {}
  notifyProblems(): void {}
  async attach(): Promise<unknown> {
    return { status: this.status, proposals: ["one"] };
  }
  async turns(): Promise<readonly ListedTurn[]> {
    return [this.turn, { ...this.turn, id: "t2" }];
  }
  async undoTurn(): Promise<unknown> {
    const outcomes = ["partly", "unknown", "failed"].map((outcome) => ({ path: this.path, outcome, conflicts: 1 }));
    return { files: outcomes, turn: "u", isTold: true };
  }
  async textBeforeTurn(): Promise<string> {
    return "before";
  }
  async sharedContext(): Promise<unknown> {
    const selection = { text: this.name };
    return { files: [{ path: this.path }], active: { path: this.path, cursor: { line: 0, character: 0 }, selection } };
  }
  async saveKeptText(): Promise<unknown> {
    return { kind: "failed", reason: this.name };
  }
  async discardKeptText(): Promise<boolean> {
    return true;
  }
  async rejectWithReason(): Promise<string> {
    return "told";
  }
  async decideAll(): Promise<number> {
    return 0;
  }
  async hooks(): Promise<readonly HookState[]> {
    return [{ agent: "claude", agentName: this.name, file: this.path, presence: "absent", consent: "none" }];
  }
  async planHook(): Promise<unknown> {
    return { kind: "change", file: this.path, before: "", after: this.name };
  }
  async applyHook(): Promise<string> {
    return this.name;
  }
  async withParents(): Promise<readonly number[]> {
    return [];
  }
  async examine(): Promise<readonly EditorFinding[]> {
    const { name, path, status } = this;
    return examineEditor({
      state: { kind: "listening", port: 1, warnings: [name] },
      folders: [path],
      sessions: status.sessions,
      trusted: true,
      sharing: true,
      terminalEnvironment: true,
    });
  }
}
