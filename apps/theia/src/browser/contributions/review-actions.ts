import type { DiffRequest, HunkDecision } from "@patchbay/core";
import { presencesOf } from "@patchbay/core/presences";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { CommandRegistry } from "@theia/core/lib/common/command";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { PatchbayServer } from "../../common/protocol.ts";
import { isDecidable } from "../inbox/inbox-row.ts";
import type { OpenProposal } from "../review/open-proposal.ts";
import { DecideAllDialog } from "../surfaces/careful-dialogs.ts";
import { Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { AgentPrompts } from "./agent-prompts.ts";
import { patchbayCommands } from "./patchbay-commands.ts";

/** Where a verdict on a hunk is asked for. */
export interface HunkPlace {
  readonly proposal: OpenProposal;
  readonly widget: EditorWidget;
  /** On the right side, from 0. */
  readonly line: number;
}

/** What is done with a review beyond a plain verdict. */
@injectable()
export class ReviewActions {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(ClipboardService)
  protected readonly clipboard: ClipboardService;

  /** Enter rejects, with or without a text; Escape leaves the review as it is. */
  async rejectWithReason({ id, agentName }: Pick<DiffRequest, "agentName" | "id">): Promise<void> {
    const given = await this.lists.ask({
      placeholder: nls.localize("patchbay/reason/why", "Why? (optional)"),
      prompt: nls.localize(
        "patchbay/reason/prompt",
        "Rejects the proposal. {0} reads your text if it asked by its hook; else it is put into its prompt, not sent, or goes to the clipboard.",
        agentName,
      ),
    });
    if (given === undefined) return;
    const reason = given.trim();
    const presence = presencesOf(this.attachment.status).find((one) => one.proposals.some((own) => own.id === id));
    const result = await this.server.rejectWithReason(id, reason);
    if (result === "ended")
      this.notices.info(nls.localize("patchbay/reason/ended", "This proposal has already been decided."));
    if (reason === "") return;
    if (result === "told") {
      this.notices.info(nls.localize("patchbay/reason/told", "Rejected. {0} reads your text.", agentName), {
        timeout: 5000,
      });
      return;
    }
    if (result === "rejected" && presence !== undefined && (await this.prompts.pasteOnceFree(presence, reason))) {
      this.notices.info(
        nls.localize(
          "patchbay/reason/pasted",
          "Rejected. Your text is in the prompt of {0}: press Enter there to send it.",
          agentName,
        ),
        { timeout: 8000 },
      );
      return;
    }
    await this.clipboard.writeText(reason);
    this.notices.info(
      nls.localize(
        "patchbay/reason/copied",
        "Your text is in the clipboard: paste it into the prompt of {0}.",
        agentName,
      ),
    );
  }

  /**
   * Asks first: what is decided at once is seen at once, and what comes while the user reads is not among it. `some`: the ids of those
   * that are meant; anything else, as the widget of a button, means all.
   */
  async decideAll(verdict: "accept" | "reject", some: unknown): Promise<void> {
    const proposals = this.attachment.status.proposals
      .filter(isDecidable)
      .filter(({ id }) => !Array.isArray(some) || some.includes(id));
    if (proposals.length === 0 || (await new DecideAllDialog({ verdict, proposals }).open()) !== true) return;
    const decided = await this.server.decideAll(
      verdict,
      proposals.map(({ id }) => id),
    );
    if (decided === proposals.length) return;
    this.notices.warn(
      verdict === "accept"
        ? nls.localize("patchbay/all/accepted", "Accepted {0} of {1} proposals.", decided, proposals.length)
        : nls.localize("patchbay/all/rejected", "Rejected {0} of {1} proposals.", decided, proposals.length),
    );
  }

  async decideHunk({ proposal, widget, line }: HunkPlace, verdict: "accept" | "reject"): Promise<void> {
    const decision = await this.server.decideHunk(proposal.request.id, verdict, line);
    if (decision.kind === "decided") {
      if (decision.next !== undefined) show(widget, decision.next.start);
      return;
    }
    const words = wordsOf(decision);
    if (words !== undefined) this.notices.info(words, { timeout: 5000 });
  }

  /** Past the last hunk comes the next review. */
  async stepHunk({ proposal, widget, line }: HunkPlace, direction: 1 | -1): Promise<void> {
    const hunks = (await this.server.hunks(proposal.request.id)) ?? [];
    const starts = hunks.map(({ right }) => right.start);
    const next = direction === 1 ? starts.find((start) => start > line) : starts.findLast((start) => start < line);
    if (next !== undefined) return show(widget, next);
    const beyond = direction === 1 ? patchbayCommands.next : patchbayCommands.previous;
    await this.commands.executeCommand(beyond.id);
  }

  async undoHunk({ proposal }: HunkPlace): Promise<void> {
    if (await this.server.undoHunk(proposal.request.id)) return;
    this.notices.info(nls.localize("patchbay/hunk/nothing", "There is no decision on a hunk to undo."), {
      timeout: 5000,
    });
  }
}

function wordsOf(decision: HunkDecision): string | undefined {
  switch (decision.kind) {
    case "conflict":
      return nls.localize("patchbay/hunk/conflict", "Resolve the conflict first.");
    case "read-only":
      return nls.localize("patchbay/hunk/readOnly", "This agent takes or leaves the whole change.");
    case "none":
      return nls.localize("patchbay/hunk/none", "There is no hunk left to decide.");
    default:
      // The end of the review shows for itself.
      return undefined;
  }
}

/** Puts the cursor at the begin of a line, and the line on the screen. */
function show({ editor }: EditorWidget, line: number): void {
  const position = { line, character: 0 };
  editor.cursor = position;
  editor.revealPosition(position, { vertical: "centerIfOutsideViewport" });
}
