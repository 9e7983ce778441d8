import type { Companion, InboxPart, KeptText, ProposalInfo } from "@patchbay/core";
import { entriesIn, inboxOf, positionIn } from "@patchbay/core/inbox";
import { commands, type Disposable, env, Uri } from "vscode";
import type { DiffViews } from "../diff/diff-views.ts";
import { l10n } from "@patchbay/languages/spoken";
import { askModally, inform, note, warn } from "../surfaces/messages.ts";
import { fileNameOf, shortened, shortPathOf } from "../surfaces/texts.ts";
import { chooseProposal, decideAll, give } from "./proposals.ts";

/** A row of the tree "Review". */
export interface ReviewRow {
  readonly key: string;
  /** Of the row of a proposal. */
  readonly proposalId?: string;
  /** Of the row of an agent, a session or a folder: all that stands below it. */
  readonly part?: InboxPart;
}

/** The tree "Review", as far as commands need it. */
export interface ReviewList {
  /** The row that the keyboard is on; undefined where it is on none. */
  focused(): Promise<ReviewRow | undefined>;
  /** Puts the keyboard on the row of a proposal. */
  focus(proposalId: string): Promise<void>;
  /** Groups it by folder, or else by agent and session. */
  groupByFolder(isByFolder: boolean): Promise<void>;
}

interface InboxServices {
  readonly companion: Companion;
  readonly views: () => DiffViews | undefined;
  readonly list: ReviewList;
}

/** What is done in the tree "Review", by keys and beside its rows, and what holds reviews or shows all at once. */
export function registerInbox(services: InboxServices): Disposable[] {
  const { companion, views } = services;
  const decideIn = (verdict: "accept" | "reject") => async (argument?: unknown) => {
    const row = isFocused(argument) ? await services.list.focused() : argument;
    await byRow(services, row, verdict);
  };
  const inFolder = (verdict: "accept" | "reject") => async (argument?: unknown) => {
    const folder = folderOf(companion, argument);
    if (folder !== undefined) await decideAll(companion, views, verdict, idsIn(companion, { folder }));
  };
  const all = (verdict: "accept" | "reject") => async (argument?: unknown) => {
    const part = isRow(argument) ? argument.part : undefined;
    await decideAll(companion, views, verdict, part === undefined ? undefined : idsIn(companion, part));
  };
  return [
    commands.registerCommand("patchbay.acceptInView", decideIn("accept")),
    commands.registerCommand("patchbay.rejectInView", decideIn("reject")),
    commands.registerCommand("patchbay.acceptAllProposals", all("accept")),
    commands.registerCommand("patchbay.rejectAllProposals", all("reject")),
    commands.registerCommand("patchbay.acceptFolder", inFolder("accept")),
    commands.registerCommand("patchbay.rejectFolder", inFolder("reject")),
    commands.registerCommand("patchbay.hold", async (argument?: unknown) => {
      await hold(services, isFocused(argument) ? await services.list.focused() : argument, isFocused(argument));
    }),
    commands.registerCommand("patchbay.showReviews", async () => {
      await commands.executeCommand("patchbay.proposals.focus");
      // A tree that is shown for the first time has no row that keys could move from.
      const [first] = idsIn(companion, {});
      if (first !== undefined) await services.list.focus(first);
    }),
    commands.registerCommand("patchbay.groupByFolder", async () => await services.list.groupByFolder(true)),
    commands.registerCommand("patchbay.groupBySession", async () => await services.list.groupByFolder(false)),
    commands.registerCommand("patchbay.showAllChanges", async () => await showAllChanges(services)),
  ];
}

function isFocused(argument: unknown): boolean {
  return typeof argument === "object" && argument !== null && "focused" in argument && argument.focused === true;
}

function isRow(argument: unknown): argument is ReviewRow {
  return typeof argument === "object" && argument !== null && "key" in argument && typeof argument.key === "string";
}

function idsIn({ proposals, sessions, activities }: Companion, part: InboxPart): readonly string[] {
  return entriesIn(inboxOf(proposals, sessions, activities), part).map(({ id }) => id);
}

/** That of a proposal's file, or the one that was chosen in the explorer. */
function folderOf(companion: Companion, argument: unknown): string | undefined {
  if (argument instanceof Uri) return argument.fsPath;
  const id = isRow(argument) ? argument.proposalId : undefined;
  const { proposals, sessions, activities } = companion;
  return entriesIn(inboxOf(proposals, sessions, activities), {}).find((entry) => entry.id === id)?.folder;
}

async function byRow(services: InboxServices, row: unknown, verdict: "accept" | "reject"): Promise<void> {
  const { companion, views } = services;
  if (row === undefined) {
    void inform(l10n.t("Select an item in the list first."));
    return;
  }
  if (isRow(row) && row.part !== undefined) {
    await decideAll(companion, views, verdict, idsIn(companion, row.part));
    return;
  }
  const chosen = await chooseProposal(companion, row);
  if (chosen === undefined) return;
  const beside = neighbourOf(companion, chosen.id);
  // A text that no agent waits for is saved or discarded: neither is what the key says.
  if (isRow(row) && companion.proposals.find(({ id }) => id === chosen.id)?.state === "kept") {
    void inform(l10n.t("No agent waits for this text. Save it to its file, copy or discard it."));
    return;
  }
  await give(companion, views, verdict, chosen.id, false);
  if (isRow(row)) await goOn(services, chosen.id, beside);
}

