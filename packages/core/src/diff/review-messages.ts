import type { EditorHost, HostMessage } from "../editor-host.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { AcceptRefusal, KeptTextSaving } from "./model.ts";
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
  /** A proposal is refused, because those that are open fill the room there is. */
  noRoom(agent: string, path: string): void;
  /** What waited on disk for its agent is not there any more. */
  answerLost(proposal: Proposal): void;
  /** An accept does not count, and the review goes on. */
  notAccepted(proposal: Proposal, because: AcceptRefusal): void;
  /** The file has changed since the accept, which its agent did not know yet. */
  outdatedAccept(proposal: Proposal, save: () => Promise<void>): void;
  /** Long after an accept the file is as it was. */
  unwritten(
    proposal: Proposal,
    because: "not-written" | "agent-exited",
    offered: { readonly save: () => Promise<void>; readonly show: () => Promise<void> },
  ): void;
  /** The user is done with the kept text: no message offers to save it any more. */
  takeOfferBack(proposal: Proposal): void;
}

const showIt = "Show";
const saveToFile = "Save to File";
const applyEdits = "Apply My Edits";

export function createReviewMessages(host: Pick<EditorHost, "messages">, logger: Logger): ReviewMessages {
  // Messages stand for hours: while one does, nothing may be held here but what it says. A text would stay in memory with it.
  const show = async (
    { agent, path }: About,
    code: string,
    severity: HostMessage["severity"],
    text: string,
    actions: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | undefined> => {
    try {
      return await host.messages.show({
        ...(signal === undefined ? {} : { signal }),
        code,
        severity,
        text,
        actions,
        values: { agent, path },
      });
    } catch (error) {
      logger.warn("A message could not be shown", { code, reason: messageOf(error) });
      return undefined;
    }
  };
  const offers = new Map<string, AbortController>();
  /** A sentence about a text that stands in the list of kept texts now; it takes the place of an earlier one. */
  const offerToSave = (
    about: About,
    code: string,
    severity: HostMessage["severity"],
    sentence: string,
    save: () => Promise<void>,
    label: string = saveToFile,
    others: Readonly<Record<string, () => Promise<void>>> = {},
  ): void => {
    const offer = new AbortController();
    offers.get(about.id)?.abort();
    offers.set(about.id, offer);
    const run = new Map([[label, save], ...Object.entries(others)]);
    void show(about, code, severity, sentence, [...run.keys()], offer.signal)
      .then((action) => (action === undefined || offer.signal.aborted ? undefined : run.get(action)?.()))
      .catch((error: unknown) => logger.warn("The kept text could not be saved", { code, reason: messageOf(error) }));
  };
  return {
    outsideWorkspace: async (proposal, signal) => {
      const about = aboutOf(proposal);
      const text = `${about.agent} proposes a change to ${about.path}, which is outside this workspace. Show it?`;
      return (await show(about, "outside-workspace", "warning", text, [showIt, "Do Not Show"], signal)) === showIt;
    },
    superseded: (proposal) => {
      const about = aboutOf(proposal);
      const text = `${about.agent} made a newer proposal for ${about.path}. The earlier one, with your edits, stays open beside it.`;
      void show(about, "proposal-superseded", "info", text, []);
    },
    answerNotUsed: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} made a new proposal for ${about.path} before it received your answer, so your edits were not used. They are kept in the list of proposals.`;
      offerToSave(about, "answer-not-used", "warning", sentence, save);
    },
    editsNotUsed: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `You answered ${about.agent} in its terminal, so your edits to ${about.path} were not used. They are kept in the list of proposals.`;
      offerToSave(about, "edits-not-used", "warning", sentence, save);
    },
    writtenWithoutEdits: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} has written ${about.path} without your edits. Apply them now? They are kept in the list of proposals until then.`;
      offerToSave(about, "written-without-edits", "warning", sentence, save, applyEdits);
    },
    answerInTerminal: (proposal) => {
      const about = aboutOf(proposal);
      const sentence = `Answer in ${about.agent}'s terminal. You can apply your edits once it has written ${about.path}.`;
      const plain = `Answer in ${about.agent}'s terminal. It no longer takes the editor's answer for ${about.path}.`;
      void show(about, "answer-in-terminal", "warning", proposal.isEdited ? sentence : plain, []);
    },
    notWritten: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} is no longer waiting for this proposal, so ${about.path} was not changed. Your text is kept in the list of proposals.`;
      offerToSave(about, "agent-gone", "warning", sentence, save);
    },
    keptUntilReturn: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} is not connected, so ${about.path} was not changed. Your answer is kept in the list of proposals and will be sent when the agent reconnects.`;
      offerToSave(about, "kept-until-return", "info", sentence, save);
    },
    notDelivered: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} exited before it received your answer, so ${about.path} was not changed. Your text is kept in the list of proposals.`;
      offerToSave(about, "not-delivered", "warning", sentence, save);
    },
    keptTextNotSaved: (proposal, saving) => {
      const about = aboutOf(proposal);
      const sentence =
        saving.kind === "conflict"
          ? `${about.path} has changed in the same lines, so nothing was written. Your text is kept in the list of proposals.`
          : `Your text could not be saved to ${about.path}; see the log. It is kept in the list of proposals.`;
      void show(about, "kept-text-not-saved", "error", sentence, []);
    },
    emptied: (proposal) => {
      const about = aboutOf(proposal);
      void show(
        about,
        "emptied",
        "info",
        `${about.agent} cannot write an empty file, so ${about.path} will contain a single line break.`,
        [],
      );
    },
    notAccepted: (proposal, found) => {
      const about = aboutOf(proposal);
      const because = found === "conflict" && proposal.facts.isReadOnly === true ? "conflict-read-only" : found;
      const sentences: Readonly<Record<AcceptRefusal, string>> = {
        conflict: `Not accepted yet: ${about.path} has changed in the same lines. The right side shows both versions; resolve the conflict, then accept.`,
        "not-written-yet": `Not accepted yet: ${about.path} is still waiting for another change that you accepted. Accept this one once that has been written.`,
        "changed-read-only": `Not accepted yet: ${about.path} has changed since ${about.agent} made this proposal, and you cannot edit what ${about.agent} will write. Accept again to let it.`,
        "conflict-read-only": `Not accepted: ${about.path} has changed in the same lines, and ${about.agent} does not take an edited text. Reject the change and ask for it again.`,
        "changed-unreadable": `Not accepted yet: ${about.path} has changed since ${about.agent} made this proposal, and cannot be shown as text. Accept again to replace it.`,
      };
      void show(about, `not-accepted-${because}`, "warning", sentences[because], []);
    },
    outdatedAccept: (proposal, save) => {
      const about = aboutOf(proposal);
      const sentence = `${about.path} has changed in the same lines since you accepted ${about.agent}'s change, so the change was not sent. The text is kept in the list of proposals.`;
      offerToSave(about, "outdated-accept", "warning", sentence, save);
    },
    unwritten: (proposal, because, { save, show: showText }) => {
      const about = aboutOf(proposal);
      const sentences = {
        "not-written": `${about.agent} has not written the change you accepted for ${about.path}. Agents refuse to write a file that has changed since they read it. The text is kept in the list of proposals.`,
        "agent-exited": `${about.agent} exited before it wrote the change you accepted for ${about.path}. The text is kept in the list of proposals.`,
      };
      offerToSave(about, "not-written", "warning", sentences[because], save, saveToFile, { [showIt]: showText });
    },
    takeOfferBack: ({ id }) => {
      offers.get(id)?.abort();
      offers.delete(id);
    },
    noRoom: (agent, path) => {
      const about = { id: "", agent, path };
      const sentence = `${about.agent} proposed a change to ${about.path} that cannot be shown here because too many proposals are open. Accept or reject some of them, or answer in the agent's terminal.`;
      void show(about, "no-room", "warning", sentence, []);
    },
    answerLost: (proposal) => {
      const about = aboutOf(proposal);
      const sentence = `${about.agent} did not reconnect to receive your answer for ${about.path}. The answer was dropped to make room for newer ones, so the file was not changed.`;
      void show(about, "answer-lost", "warning", sentence, []);
    },
    draftNotKept: (proposal) => {
      const about = aboutOf(proposal);
      void show(
        about,
        "draft-not-kept",
        "error",
        `Your edits to the proposal for ${about.path} cannot be saved to disk (is it full?). They will be lost when the editor closes.`,
        [],
      );
    },
  };
}

/** What a message says of a proposal. */
interface About {
  readonly id: string;
  readonly agent: string;
  readonly path: string;
}

function aboutOf({ id, facts }: Proposal): About {
  return { id, agent: facts.owner.agentName, path: facts.input.path };
}
