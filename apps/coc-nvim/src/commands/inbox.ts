import { resolve } from "node:path";
import type { Companion, Disposable, ProposalInfo } from "@patchbay/core";
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
import { shortPath } from "../diff/review-names.ts";
import type { Coc } from "../vim/coc-vim.ts";
import { plainLine } from "../vim/shape.ts";
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

const stateWords: Readonly<Record<InboxState, string>> = {
  conflict: "conflict",
  waiting: "waiting",
  edited: "edited",
  held: "held",
  terminal: "terminal",
  away: "away",
  kept: "kept text",
};

const hint = "Enter opens, a accepts, r rejects, h holds, f groups by folder or session, q closes.";
const keptHint = "Kept text: s saves it to the file, y yanks it, d discards it.";

type RowServices = Pick<InboxServices, "companion" | "folders" | "now">;

function inboxIn({ companion }: Pick<InboxServices, "companion">): readonly InboxAgent[] {
  return inboxOf(companion.proposals, companion.sessions, companion.activities);
}

/** The page: agent, session, and what each waits for, the state first; or the same by folder. */
export function inboxRows(services: RowServices, isByFolder = false): readonly InboxRow[] {
  const { companion, folders, now } = services;
  const inbox = inboxIn(services);
  if (inbox.length === 0) return [{ text: "Nothing waits for you.", ids: [] }];
  const hasKept = companion.proposals.some(({ state }) => state === "kept");
  const rows: InboxRow[] = [{ text: hint, ids: [] }, ...(hasKept ? [{ text: keptHint, ids: [] }] : [])];
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
  const width = Math.min(Math.max(...entries.map((entry) => nameOf(entry).length)), 60);
  return entries.map((entry) => {
    const line = entryLine(entry, nameOf(entry).padEnd(width), now);
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
  return pid === undefined ? `, since ${new Date(since).toLocaleTimeString()}` : `, process ${pid}`;
}

function entryLine({ state, proposal }: InboxEntry, name: string, now: number): string {
  const { kind, lines, createdAt } = proposal;
  const verb = kind === "create" ? "new file" : kind === "delete" ? "emptied" : "";
  const count = lines === undefined ? "" : `+${lines.added} -${lines.removed}`;
  const line = [stateWords[state].padEnd(9), name, count.padEnd(9), ageOf(now - createdAt).padEnd(7), verb].join("  ");
  return plainLine(`  ${line}`).trimEnd();
}

/** @param ms How long it has waited; a clock that was set back counts as now. */
export function ageOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
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

const ofAll: Readonly<Record<string, string>> = { accept: "Accept", reject: "Reject", hold: "Hold" };

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
  const verb = ofAll[name];
  if (verb === undefined) return "Go to one of the lines below.";
  const meant = companion.proposals.filter((one) => ids.includes(one.id));
  if (!(await isMeant(services, verb, meant))) return undefined;
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
  verb: string,
  proposals: readonly ProposalInfo[],
): Promise<boolean> {
  const yes = `${verb} all ${proposals.length}`;
  const lines = proposals.map((one) => proposalLabel(one));
  const chosen = await choose([yes, "Change nothing", ...lines], `${yes}?`);
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
    return `Nothing waits for you${places[0] === undefined ? "" : ` in ${plainLine(places[0])}`}.`;
  if (!(await isMeant(services, ofAll[verdict] ?? "", open))) return undefined;
  const ids = open.map(({ id }) => id);
  if (verdict === "accept") return await createReviewActions(companion, vim, ids).acceptAll(first.id);
  let rejected = 0;
  for (const id of ids) if (await companion.reject(id)) rejected += 1;
  return `Rejected ${rejected} of ${ids.length}.`;
}
