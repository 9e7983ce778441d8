import type { DiffCloseReason, DiffRequest, DiffUpdate, FileDiagnostics, FileStanding, TextEdit } from "@patchbay/core";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { inject, injectable } from "@theia/core/shared/inversify";
import type {
  OpenDocumentRequest,
  PatchbayWindow,
  ProposalText,
  WindowMessage,
  WindowStatus,
} from "../common/protocol.ts";
import { DocumentActions } from "./document-actions.ts";
import { HostMessages } from "./host-messages.ts";
import { LogView } from "./log-view.ts";
import { ProblemReader } from "./problem-reader.ts";
import { ProposalEditors } from "./proposal-editors.ts";

/** What the backend can ask of this window, passed on to those who do it. */
@injectable()
export class WindowClient implements PatchbayWindow {
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(HostMessages)
  protected readonly messages: HostMessages;
  @inject(ProblemReader)
  protected readonly problems: ProblemReader;
  @inject(DocumentActions)
  protected readonly documents: DocumentActions;
  @inject(LogView)
  protected readonly log: LogView;

  protected readonly onDidReceiveStatusEmitter: Emitter<WindowStatus> = new Emitter();
  readonly onDidReceiveStatus: Event<WindowStatus> = this.onDidReceiveStatusEmitter.event;

  openDiff(request: DiffRequest): Promise<"opened" | "declined"> {
    return this.proposals.show(request);
  }

  closeDiff(proposalId: string, _reason: DiffCloseReason): Promise<void> {
    return this.proposals.close(proposalId);
  }

  revealDiff(proposalId: string): Promise<void> {
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

  notifyLog(lines: readonly string[]): void {
    this.log.append(lines);
  }
}
