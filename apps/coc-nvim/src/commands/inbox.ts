import { resolve } from "node:path";
import { type Companion, type Disposable, displayWidth, type ProposalInfo } from "@patchbay/core";
import {
  entriesIn,
  entriesOf,
  type InboxAgent,
  type InboxEntry,
  type InboxSession,
  inboxOf,
  type InboxState,
} from "@patchbay/core/inbox";
import { byFolder, entriesBelow, foldersIn, type InboxFolder } from "@patchbay/core/inbox-folders";
import { l10n } from "@patchbay/languages/spoken";
import { ageOf, shortPath } from "../diff/review-names.ts";
import type { Coc } from "../vim/coc-vim.ts";
import { padded, plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { chooser, createReviewActions, isAcceptable, proposalLabel, type ReviewListCompanion } from "./reviews.ts";

/** What the page of reviews needs. */
export interface InboxServices {
  /** Lets the user choose a line; anything else where nothing was chosen. */
  readonly choose: (lines: readonly string[], title: string) => Promise<string | undefined>;
  readonly vim: Pick<Vim, "call">;
  readonly companion: Pick<Companion, "activities" | "onDidChangeProposals" | "sessions"> & ReviewListCompanion;
  readonly folders: () => readonly string[];
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What commands have that show the page or act on what is in it. */
export interface InboxCommandServices extends Pick<InboxServices, "companion" | "vim"> {
  readonly coc: Pick<Coc, "window">;
  readonly parts: { readonly workspace: { folders(): readonly string[] } };
}

export function inboxOfCommands({ coc, vim, companion, parts }: InboxCommandServices): InboxServices {
  return { choose: chooser(coc.window), vim, companion, folders: () => parts.workspace.folders(), now: Date.now };
}

/** A line of the page, and the proposals that a key in it is about. */
interface InboxRow {
  readonly text: string;
  readonly ids: readonly string[];
}

const stateWords: () => Readonly<Record<InboxState, string>> = () => ({
  conflict: l10n.t("conflict"),
  waiting: l10n.t("waiting"),
  edited: l10n.t("edited"),
  held: l10n.t("held"),
  terminal: l10n.t("terminal"),
  away: l10n.t("away"),
  unwritten: l10n.t("accepted, not written"),
  kept: l10n.t("kept text"),
});

const hint = (): string =>
  l10n.t("Enter opens, a accepts, r rejects, h holds, f groups by folder or session, q closes.");
const keptHint = (): string => l10n.t("Kept text: s saves it to the file, y yanks it, d discards it.");

type RowServices = Pick<InboxServices, "companion" | "folders" | "now">;

function inboxIn({ companion }: Pick<InboxServices, "companion">): readonly InboxAgent[] {
  return inboxOf(companion.proposals, companion.sessions, companion.activities);
}

/** The page: agent, session, and what each waits for, the state first; or the same by folder. */
export function inboxRows(services: RowServices, isByFolder = false): readonly InboxRow[] {
  const { companion, folders, now } = services;
  const inbox = inboxIn(services);
  if (inbox.length === 0) return [{ text: l10n.t("Nothing waits for you."), ids: [] }];
  const hasKept = companion.proposals.some(({ state }) => state === "kept");
  const rows: InboxRow[] = [{ text: hint(), ids: [] }, ...(hasKept ? [{ text: keptHint(), ids: [] }] : [])];
  if (isByFolder) return [...rows, ...folderRows(services)];
  for (const { agentName, sessions } of inbox) {
    for (const session of sessions) {
      const ids = session.entries.map(({ id }) => id);
      rows.push({ text: "", ids: [] }, { text: plainLine(`${agentName}${titleOf(session, sessions.length)}`), ids });
      const nameOf = ({ proposal }: InboxEntry): string => shortPath(proposal.path, folders());
      rows.push(...entryRows(session.entries, nameOf, now()));
    }
  }
  return rows;
}

function entryRows(
  entries: readonly InboxEntry[],
  nameOf: (entry: InboxEntry) => string,
  now: number,
  depth = 0,
): readonly InboxRow[] {
  const width = Math.min(Math.max(...entries.map((entry) => displayWidth(nameOf(entry)))), 60);
  return entries.map((entry) => {
    const line = entryLine(entry, padded(nameOf(entry), width), now);
    return { text: `${"  ".repeat(depth)}${line}`, ids: [entry.id] };
  });
}

/** A folder and what is below it; a key on its line is about all of that. */
function folderRows(services: RowServices): readonly InboxRow[] {
  const { folders, now } = services;
  const nameOf = ({ name, proposal }: InboxEntry): string => plainLine(`${name} (${proposal.agentName})`);
  const below = (parts: Pick<InboxFolder, "folders" | "entries">, depth: number): readonly InboxRow[] => [
    ...parts.folders.flatMap((one) => [
      ...(depth === 0 ? [{ text: "", ids: [] }] : []),
      { text: `${"  ".repeat(depth)}${folderName(one, folders())}`, ids: entriesBelow(one).map(({ id }) => id) },
      ...below(one, depth + 1),
    ]),
    ...entryRows(parts.entries, nameOf, now(), Math.max(0, depth - 1)),
  ];
  const { folders: top, entries } = byFolder(entriesOf(inboxIn(services)), folders());
  const own = { text: "./", ids: entries.map(({ id }) => id) };
  const rest = entries.length === 0 ? [] : [{ text: "", ids: [] }, own, ...entryRows(entries, nameOf, now())];
  return [...below({ folders: top, entries: [] }, 0), ...rest];
}

/** As people write it: from a folder of the workspace. */
function folderName({ folder }: InboxFolder, roots: readonly string[]): string {
  const name = shortPath(folder, roots);
  return name.endsWith("/") ? name : `${name}/`;
}

/** The folders in which something waits, for the completion of a command. */
export function waitingFolders(services: Pick<InboxServices, "companion" | "folders">): readonly string[] {
  const roots = services.folders();
  return foldersIn(byFolder(entriesOf(inboxIn(services)), roots)).map((one) => folderName(one, roots));
}

/** Sessions without a title are told apart by their process, else by when they came. */
function titleOf({ title, pid, since }: InboxSession, count: number): string {
  if (title !== undefined) return `: ${title}`;
  if (count === 1) return "";
  return pid === undefined
    ? `, ${l10n.t("since {0}", new Date(since).toLocaleTimeString())}`
    : `, ${l10n.t("process {0}", pid)}`;
}

function entryLine({ state, proposal }: InboxEntry, name: string, now: number): string {
  const { kind, lines, createdAt } = proposal;
  const verb = kind === "create" ? l10n.t("new file") : kind === "delete" ? l10n.t("emptied") : "";
  const count = lines === undefined ? "" : `+${lines.added} -${lines.removed}`;
  const words = stateWords();
  // The one that is a sentence is rare, and moves what stands beside it.
  const { unwritten: _, ...usual } = words;
  const widest = Math.max(9, ...Object.values(usual).map(displayWidth));
  const cells = [padded(words[state], widest), name, count.padEnd(9), padded(ageOf(now - createdAt), 7), verb];
  const line = cells.join("  ");
  return plainLine(`  ${line}`).trimEnd();
}

/** What keeps the page of each companion up to date as long as it is shown. */
const following: WeakMap<object, Disposable> = new WeakMap();

/** Those whose page is grouped by folder. */
const byFolders: WeakSet<object> = new WeakSet();

const shownRows = (services: InboxServices): readonly InboxRow[] =>
  inboxRows(services, byFolders.has(services.companion));

/** Shows the page, and has it follow until it is closed. */
export async function showInbox(services: InboxServices): Promise<void> {
  const { vim, companion } = services;
  await vim.call("patchbay#inbox#show", [shownRows(services)]);
  if (following.has(companion)) return;
  const listener = companion.onDidChangeProposals(() => {
    void vim.call("patchbay#inbox#update", [shownRows(services)]).then((isShown) => {
      if (isShown === 1) return;
      listener.dispose();
      following.delete(companion);
    });
  });
  following.set(companion, listener);
}

/** The question about all of several proposals. */
function allWords(verdict: string, count: number): string | undefined {
  switch (verdict) {
    case "accept":
      return l10n.t("Accept all {0}", count);
    case "reject":
      return l10n.t("Reject all {0}", count);
    case "hold":
      return l10n.t("Hold all {0}", count);
    default:
      return undefined;
  }
}

/** A key of the page: what is to be done with the proposals of its line. Several are asked about first. The sentence is for the user. */
export async function actInInbox(
  services: InboxServices,
  name: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const { companion, vim } = services;
  if (name === "group") return await group(services);
  const actions = createReviewActions(companion, vim, ids);
  const action = Object.entries(actions).find(([one]) => one === name)?.[1];
  const [id, ...others] = ids;
  if (action === undefined || id === undefined) return undefined;
  if (others.length === 0) return await action(id);
  const meant = companion.proposals.filter((one) => ids.includes(one.id));
  const yes = allWords(name, meant.length);
  if (yes === undefined) return l10n.t("Go to one of the lines below.");
  if (!(await isMeant(services, yes, meant))) return undefined;
  if (name === "accept") return await actions.acceptAll(id);
  const said = new Set<string | undefined>();
  for (const one of ids) said.add(await action(one));
  return [...said].find((text) => text !== undefined);
}

/** By folder, or by agent and session again. */
async function group(services: InboxServices): Promise<undefined> {
  const { companion, vim } = services;
  if (!byFolders.delete(companion)) byFolders.add(companion);
  await vim.call("patchbay#inbox#update", [shownRows(services)]);
}

/** Asks, with a list; a line of it opens its review. */
async function isMeant(
  { choose, companion }: InboxServices,
  yes: string,
  proposals: readonly ProposalInfo[],
): Promise<boolean> {
  const lines = proposals.map((one) => proposalLabel(one));
  const chosen = await choose([yes, l10n.t("Change nothing"), ...lines], `${yes}?`);
  const looked = proposals[lines.findIndex((line) => line === chosen)];
  if (looked !== undefined) await companion.reveal(looked.id);
  return chosen === yes;
}

/**
 * A verdict on all that waits in a folder and below, after asking; what the user holds is left out. The sentence is for the user.
 *
 * @param places The folder as it was written, from a folder of the workspace, and as the editor understands it; none: everywhere.
 */
export async function actInFolder(
  services: InboxServices,
  verdict: "accept" | "reject",
  places: readonly string[] = [],
): Promise<string | undefined> {
  const { companion, vim, folders } = services;
  const inbox = inboxIn(services);
  const meant = places.flatMap((place) => folders().map((root) => entriesIn(inbox, { folder: resolve(root, place) })));
  const entries = places.length === 0 ? entriesOf(inbox) : meant.find((some) => some.length > 0);
  const isOpen = (one: ProposalInfo): boolean =>
    verdict === "accept" ? isAcceptable(one) : one.state !== "kept" && !one.isHeld;
  const open = entries?.map(({ proposal }) => proposal).filter(isOpen) ?? [];
  const [first] = open;
  if (first === undefined)
    return places[0] === undefined
      ? l10n.t("Nothing waits for you.")
      : l10n.t("Nothing waits for you in {0}.", plainLine(places[0]));
  if (!(await isMeant(services, allWords(verdict, open.length) ?? "", open))) return undefined;
  const ids = open.map(({ id }) => id);
  if (verdict === "accept") return await createReviewActions(companion, vim, ids).acceptAll(first.id);
  let rejected = 0;
  for (const id of ids) if (await companion.reject(id)) rejected += 1;
  return l10n.t("Rejected {0} of {1}.", rejected, ids.length);
}
