import type { EditorHost, HostMessage } from "../editor-host.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { AcceptRefusal } from "./file-follower.ts";
import type { KeptTextSaving } from "./model.ts";
import type { Proposal } from "./proposal.ts";

/** Everything a review tells the user; each of them once, with what to do. */
export interface ReviewMessages {
  /** Asks before a file outside the workspace is shown. False also when the question is dismissed. `signal`: answered elsewhere. */
  outsideWorkspace(proposal: Proposal, signal: AbortSignal): Promise<boolean>;
  superseded(proposal: Proposal): void;
  /** What was typed into an accepted proposal that its agent never got. `save`: the user's "Save to File", here and below. */
  answerNotUsed(proposal: Proposal, save: () => Promise<void>): void;
  editsNotUsed(proposal: Proposal, save: () => Promise<void>): void;
  /** The agent has written its own version after its terminal was answered. */
  writtenWithoutEdits(proposal: Proposal, save: () => Promise<void>): void;
  /** The user accepted what only the agent's terminal can answer. */
  answerInTerminal(proposal: Proposal): void;
  /** The user accepted what nobody waits for. */
  notWritten(proposal: Proposal, save: () => Promise<void>): void;
  keptUntilReturn(proposal: Proposal, save: () => Promise<void>): void;
  notDelivered(proposal: Proposal, save: () => Promise<void>): void;
  keptTextNotSaved(proposal: Proposal, saving: Exclude<KeptTextSaving, { readonly kind: "saved" }>): void;
  emptied(proposal: Proposal): void;
  draftNotKept(proposal: Proposal): void;
  /** What waited on disk for its agent is not there any more. */
  answerLost(proposal: Proposal): void;
  /** An accept does not count, and the review goes on. */
  notAccepted(proposal: Proposal, because: AcceptRefusal): void;
  /** The file has changed since the accept, which its agent did not know yet. */
  outdatedAccept(proposal: Proposal, save: () => Promise<void>): void;
  /** Long after an accept the file is as it was. */
  unwritten(proposal: Proposal, save: () => Promise<void>): void;
  /** The user is done with the kept text: no message offers to save it any more. */
  takeOfferBack(proposal: Proposal): void;
}

const showIt = "Show";
const saveToFile = "Save to File";
const applyEdits = "Apply My Edits";

