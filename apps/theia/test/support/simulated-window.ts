import type {
  DiffCloseReason,
  DiffRequest,
  DiffUpdate,
  DiffView,
  FileDiagnostics,
  FileStanding,
  TextEdit,
} from "@patchbay/core";
import { createMemoryEditor, type MemoryDiffView, type MemoryEditor } from "@patchbay/testkit";
import type {
  Attachment,
  OpenDocumentRequest,
  PatchbayServer,
  PatchbayWindow,
  ProposalText,
  Verdict,
  WindowContext,
  WindowFacts,
  WindowMessage,
  WindowStatus,
} from "../../src/common/protocol.ts";

export interface SimulatedWindowOptions {
  readonly windowId: string;
  readonly roots: readonly string[];
  readonly workspace?: string;
  readonly readDisk?: (path: string) => string | undefined;
}

/** A window without Theia: an in-memory editor on one end of the connection. */
export class SimulatedWindow implements PatchbayWindow {
  readonly editor: MemoryEditor;
  readonly statuses: WindowStatus[] = [];
  readonly log: string[] = [];
  /** How often it was told that the turns changed. */
  turnChanges = 0;
  readonly untitled: string[] = [];
  /** Whether it tells each change: an agent is there. */
  isFollowed = true;
  readonly withdrawn: number[] = [];
  /** By which right sides were changed. */
  readonly edits: TextEdit[] = [];
  /** In which it reads every file. */
  encoding = "utf8";
  facts: WindowFacts;
  server: PatchbayServer | undefined;
  readonly #views: Map<string, DiffView> = new Map();
  readonly #requests: Map<string, DiffRequest> = new Map();
  readonly #asking: Map<number, AbortController> = new Map();
  #focused: string[] = [];
  #windowFocused = false;

  constructor(options: SimulatedWindowOptions) {
    this.facts = {
      windowId: options.windowId,
      application: "Theia",
      workspace: options.workspace ?? options.roots[0],
      roots: options.roots,
      trusted: true,
      settings: {
        exclude: [],
        shareSelection: true,
        reviews: {},
        openReviews: "always",
        sharing: true,
        agentChanges: true,
      },
      shown: [],
    };
    this.editor = createMemoryEditor(options.readDisk === undefined ? {} : { readDisk: options.readDisk });
    this.editor.editors.onDidChange((change) => {
      if (change.kind === "focused") this.#focused.push(change.path);
      if (this.isFollowed) this.sendContext();
    });
    this.editor.diagnostics.onDidChange?.(({ paths }) => this.server?.notifyProblems(paths));
    this.editor.documents.onDidChangeUnsaved?.(({ path }) => {
      this.sendContext();
      this.server?.notifyUnsaved(path);
    });
  }

  /** The proposals on screen. */
  get shown(): readonly MemoryDiffView[] {
    return this.editor.openViews;
  }

  async attach(server: PatchbayServer, facts: Partial<WindowFacts> = {}): Promise<Attachment> {
    this.server = server;
    this.facts = { ...this.facts, ...facts };
    return await server.attach(this.facts);
  }

  /** The user comes to this window. */
  use(): void {
    this.#windowFocused = true;
    this.sendContext();
    this.#windowFocused = false;
  }

