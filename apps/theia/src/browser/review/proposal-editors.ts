import { FrontendApplicationStateService } from "@theia/core/lib/browser/frontend-application-state";
import { Saveable, SaveableWidget } from "@theia/core/lib/browser/saveable";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import type { DiffRequest, DiffUpdate, FileStanding, TextEdit } from "@patchbay/core";
import { type DiffPlacement, preferenceNames, preferenceOf } from "../../common/preferences.ts";
import type { ProposalText, ShownProposal, Verdict } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { DraftReports } from "../documents/text-reports.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { OpenProposal } from "./open-proposal.ts";
import {
  proposalDiffUri,
  proposalIdOf,
  ProposalLabels,
  ProposalResources,
  updateModels,
} from "./proposal-resources.ts";
import { QuietOpening } from "../documents/quiet-opening.ts";
import { closeBy, ReviewCloseDialog } from "../surfaces/review-dialogs.ts";
import { Notices } from "../surfaces/notices.ts";

export interface DecidedProposal {
  readonly id: string;
  readonly verdict: Verdict;
}

export interface DraftedProposal {
  readonly id: string;
  readonly text: string;
}

/** The diff editors of this window's proposals. */
@injectable()
export class ProposalEditors {
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;
  @inject(ProposalResources)
  protected readonly resources: ProposalResources;
  @inject(ProposalLabels)
  protected readonly labels: ProposalLabels;
  @inject(QuietOpening)
  protected readonly quietly: QuietOpening;
  @inject(FrontendApplicationStateService)
  protected readonly application: FrontendApplicationStateService;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(Notices)
  protected readonly notices: Notices;

  protected readonly open: Map<string, OpenProposal> = new Map();
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when it is closed.
  protected readonly closing: Map<string, Promise<unknown>> = new Map();
  protected stopping = false;
  protected readonly reports: Set<DraftReports> = new Set();

  protected readonly onDidDecideEmitter: Emitter<DecidedProposal> = new Emitter();
  readonly onDidDecide: Event<DecidedProposal> = this.onDidDecideEmitter.event;
  protected readonly onDidDraftEmitter: Emitter<DraftedProposal> = new Emitter();
  readonly onDidDraft: Event<DraftedProposal> = this.onDidDraftEmitter.event;
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();
  /** Proposals came, went or changed their phase. */
  readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;

  @postConstruct()
  protected init(): void {
    this.editors.onCreated((widget) => {
      const proposal = this.open.get(proposalIdOf(widget.editor.uri) ?? "");
      if (proposal !== undefined) this.adopt(proposal, widget);
    });
  }

  /** The window is about to unload: what is disposed from now on was not closed by the user. */
  stop(): void {
    this.stopping = true;
  }

  /** What the user typed is reported now. */
  flush(): void {
    for (const reports of this.reports) reports.flush();
  }

  /** In the order in which they came. */
  get ids(): readonly string[] {
    return Array.from(this.open.keys());
  }

  get shown(): readonly ShownProposal[] {
    return Array.from(this.open, ([id, proposal]) => ({ id, text: proposal.currentText() }));
  }

  /** The proposal a widget shows. */
  proposalOf(widget: Widget | undefined): OpenProposal | undefined {
    if (!(widget instanceof EditorWidget)) return undefined;
    return this.open.get(proposalIdOf(widget.editor.uri) ?? "");
  }

  /** The proposal the keys go to. */
  get focused(): OpenProposal | undefined {
    return this.proposalOf(this.shell.activeWidget);
  }

  /** The proposal the user looks at, wherever the keys go. */
  get foreground(): OpenProposal | undefined {
    return this.focused ?? this.proposalOf(this.shell.getCurrentWidget("main"));
  }

  /** Opens a proposal without taking the focus. */
  async show(request: DiffRequest): Promise<"opened" | "declined"> {
    // A layout that is restored leaves no room for what was opened before it.
    await this.application.reachedState("initialized_layout");
    // An editor that is being closed would be taken for the new one, and its end for the user's answer.
    await this.closing.get(request.id);
    if (this.open.has(request.id)) return "opened";
    const proposal = new OpenProposal(request);
    this.open.set(request.id, proposal);
    this.labels.set(request.id, proposal.title);
    this.resources.add(request.id, {
      originalText: () => proposal.request.originalText,
      shownText: () => proposal.shownText,
      drafted: request.draftText !== undefined,
      isReadOnly: request.isReadOnly === true,
      save: async (text) => this.decide(proposal, { kind: "accepted", text: proposal.textOf(text) }),
    });
    try {
      if (!(await this.openEditor(proposal))) this.announce(proposal);
    } catch (error) {
      this.forget(proposal);
      throw error;
    }
    this.onDidChangeEmitter.fire();
    return "opened";
  }

