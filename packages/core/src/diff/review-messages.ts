import type { EditorHost, HostMessage } from "../editor-host.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Proposal } from "./proposal.ts";

/** Everything a review tells the user; each of them once, with what to do. */
export interface ReviewMessages {
  /** Asks before a file outside the workspace is shown. False also when the question is dismissed. */
  outsideWorkspace(proposal: Proposal): Promise<boolean>;
  superseded(proposal: Proposal): void;
  answerNotUsed(proposal: Proposal, text: string): void;
  editsNotUsed(proposal: Proposal, text: string): void;
  handBack(proposal: Proposal, text: string): void;
  keptUntilReturn(proposal: Proposal, text: string): void;
  emptied(proposal: Proposal): void;
  draftNotKept(proposal: Proposal): void;
}

const showIt = "Show";
const openText = "Open Text";

export function createReviewMessages(host: Pick<EditorHost, "messages" | "documents">, logger: Logger): ReviewMessages {
  const show = async (
    proposal: Proposal,
    code: string,
    severity: HostMessage["severity"],
    text: string,
    actions: readonly string[],
  ): Promise<string | undefined> => {
    const { owner, input } = proposal.facts;
    try {
      return await host.messages.show({
        code,
        severity,
        text,
        actions,
        values: { agent: owner.agentName, path: input.path },
      });
    } catch (error) {
      logger.warn("A message could not be shown", { code, reason: messageOf(error) });
      return undefined;
    }
  };
  const offerText = (
    proposal: Proposal,
    code: string,
    severity: HostMessage["severity"],
    sentence: string,
    text: string,
  ): void => {
    const open = host.documents?.openUntitled;
    void show(proposal, code, severity, sentence, open === undefined ? [] : [openText])
      .then(async (action) => {
        if (action === openText && host.documents?.openUntitled !== undefined) {
          await host.documents.openUntitled(text, proposal.facts.input.path);
        }
      })
      .catch((error: unknown) => logger.warn("The kept text could not be opened", { code, reason: messageOf(error) }));
  };
  return {
    outsideWorkspace: async (proposal) => {
      const { owner, input } = proposal.facts;
      const text = `${owner.agentName} proposes a change to ${input.path}, which is outside this workspace. Show it?`;
      return (await show(proposal, "outside-workspace", "warning", text, [showIt, "Do Not Show"])) === showIt;
    },
    superseded: (proposal) => {
      const { owner, input } = proposal.facts;
      const text = `${owner.agentName} made a newer proposal for ${input.path}. What you typed into the earlier one stays open beside it.`;
      void show(proposal, "proposal-superseded", "info", text, []);
    },
    answerNotUsed: (proposal, text) => {
      const { owner, input } = proposal.facts;
      offerText(
        proposal,
        "answer-not-used",
        "warning",
        `${owner.agentName} made a new proposal for ${input.path} before it had your answer, so what you had typed was not used.`,
        text,
      );
    },
    editsNotUsed: (proposal, text) => {
      const { owner, input } = proposal.facts;
      offerText(
        proposal,
        "edits-not-used",
        "warning",
        `You answered ${owner.agentName} in the terminal, so what you typed into its proposal for ${input.path} was not used.`,
        text,
      );
    },
    handBack: (proposal, text) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} no longer waits for this proposal for ${input.path}, so nothing was written. Your text is at hand.`;
      const open = host.documents?.openUntitled;
      if (open !== undefined) {
        void open
          .call(host.documents, text, input.path)
          .catch((error: unknown) => logger.warn("The kept text could not be opened", { reason: messageOf(error) }));
      }
      void show(proposal, "agent-gone", "warning", sentence, []);
    },
    keptUntilReturn: (proposal, text) => {
      const { owner, input } = proposal.facts;
      offerText(
        proposal,
        "kept-until-return",
        "info",
        `${owner.agentName} is not connected right now. Your answer for ${input.path} is kept and delivered when it returns.`,
        text,
      );
    },
    emptied: (proposal) => {
      const { owner, input } = proposal.facts;
      void show(
        proposal,
        "emptied",
        "info",
        `${owner.agentName} cannot write an empty text, so ${input.path} will hold a single line end.`,
        [],
      );
    },
    draftNotKept: (proposal) => {
      void show(
        proposal,
        "draft-not-kept",
        "error",
        `What you type in the review of ${proposal.facts.input.path} cannot be kept on disk (is the disk full?). It would be lost with the editor.`,
        [],
      );
    },
  };
}