  sendContext(): void {
    const focused = this.#focused;
    this.#focused = [];
    this.server?.notifyContext({ ...this.picture(), focused, windowFocused: this.#windowFocused });
  }

  picture(): WindowContext {
    const { editors, documents } = this.editor;
    const active = editors.active();
    return {
      files: editors.openFiles().map((path) => ({
        path,
        dirty: documents.isDirty(path) ?? false,
        languageId: documents.languageId(path) ?? "",
      })),
      focused: [],
      windowFocused: false,
      active:
        active === undefined
          ? undefined
          : {
              path: active.path,
              cursor: active.cursor,
              ...(active.selection === undefined
                ? {}
                : { selection: { range: active.selection, text: active.readSelection(16_384) } }),
            },
    };
  }

  /** What the window shows after its connection was lost for a while. */
  shownProposals(): WindowFacts["shown"] {
    return this.shown.map((view) => ({ id: view.request.id, text: this.#textOf(view.request.id, view.text) }));
  }

  async openDiff(request: DiffRequest): Promise<"opened" | "declined"> {
    const decide = (verdict: Verdict): void => void this.server?.decide(request.id, verdict);
    const opening = await this.editor.diffs.open(request, {
      edited: () => this.server?.notifyDraft(request.id, this.#viewOf(request.id).text),
      accepted: (text) => decide({ kind: "accepted", text: this.#textOf(request.id, text) }),
      rejected: () => decide({ kind: "rejected" }),
      closed: () => decide({ kind: "closed" }),
    });
    if (opening.kind === "declined") return "declined";
    this.#requests.set(request.id, request);
    this.#views.set(request.id, opening.view);
    return "opened";
  }

  async closeDiff(proposalId: string, reason: DiffCloseReason): Promise<void> {
    await this.#views.get(proposalId)?.close(reason);
  }

  async revealDiff(proposalId: string): Promise<boolean> {
    const view = this.#views.get(proposalId);
    await view?.reveal();
    return view !== undefined;
  }

  async readDiff(proposalId: string): Promise<ProposalText> {
    return this.#textOf(proposalId, this.#viewOf(proposalId).text);
  }

  notifyTurns(): void {
    this.turnChanges += 1;
  }

  notifyAgentPresent(proposalId: string, present: boolean): void {
    this.#views.get(proposalId)?.setAgentPresent(present);
  }

  async updateDiff(
    proposalId: string,
    update: DiffUpdate,
    edits: readonly TextEdit[],
  ): Promise<"applied" | "stale" | "gone"> {
    const answer = (await this.#views.get(proposalId)?.update?.(update)) ?? "gone";
    const request = this.#requests.get(proposalId);
    if (answer !== "applied" || request === undefined) return answer;
    this.#requests.set(proposalId, { ...request, draftText: update.text });
    this.edits.push(...edits);
    return answer;
  }

  notifyStanding(proposalId: string, standing: FileStanding): void {
    this.#views.get(proposalId)?.setStanding?.(standing);
  }

  showMessage(message: WindowMessage): Promise<string | undefined> {
    const moot = new AbortController();
    this.#asking.set(message.id, moot);
    return this.editor.messages.show({ ...message, signal: moot.signal });
  }

  notifyWithdrawn(messageId: number): void {
    this.withdrawn.push(messageId);
    this.#asking.get(messageId)?.abort();
  }

  readDiagnostics(path: string | undefined, _patient: boolean): Promise<readonly FileDiagnostics[]> {
    return this.editor.diagnostics.read(path, new AbortController().signal);
  }

  async openDocument(request: OpenDocumentRequest): Promise<void> {
    await this.editor.documents.open(request);
  }

  saveDocument(path: string): Promise<boolean> {
    return this.editor.documents.save(path);
  }

  readDocument(path: string, limitBytes: number): Promise<string | undefined> {
    return this.editor.documents.readText(path, limitBytes);
  }

  async tellContext(): Promise<void> {
    this.sendContext();
  }

  async readUnsaved(path: string): Promise<string | undefined> {
    return await this.editor.documents.unsavedText?.(path);
  }

  async encodingOf(_path: string): Promise<string> {
    return this.encoding;
  }

  async reloadDocument(path: string, heldText: string): Promise<void> {
    await this.editor.documents.reload?.(path, heldText);
    this.sendContext();
  }

  async writeDocument(path: string, heldText: string, text: string): Promise<"written" | "stale"> {
    return (await this.editor.documents.write?.(path, heldText, text)) ?? "stale";
  }

  async openUntitled(text: string): Promise<void> {
    this.untitled.push(text);
  }

  notifyStatus(status: WindowStatus): void {
    this.statuses.push(status);
  }

  notifyConversation(): void {}

  notifyLog(lines: readonly string[]): void {
    this.log.push(...lines);
  }

  #viewOf(id: string): MemoryDiffView {
    const view = this.editor.views.findLast((candidate) => candidate.request.id === id);
    if (view === undefined) throw new Error(`The window has never shown ${id}.`);
    return view;
  }

  #textOf(id: string, text: string): ProposalText {
    const request = this.#requests.get(id);
    return text === (request?.draftText ?? request?.proposedText) ? { kind: "unchanged" } : { kind: "edited", text };
  }
}