  /** Takes the view away, with no question and no verdict. */
  async close(proposalId: string): Promise<void> {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined) return;
    proposal.phase = "ended";
    const widgets = Array.from(proposal.widgets);
    this.forget(proposal);
    const gone = widgets.map((widget) => new Promise<void>((resolve) => widget.disposed.connect(() => resolve())));
    const closing = this.closeAll(widgets);
    this.closing.set(proposalId, Promise.race([closing, Promise.all(gone)]));
    await closing.finally(() => this.closing.delete(proposalId));
    this.onDidChangeEmitter.fire();
  }

  /** Brings a view to the front; one that is being opened comes there when it is. False: it is not shown here. */
  async reveal(proposalId: string): Promise<boolean> {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined) return false;
    const widget = Array.from(proposal.widgets).find(({ isAttached }) => isAttached);
    proposal.isWanted = widget === undefined;
    if (widget !== undefined) await this.quietly.bringForward(() => this.shell.activateWidget(widget.id));
    return true;
  }

  read(proposalId: string): ProposalText {
    return this.open.get(proposalId)?.currentText() ?? { kind: "unchanged" };
  }

  setAgentPresent(proposalId: string, present: boolean): void {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined) return;
    proposal.agentPresent = present;
    this.retitle(proposal);
  }

  setStanding(proposalId: string, standing: FileStanding): void {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined) return;
    proposal.standing = standing;
    this.retitle(proposal);
  }

  /** These proposals have lost their agents for good: their texts are the user's. */
  setKept(ids: ReadonlySet<string>): void {
    for (const [id, proposal] of this.open) {
      if (proposal.isKept === ids.has(id)) continue;
      proposal.isKept = ids.has(id);
      this.retitle(proposal);
    }
  }

  /** The file under review has changed: both sides follow, and an accept that was not possible may be made again. */
  async update(
    proposalId: string,
    update: DiffUpdate,
    edits: readonly TextEdit[],
  ): Promise<"applied" | "stale" | "gone"> {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined) return "gone";
    if (proposal.heldText !== update.expectedText) return "stale";
    const [widget] = proposal.widgets;
    proposal.follow(update, undefined);
    if (widget !== undefined) {
      const updating = updateModels(widget, update, edits);
      // Before anybody can type again.
      proposal.loaded(widget.editor.document.getText());
      await updating;
    }
    if (proposal.phase === "deciding") proposal.phase = "open";
    this.retitle(proposal);
    return "applied";
  }

  protected retitle(proposal: OpenProposal): void {
    this.labels.set(proposal.request.id, proposal.title);
    this.onDidChangeEmitter.fire();
  }

  accept(proposal: OpenProposal): void {
    this.decide(proposal, { kind: "accepted", text: proposal.currentText() });
  }

  reject(proposal: OpenProposal): void {
    this.decide(proposal, { kind: "rejected" });
  }

  /** The verdict did not reach the backend: the user may decide again. */
  reopen(proposalId: string): void {
    const proposal = this.open.get(proposalId);
    if (proposal === undefined || proposal.phase !== "deciding") return;
    proposal.phase = "open";
    this.onDidChangeEmitter.fire();
  }

  protected async openEditor(proposal: OpenProposal): Promise<boolean> {
    const { id, path } = proposal.request;
    const uri = proposalDiffUri(fileUriOf(path), id);
    const placement = preferenceOf<DiffPlacement>(this.preferences, preferenceNames.placement, "active");
    // Where the keys go to an editor, the view opens behind it: nothing is hidden from under the user's hands.
    const mode = this.quietly.isMainAreaInUse && placement !== "beside" ? "open" : "reveal";
    const widget = await this.quietly.run(() =>
      placement === "beside" ? this.editors.openToSide(uri, { mode: "reveal" }) : this.editors.open(uri, { mode }),
    );
    if (this.open.get(id) !== proposal) {
      // It was decided elsewhere while its editor was being made.
      await this.closeWithoutQuestion(widget);
      return true;
    }
    this.adopt(proposal, widget);
    if (proposal.isWanted) await this.reveal(id);
    return widget.isVisible;
  }

  /** The view is behind the editor the user types in. */
  protected announce(proposal: OpenProposal): void {
    const review = nls.localize("patchbay/announce/review", "Review");
    const { agentName, path, id } = proposal.request;
    const text = nls.localize(
      "patchbay/announce/text",
      "{0} proposes a change to {1}.",
      agentName,
      fileUriOf(path).path.base,
    );
    const notice = this.notices.info(text, { timeout: 15_000, actions: [review] });
    proposal.onDidEnd(() => notice.withdraw());
    for (const widget of proposal.widgets) {
      widget.onDidChangeVisibility((isVisible) => {
        if (isVisible) notice.withdraw();
      });
    }
    notice.answer.then(
      (answer) => (answer === review ? this.reveal(id) : undefined),
      () => undefined,
    );
  }

  protected adopt(proposal: OpenProposal, widget: EditorWidget): void {
    if (proposal.widgets.has(widget)) return;
    proposal.widgets.add(widget);
    const { document } = widget.editor;
    proposal.loaded(document.getText());
    // Theia has no path of its own to show for a diff.
    widget.title.caption = visibleText(proposal.request.path);
    closeBy(widget, this.shell, () => this.closeAsked(proposal, widget));
    const reports = new DraftReports(() => this.reportDraft(proposal, widget));
    this.reports.add(reports);
    const changes = document.onContentChanged(() => reports.note(proposal.shownText.length));
    widget.disposed.connect(() => {
      changes.dispose();
      reports.dispose();
      this.reports.delete(reports);
      proposal.widgets.delete(widget);
      if (proposal.widgets.size === 0) this.closedByUser(proposal);
    });
  }

  protected reportDraft(proposal: OpenProposal, widget: EditorWidget): void {
    if (proposal.phase !== "open") return;
    const text = proposal.textOf(widget.editor.document.getText());
    this.onDidDraftEmitter.fire({
      id: proposal.request.id,
      text: text.kind === "edited" ? text.text : proposal.shownText,
    });
  }

  protected async closeAsked(proposal: OpenProposal, widget: EditorWidget): Promise<void> {
    const losesEdits =
      Saveable.isDirty(widget) &&
      proposal.phase === "open" &&
      !proposal.isKept &&
      proposal.widgets.size === 1 &&
      proposal.request.decidedBy === undefined;
    if (!losesEdits) return await this.closeWithoutQuestion(widget);
    const { agentName, path } = proposal.request;
    const accept = await new ReviewCloseDialog(agentName, fileUriOf(path).path.base).open();
    // Escape and the dialog's own cross leave everything as it is, like "Cancel".
    if (accept === true) this.accept(proposal);
    else if (accept === false) this.reject(proposal);
  }

  protected decide(proposal: OpenProposal, verdict: Verdict): void {
    if (proposal.phase !== "open") return;
    proposal.phase = "deciding";
    this.onDidChangeEmitter.fire();
    this.onDidDecideEmitter.fire({ id: proposal.request.id, verdict });
  }

  protected closedByUser(proposal: OpenProposal): void {
    if (this.stopping) return;
    const { phase } = proposal;
    this.forget(proposal);
    this.onDidChangeEmitter.fire();
    if (phase === "open") this.onDidDecideEmitter.fire({ id: proposal.request.id, verdict: { kind: "closed" } });
  }

  protected async closeAll(widgets: readonly EditorWidget[]): Promise<void> {
    for (const widget of widgets) await this.closeWithoutQuestion(widget);
  }

  protected async closeWithoutQuestion(widget: EditorWidget): Promise<void> {
    await Saveable.get(widget)?.revert?.({ soft: true });
    if (SaveableWidget.is(widget)) await widget.closeWithoutSaving(false);
    else widget.dispose();
  }

  protected forget(proposal: OpenProposal): void {
    const { id } = proposal.request;
    this.open.delete(id);
    proposal.end();
    this.resources.remove(id);
    this.labels.delete(id);
  }
}