/** The keyboard stays in the list: on the entry beside the one that has gone. */
async function goOn({ companion, list }: InboxServices, id: string, beside: string | undefined): Promise<void> {
  if (beside !== undefined && !companion.proposals.some((one) => one.id === id)) await list.focus(beside);
}

/** The entry below, or above the last one; undefined for the only one. */
function neighbourOf({ proposals, sessions, activities }: Companion, id: string): string | undefined {
  const position = positionIn(inboxOf(proposals, sessions, activities), id);
  if (position === undefined || position.count === 1) return undefined;
  return position.number === position.count ? position.previous : position.next;
}

async function hold(services: InboxServices, argument: unknown, isByKey: boolean): Promise<void> {
  const { companion } = services;
  if (isByKey && argument === undefined) {
    void inform(l10n.t("Select an item in the list first."));
    return;
  }
  if (isRow(argument) && argument.part !== undefined) {
    for (const id of idsIn(companion, argument.part)) await holdOne(companion, id);
    return;
  }
  const chosen = await chooseProposal(companion, argument);
  if (chosen === undefined) return;
  await holdOne(companion, chosen.id);
  // Its row may stand elsewhere now.
  if (isByKey) await services.list.focus(chosen.id);
}

async function holdOne(companion: Companion, id: string): Promise<void> {
  if (await companion.hold(id)) return;
  const proposal = companion.proposals.find((one) => one.id === id);
  if (proposal === undefined) void inform(l10n.t("This proposal has already been decided."));
  else void warn(l10n.t("The review of {0} could not be set aside. It is open as before.", fileNameOf(proposal.path)));
}

/** Those that the user may see, and does not hold. */
function isToBeShown({ state, isHeld }: ProposalInfo): boolean {
  return !isHeld && state !== "asking";
}

/** "Show All Changes": every proposal in one editor. Its right sides are the reviews' own, and can be edited there. */
async function showAllChanges({ companion, views }: InboxServices): Promise<void> {
  const { proposals, sessions, activities } = companion;
  const entries = entriesIn(inboxOf(proposals, sessions, activities), {});
  const wanted = entries.filter(({ proposal }) => isToBeShown(proposal));
  // One that is not open has no sides to show.
  for (const { id } of wanted) if (views()?.review(id) === undefined) await companion.reveal(id);
  const files = wanted.flatMap(({ id, proposal }) => {
    const review = views()?.review(id);
    return review === undefined ? [] : [[Uri.file(proposal.path), review.originalUri, review.uri] as const];
  });
  if (files.length === 0) void inform(l10n.t("No proposals are open."));
  else await commands.executeCommand("vscode.changes", l10n.t("All Proposed Changes"), files);
}

/** "Save to File", "Copy Text" and "Discard Text": what is left of a review whose agent is done with it. */
export function registerKeptTexts(companion: Companion): Disposable[] {
  const on = (command: string, act: (kept: KeptText) => Promise<void>): Disposable =>
    commands.registerCommand(command, async (argument?: unknown) => {
      const chosen = await chooseProposal(companion, argument);
      const kept = companion.keptTexts.find(({ id }) => id === chosen?.id);
      if (kept !== undefined) await act(kept);
      else void inform(l10n.t("This text is no longer kept."));
    });
  const save = async (kept: KeptText): Promise<void> => await saveText(companion, kept);
  return [
    on("patchbay.saveKeptText", save),
    // The same in a tab's title, which shows words where there is no icon.
    on("patchbay.saveInTitle", save),
    on("patchbay.copyKeptText", async ({ id }) => {
      const text = await companion.readKeptText(id);
      if (text === undefined) return;
      await env.clipboard.writeText(text);
      note(l10n.t("Copied."), 3_000);
    }),
    on("patchbay.discardKeptText", async (kept) => {
      const discard = l10n.t("Discard Text");
      const question = l10n.t("Discard your text for {0}? This cannot be undone.", fileNameOf(kept.path));
      if ((await askModally(question, [l10n.t("Keep Text"), discard])) === discard) {
        await companion.discardKeptText(kept.id);
      }
    }),
  ];
}

async function saveText(companion: Companion, { id, path }: KeptText): Promise<void> {
  const saving = await companion.saveKeptText(id);
  const name = shortened(shortPathOf(path));
  switch (saving?.kind) {
    case undefined:
      return;
    case "saved":
      note(
        saving.merged
          ? l10n.t("Saved to {0}, merged with the changes made there.", name)
          : l10n.t("Saved to {0}.", name),
        5_000,
      );
      return;
    case "conflict":
      void warn(
        l10n.t(
          "{path} has changed in the same lines, so nothing was written. Your text is kept in the list of proposals.",
          { path: name },
        ),
      );
      return;
    case "failed":
      void warn(
        l10n.t("Your text could not be saved to {path}; see the log. It is kept in the list of proposals.", {
          path: name,
        }),
      );
  }
}
