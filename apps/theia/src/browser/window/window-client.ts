import { inject, injectable } from "@theia/core/shared/inversify";
import { OutputChannelManager } from "@theia/output/lib/browser/output-channel";
import type { DiffCloseReason, DiffRequest, DiffUpdate, FileDiagnostics, FileStanding, TextEdit } from "@patchbay/core";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import type {
  OpenDocumentRequest,
  PatchbayWindow,
  ProposalText,
  WindowMessage,
  WindowStatus,
} from "../../common/protocol.ts";

import { ContextTracker } from "../context/context-tracker.ts";
import { DocumentActions } from "../documents/document-actions.ts";
import { ProblemReader } from "../documents/problem-reader.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { HostMessages } from "../surfaces/notices.ts";

/** The backend's log in Theia's output view. */
@injectable()
export class LogView {
  @inject(OutputChannelManager)
  protected readonly channels: OutputChannelManager;

  append(lines: readonly string[]): void {
    const channel = this.channels.getChannel("Patchbay");
    for (const line of lines) channel.appendLine(line);
  }

  show(): void {
    this.channels.getChannel("Patchbay").show({ preserveFocus: false });
  }
}

/** What the backend can ask of this window, passed on to those who do it. */
@injectable()
export class WindowClient implements PatchbayWindow {
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(HostMessages)
  protected readonly messages: HostMessages;
  @inject(ProblemReader)
  protected readonly problems: ProblemReader;
  @inject(ContextTracker)
  protected readonly context: ContextTracker;
  @inject(DocumentActions)
  protected readonly documents: DocumentActions;
  @inject(LogView)
  protected readonly log: LogView;

  protected readonly onDidReceiveStatusEmitter: Emitter<WindowStatus> = new Emitter();
  readonly onDidReceiveStatus: Event<WindowStatus> = this.onDidReceiveStatusEmitter.event;

  protected readonly onDidChangeTurnsEmitter: Emitter<void> = new Emitter();
  readonly onDidChangeTurns: Event<void> = this.onDidChangeTurnsEmitter.event;

  protected readonly onDidWantConversationEmitter: Emitter<string> = new Emitter();
  /** A conversation of the panel, by its id. */
  readonly onDidWantConversation: Event<string> = this.onDidWantConversationEmitter.event;

  openDiff(request: DiffRequest): Promise<"opened" | "declined"> {
    return this.proposals.show(request);
  }

  closeDiff(proposalId: string, _reason: DiffCloseReason): Promise<void> {
    return this.proposals.close(proposalId);
  }

  revealDiff(proposalId: string): Promise<boolean> {
    return this.proposals.reveal(proposalId);
  }

  async readDiff(proposalId: string): Promise<ProposalText> {
    return this.proposals.read(proposalId);
  }

  notifyAgentPresent(proposalId: string, present: boolean): void {
    this.proposals.setAgentPresent(proposalId, present);
  }

  updateDiff(
    proposalId: string,
    update: DiffUpdate,
    edits: readonly TextEdit[],
  ): Promise<"applied" | "stale" | "gone"> {
    return this.proposals.update(proposalId, update, edits);
  }

  notifyStanding(proposalId: string, standing: FileStanding): void {
    this.proposals.setStanding(proposalId, standing);
  }

  showMessage(message: WindowMessage): Promise<string | undefined> {
    return this.messages.show(message);
  }

  notifyWithdrawn(messageId: number): void {
    this.messages.withdraw(messageId);
  }

  async readDiagnostics(path: string | undefined, patient: boolean): Promise<readonly FileDiagnostics[]> {
    return await (patient ? this.problems.readCurrent(path) : this.problems.read(path));
  }

  openDocument(request: OpenDocumentRequest): Promise<void> {
    return this.documents.open(request);
  }

  saveDocument(path: string): Promise<boolean> {
    return this.documents.save(path);
  }

  async readDocument(path: string, limitBytes: number): Promise<string | undefined> {
    return this.documents.read(path, limitBytes);
  }

  async tellContext(): Promise<void> {
    this.context.flush();
  }

  async readUnsaved(path: string): Promise<string | undefined> {
    return this.documents.unsavedText(path);
  }

  async encodingOf(path: string): Promise<string> {
    return this.documents.encodingOf(path);
  }

  reloadDocument(path: string, heldText: string): Promise<void> {
    return this.documents.reload(path, heldText);
  }

  writeDocument(path: string, heldText: string, text: string): Promise<"written" | "stale"> {
    return this.documents.write(path, heldText, text);
  }

  openUntitled(text: string, likePath: string): Promise<void> {
    return this.documents.openUntitled(text, likePath);
  }

  notifyStatus(status: WindowStatus): void {
    this.onDidReceiveStatusEmitter.fire(status);
  }

  notifyTurns(): void {
    this.onDidChangeTurnsEmitter.fire();
  }

  notifyConversation(id: string): void {
    this.onDidWantConversationEmitter.fire(id);
  }

  notifyLog(lines: readonly string[]): void {
    this.log.append(lines);
  }
}

const key = "patchbay.window";

/**
 * Names this window so that it is the same one after a reload. The name is kept with the page's session, which a duplicated
 * page inherits: only a page that says it was reloaded takes it up again. It never leaves Theia.
 */
export function identifyWindow(): string {
  const [navigation] = performance.getEntriesByType("navigation");
  const reloaded = navigation instanceof PerformanceNavigationTiming && navigation.type === "reload";
  const kept = reloaded ? window.sessionStorage.getItem(key) : null;
  const id = kept ?? Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
  window.sessionStorage.setItem(key, id);
  return id;
}