export function createReviewMessages(host: Pick<EditorHost, "messages">, logger: Logger): ReviewMessages {
  const show = async (
    proposal: Proposal,
    code: string,
    severity: HostMessage["severity"],
    text: string,
    actions: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | undefined> => {
    const { owner, input } = proposal.facts;
    try {
      return await host.messages.show({
        ...(signal === undefined ? {} : { signal }),
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
  const offers = new Map<string, AbortController>();
  /** A sentence about a text that stands in the list of kept texts now; it takes the place of an earlier one. */
  const offerToSave = (
    proposal: Proposal,
    code: string,
    severity: HostMessage["severity"],
    sentence: string,
    save: () => Promise<void>,
    label: string = saveToFile,
  ): void => {
    const offer = new AbortController();
    offers.get(proposal.id)?.abort();
    offers.set(proposal.id, offer);
    void show(proposal, code, severity, sentence, [label], offer.signal)
      .then((action) => (action === label && !offer.signal.aborted ? save() : undefined))
      .catch((error: unknown) => logger.warn("The kept text could not be saved", { code, reason: messageOf(error) }));
  };
  return {
    outsideWorkspace: async (proposal, signal) => {
      const { owner, input } = proposal.facts;
      const text = `${owner.agentName} proposes a change to ${input.path}, which is outside this workspace. Show it?`;
      return (await show(proposal, "outside-workspace", "warning", text, [showIt, "Do Not Show"], signal)) === showIt;
    },
    superseded: (proposal) => {
      const { owner, input } = proposal.facts;
      const text = `${owner.agentName} made a newer proposal for ${input.path}. What you typed into the earlier one stays open beside it.`;
      void show(proposal, "proposal-superseded", "info", text, []);
    },
    answerNotUsed: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} made a new proposal for ${input.path} before it had your answer, so your edits were not used. They are kept in the list of proposals.`;
      offerToSave(proposal, "answer-not-used", "warning", sentence, save);
    },
    editsNotUsed: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `You answered ${owner.agentName} in its terminal, so your edits to ${input.path} were not used. They are kept in the list of proposals.`;
      offerToSave(proposal, "edits-not-used", "warning", sentence, save);
    },
    writtenWithoutEdits: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} has written ${input.path} without your edits. Apply them now? They are kept in the list of proposals until then.`;
      offerToSave(proposal, "written-without-edits", "warning", sentence, save, applyEdits);
    },
    answerInTerminal: (proposal) => {
      const { owner, input } = proposal.facts;
      const sentence = `Answer in the terminal of ${owner.agentName}. Your edits to ${input.path} can be applied after it has written.`;
      const plain = `Answer in the terminal of ${owner.agentName}: it does not hear this editor about ${input.path} any more.`;
      void show(proposal, "answer-in-terminal", "warning", proposal.isEdited ? sentence : plain, []);
    },
    notWritten: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} no longer waits for this proposal, so ${input.path} was not changed. Your text is kept in the list of proposals.`;
      offerToSave(proposal, "agent-gone", "warning", sentence, save);
    },
    keptUntilReturn: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} is not connected, so ${input.path} was not changed. Your answer is delivered when it returns, and kept in the list of proposals until then.`;
      offerToSave(proposal, "kept-until-return", "info", sentence, save);
    },
    notDelivered: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} exited before it had your answer, so ${input.path} was not changed. Your text is kept in the list of proposals.`;
      offerToSave(proposal, "not-delivered", "warning", sentence, save);
    },
    keptTextNotSaved: (proposal, saving) => {
      const { path } = proposal.facts.input;
      const sentence =
        saving.kind === "conflict"
          ? `${path} has changed in the same lines meanwhile, so nothing was written. Your text is kept in the list of proposals.`
          : `Your text could not be saved to ${path}; the log says why. It is kept in the list of proposals.`;
      void show(proposal, "kept-text-not-saved", "error", sentence, []);
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
    notAccepted: (proposal, because) => {
      const { owner, input } = proposal.facts;
      const sentences: Readonly<Record<AcceptRefusal, string>> = {
        conflict: `Not accepted yet: ${input.path} has changed in the same lines. The right side shows both versions; resolve the conflict, then accept.`,
        "not-written-yet": `Not accepted yet: another change you accepted for ${input.path} has not been written. Accept this one when it has.`,
        "changed-unreadable": `Not accepted yet: ${input.path} has changed since ${owner.agentName} proposed this, and cannot be shown as text. Accept again to replace it.`,
      };
      void show(proposal, `not-accepted-${because}`, "warning", sentences[because], []);
    },
    outdatedAccept: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${input.path} has changed in the same lines since you accepted the change of ${owner.agentName}, so it was not sent. The text is kept in the list of proposals.`;
      offerToSave(proposal, "outdated-accept", "warning", sentence, save);
    },
    unwritten: (proposal, save) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} has not written the change you accepted for ${input.path}; agents refuse where a file has changed since they read it. The text is kept in the list of proposals.`;
      offerToSave(proposal, "not-written", "warning", sentence, save);
    },
    takeOfferBack: ({ id }) => {
      offers.get(id)?.abort();
      offers.delete(id);
    },
    answerLost: (proposal) => {
      const { owner, input } = proposal.facts;
      const sentence = `${owner.agentName} did not come back for your answer about ${input.path}. It was dropped to make room for newer ones, so the file was not changed.`;
      void show(proposal, "answer-lost", "warning", sentence, []);
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
