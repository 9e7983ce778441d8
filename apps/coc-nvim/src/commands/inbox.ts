import type { Companion, Disposable } from "@patchbay/core";
import { type InboxEntry, type InboxSession, inboxOf, type InboxState } from "@patchbay/core/inbox";
import { shortPath } from "../diff/review-names.ts";
import { plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { createReviewActions, type ReviewListCompanion } from "./reviews.ts";

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

const hint = "Enter opens, a accepts, r rejects, h holds, q closes.";
const keptHint = "Kept text: s saves it to the file, y yanks it, d discards it.";

/** The page: agent, session, and what each waits for, the state first. */
export function inboxRows(services: Pick<InboxServices, "companion" | "folders" | "now">): readonly InboxRow[] {
  const { companion, folders, now } = services;
  const inbox = inboxOf(companion.proposals, companion.sessions, companion.activities);
  if (inbox.length === 0) return [{ text: "Nothing waits for you.", ids: [] }];
  const hasKept = companion.proposals.some(({ state }) => state === "kept");
  const rows: InboxRow[] = [{ text: hint, ids: [] }, ...(hasKept ? [{ text: keptHint, ids: [] }] : [])];
  for (const { agentName, sessions } of inbox) {
    for (const session of sessions) {
      const ids = session.entries.map(({ id }) => id);
      rows.push({ text: "", ids: [] }, { text: plainLine(`${agentName}${titleOf(session, sessions.length)}`), ids });
      const width = Math.max(...session.entries.map(({ proposal }) => shortPath(proposal.path, folders()).length));
      for (const entry of session.entries) {
        const name = shortPath(entry.proposal.path, folders()).padEnd(Math.min(width, 60));
        rows.push({ text: entryLine(entry, name, now()), ids: [entry.id] });
      }
    }
  }
  return rows;
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

/** Shows the page, and has it follow until it is closed. */
export async function showInbox(services: InboxServices): Promise<void> {
  const { vim, companion } = services;
  await vim.call("patchbay#inbox#show", [inboxRows(services)]);
  if (following.has(companion)) return;
  const listener = companion.onDidChangeProposals(() => {
    void vim.call("patchbay#inbox#update", [inboxRows(services)]).then((isShown) => {
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
  const { choose, companion, vim } = services;
  const actions = createReviewActions(companion, vim, ids);
  const action = Object.entries(actions).find(([one]) => one === name)?.[1];
  const [id, ...others] = ids;
  if (action === undefined || id === undefined) return undefined;
  if (others.length === 0) return await action(id);
  const verb = ofAll[name];
  if (verb === undefined) return "Go to one of the lines below.";
  const yes = `${verb} all ${ids.length}`;
  if ((await choose([yes, "Change nothing"], `${yes}?`)) !== yes) return undefined;
  if (name === "accept") return await actions.acceptAll(id);
  const said = new Set<string | undefined>();
  for (const one of ids) said.add(await action(one));
  return [...said].find((text) => text !== undefined);
}
