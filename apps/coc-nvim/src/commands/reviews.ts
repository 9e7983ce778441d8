import { basename, dirname } from "node:path";
import type { Companion, KeptReason, KeptTextSaving, ProposalInfo } from "@patchbay/core";
import { l10n } from "@patchbay/languages/spoken";
import type { PendingQuestion, PendingQuestions } from "../host/pending-questions.ts";
import type { Coc } from "../vim/coc-vim.ts";
import { sendLines } from "../vim/long-text.ts";
import { asNumber, asShape, asText, plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";

/** Why nobody but the user can do anything with a text. */
const keptBecause: () => Readonly<Record<KeptReason, string>> = () => ({
  "agent-exited": l10n.t("the agent has exited"),
  withdrawn: l10n.t("the agent has withdrawn its change"),
  superseded: l10n.t("the agent has made a newer proposal"),
  "answered-in-terminal": l10n.t("answered in the agent's terminal without your text"),
  "not-delivered": l10n.t("the agent has not reconnected"),
  "not-written": l10n.t("accepted, not written"),
});

/** One line of `:CocList patchbay`; `reason` is that of a kept text. What is cut off at the edge of the screen is the path. */
export function proposalLabel(proposal: ProposalInfo, reason?: KeptReason): string {
  const marks = [
    ...(proposal.edited && proposal.state !== "kept" ? [l10n.t("edited")] : []),
    ...(proposal.state === "terminal" ? [l10n.t("answer in the agent's terminal")] : []),
    ...(proposal.state === "away" ? [l10n.t("the agent is not connected")] : []),
    ...(proposal.state === "kept"
      ? [
          reason === undefined
            ? l10n.t("save, yank or discard it")
            : l10n.t("{0}: save, yank or discard it", keptBecause()[reason]),
        ]
      : []),
    ...(proposal.state === "asking" ? [l10n.t("outside the folder: open shows it")] : []),
    ...(proposal.isHeld ? [l10n.t("held")] : proposal.state === "hidden" ? [l10n.t("not shown")] : []),
    ...(proposal.state === "listed" ? [l10n.t("open shows it")] : []),
    ...(proposal.standing === "conflict" ? [l10n.t("conflict")] : []),
  ];
  const about = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return plainLine(`${changeWords(proposal)}${about}  ${proposal.path}`);
}

function changeWords({ kind, agentName, path }: ProposalInfo): string {
  switch (kind) {
    case "create":
      return l10n.t("{0} creates {1}", agentName, basename(path));
    case "change":
      return l10n.t("{0} changes {1}", agentName, basename(path));
    case "delete":
      return l10n.t("{0} empties {1}", agentName, basename(path));
  }
}

/** The actions of the list, the default first. */
export type ReviewActionName = "open" | "accept" | "acceptAll" | "reject" | "hold" | "save" | "yank" | "discard";

/** Those of one proposal that are about all in its folder and below. */
const ofFolder: Readonly<Record<string, "accept" | "reject">> = { acceptFolder: "accept", rejectFolder: "reject" };

/** What the list's actions need of the companion. */
export type ReviewListCompanion = Pick<
  Companion,
  | "accept"
  | "acceptAll"
  | "discardKeptText"
  | "hold"
  | "keptTexts"
  | "proposals"
  | "readKeptText"
  | "reject"
  | "reveal"
  | "saveKeptText"
>;

/** What an action of the list does with a proposal; the sentence is for the user. */
export type ReviewAction = (id: string) => Promise<string | undefined>;

/**
 * The actions of `:CocList patchbay`, the default first. Of a text that no agent takes any more there is nothing to accept or to
 * reject. `listed`: the ids in the list; what has come since was not seen and is not accepted with all.
 */
export function createReviewActions(
  companion: ReviewListCompanion,
  vim: Pick<Vim, "call">,
  listed: readonly string[],
): Readonly<Record<ReviewActionName, ReviewAction>> {
  const pathOf = (id: string): string | undefined => companion.keptTexts.find((kept) => kept.id === id)?.path;
  const ofProposals =
    (run: (id: string) => Promise<unknown>): ReviewAction =>
    async (id) => {
      if (pathOf(id) !== undefined) return l10n.t("No agent is waiting for it: save, yank or discard the text.");
      await run(id);
      return undefined;
    };
  const ofKept =
    (run: (id: string, path: string) => Promise<string | undefined>): ReviewAction =>
    async (id) => {
      const path = pathOf(id);
      return path === undefined ? l10n.t("Its agent is waiting for an answer: accept or reject it.") : run(id, path);
    };
  return {
    open: async (id) => {
      await companion.reveal(id);
      return undefined;
    },
    accept: ofProposals((id) => companion.accept(id)),
    acceptAll: async () => {
      const ids = companion.proposals.filter(isAcceptable).flatMap(({ id }) => (listed.includes(id) ? [id] : []));
      if (ids.length === 0) return l10n.t("No proposal in the list can be accepted.");
      const left = (await companion.acceptAll(ids)).length;
      const done = l10n.t("Accepted {0} of {1}.", ids.length - left, ids.length);
      return left === 0 ? done : `${done} ${l10n.t("The other reviews show why not.")}`;
    },
    reject: ofProposals((id) => companion.reject(id)),
    hold: ofProposals((id) => companion.hold(id)),
    save: ofKept(async (id, path) => savingText(await companion.saveKeptText(id), path)),
    yank: ofKept(async (id) => {
      const text = await companion.readKeptText(id);
      if (text === undefined) return undefined;
      const lines = text.replace(/\r?\n$/u, "").split(/\r?\n/u);
      await vim.call("patchbay#yank", [await sendLines(vim, "yank", lines)]);
      return l10n.t("Yanked. The text stays in the list until it is discarded.");
    }),
    discard: ofKept(async (id) => ((await companion.discardKeptText(id)) ? l10n.t("Discarded.") : undefined)),
  };
}

/** What `:CocList patchbay` shows and does. `decideFolder` gives a verdict on all that waits in a folder, after asking. */
export function createReviewList(
  companion: ReviewListCompanion,
  vim: Pick<Vim, "call">,
  decideFolder: (verdict: "accept" | "reject", folder: string) => Promise<string | undefined>,
): {
  rows(): Promise<readonly { readonly label: string; readonly data: string }[]>;
  act(action: string, id: string): Promise<string | undefined>;
} {
  let listed: readonly string[] = [];
  return {
    rows: async () => {
      const reasons = new Map(companion.keptTexts.map(({ id, reason }) => [id, reason]));
      const { proposals } = companion;
      listed = proposals.map(({ id }) => id);
      return proposals.map((one) => ({ label: proposalLabel(one, reasons.get(one.id)), data: one.id }));
    },
    act: async (name, id) => {
      const verdict = ofFolder[name];
      const path = companion.proposals.find((one) => one.id === id)?.path;
      if (verdict !== undefined) return path === undefined ? undefined : await decideFolder(verdict, dirname(path));
      const action = Object.entries(createReviewActions(companion, vim, listed)).find(([one]) => one === name)?.[1];
      return id === "" ? undefined : await action?.(id);
    },
  };
}

/** A file outside of the folder that was not shown is not accepted with the others, nor what only a terminal can answer, or is held. */
export function isAcceptable({ state, isHeld }: ProposalInfo): boolean {
  return !isHeld && (state === "shown" || state === "listed" || state === "away");
}

function savingText(saving: KeptTextSaving | undefined, path: string): string | undefined {
  switch (saving?.kind) {
    case "saved":
      return saving.merged
        ? l10n.t("Saved to {0}, merged with the changes made there.", path)
        : l10n.t("Saved to {0}.", path);
    case "conflict":
      return l10n.t("{0} has changed in the same lines, so nothing was written. The text is still in the list.", path);
    case "failed":
      return l10n.t("Not saved: {0}", saving.reason);
    default:
      return undefined;
  }
}

/** Lets the user choose among lines; anything else, where nothing was chosen. */
type Choose = (lines: readonly string[], title: string) => Promise<string | undefined>;

export function chooser(window: Pick<Coc["window"], "showQuickPick">): Choose {
  return async (lines, title) => await window.showQuickPick(lines.slice(), { title });
}

/**
 * Answers one of the questions that wait. Of several the user says first which one, the newest on top: an old offer that nobody
 * takes up must not stand before what an agent waits for. False where nothing waits.
 */
export async function answerQuestion(
  questions: Pick<PendingQuestions, "all" | "answer">,
  choose: Choose,
): Promise<boolean> {
  const question = await chooseQuestion(questions.all.toReversed(), choose);
  if (question === undefined) return questions.all.length > 0;
  const chosen = await choose(question.actions, plainLine(question.text));
  // Left without a choice coc says different things; none of them is an answer.
  if (question.actions.some((action) => action === chosen)) questions.answer(question, chosen);
  return true;
}

async function chooseQuestion(
  waiting: readonly PendingQuestion[],
  choose: Choose,
): Promise<PendingQuestion | undefined> {
  if (waiting.length <= 1) return waiting[0];
  const lines = waiting.map(({ text }, index) => `${index + 1}. ${plainLine(text)}`);
  const chosen = await choose(lines, l10n.t("Answer which question?"));
  return waiting[lines.findIndex((line) => line === chosen)];
}

export interface HunkServices {
  readonly vim: Pick<Vim, "call">;
  readonly companion: Pick<Companion, "decideHunk" | "hunks" | "proposals" | "undoHunk">;
}

/**
 * `patchbay.acceptHunk` and `patchbay.rejectHunk`: a verdict on the hunk at the cursor, or at a line of a side. The sentence is for
 * the user; undefined where the review has said all.
 */
export async function decideHunk(
  services: HunkServices,
  verdict: "accept" | "reject",
  given: readonly unknown[],
): Promise<string | undefined> {
  const { companion, vim } = services;
  const [id = "", side = "", line = 0] = given.length > 0 ? given : await placeOf(vim);
  if (id === "") return undefined;
  const proposal = asText(id);
  const at = side === "left" ? await onTheRight(services, proposal, asNumber(line)) : asNumber(line);
  const decision = await companion.decideHunk(proposal, verdict, at);
  switch (decision.kind) {
    case "decided": {
      await tell(services, proposal, decision.next?.start);
      return decision.left === 1 ? l10n.t("1 hunk is left.") : l10n.t("{0} hunks are left.", decision.left);
    }
    case "ended":
      return undefined;
    case "conflict":
      return l10n.t("The file has changed in the same lines: resolve the conflict first.");
    case "read-only":
      return l10n.t("This agent does not take an edited text: accept or reject the whole proposal.");
    case "none":
      return l10n.t("There is no hunk to decide here.");
  }
}

/** `patchbay.undoHunk`. */
export async function undoHunk(services: HunkServices, given: string): Promise<string | undefined> {
  const { companion, vim } = services;
  const id = given === "" ? asText(await vim.call("patchbay#go#current")) : given;
  if (id === "") return undefined;
  if (!(await companion.undoHunk(id))) return l10n.t("There is no verdict on a hunk to undo.");
  await tell(services, id, undefined);
  return l10n.t("The last verdict on a hunk is taken back.");
}

async function placeOf(vim: Pick<Vim, "call">): Promise<readonly unknown[]> {
  const { id, side, line } = asShape(await vim.call("patchbay#hunk#place"));
  return [id ?? "", side ?? "", line ?? 0];
}

/** A line of the left side as one of the right side: that of the hunk that has it, else of the next one below, else of the last. */
async function onTheRight({ companion }: HunkServices, id: string, line: number): Promise<number> {
  const hunks = (await companion.hunks(id)) ?? [];
  const below = hunks.find(({ left }) => left.end > line || (left.start === left.end && left.start >= line));
  return (below ?? hunks.at(-1))?.right.start ?? 0;
}

async function tell({ companion, vim }: HunkServices, id: string, next: number | undefined): Promise<void> {
  const hunks = companion.proposals.find((one) => one.id === id)?.hunks;
  await vim.call("patchbay#hunk#decided", [id, hunks?.accepted ?? 0, hunks?.rejected ?? 0, next ?? -1]);
}
