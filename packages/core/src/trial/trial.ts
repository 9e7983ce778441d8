import type { Companion, Review } from "../companion.ts";
import type { Platform } from "../platform/platform.ts";
import { findPrivateDirectory, isOwn, joinPath } from "../storage/private-directory.ts";
import { PatchbayError } from "../support/errors.ts";

/** A review of a made-up change to a made-up file, for a user who has no agent at hand. */
export interface Trial {
  /** In `Companion.proposals`. */
  readonly id: string;
  /** Resolves exactly once, never rejects. Nothing is left of the trial then. */
  readonly ended: Promise<TrialEnd>;
}

export type TrialEnd =
  /** An agent would write `text` now. `taken`: how many of the proposed changes are in it; `isEdited`: it has others, too. */
  | {
      readonly kind: "accepted";
      readonly text: string;
      readonly taken: number;
      readonly proposed: number;
      readonly isEdited: boolean;
    }
  /** An agent would write nothing now. `closed`: the user has closed the view, which is a no as well. */
  | { readonly kind: "rejected" | "closed" }
  /** The editor ends: nobody is there to be told. */
  | { readonly kind: "stopped" };

/** Its name says to everybody what it is. */
export const trialFileName = "sample.js";

const head = "// A sample to try a review with. No agent is running, and none of your files is touched.\n";

/** The lines that are proposed anew, apart from each other so that each is a change of its own. The last one is a poor idea. */
const changes: readonly (readonly [before: string, after: string])[] = [
  ['  return "Hello, " + name;', "  return `Hello, ${name}!`;"],
  ["  for (var i = 0; i < prices.length; i++) sum = sum + prices[i];", "  for (const price of prices) sum += price;"],
  ["  return text.slice(0, 20);", '  return text.slice(0, 20) + "...";'],
];

/** The file with those of the changes that `isMade` says. Nothing is exported in it: checks of packages would take a bundle with such a text for a module. */
function sample(isMade: (index: number) => boolean): string {
  const [greeting = "", adding = "", shortening = ""] = changes.map((lines, index) => lines[isMade(index) ? 1 : 0]);
  return `${head}
function greet(name) {
${greeting}
}

function total(prices) {
  let sum = 0;
${adding}
  return sum;
}

function shorten(text) {
${shortening}
}
`;
}

const running: WeakMap<object, Trial> = new WeakMap();

/**
 * Shows the trial in the editor's own view, in front. Undefined: there is one already, and it comes to the front. Works without a
 * folder, a listener or an agent. Rejects with PatchbayError and a sentence for the user.
 */
export async function startTrial(
  companion: Pick<Companion, "review" | "reveal">,
  platform: Platform,
): Promise<Trial | undefined> {
  const before = running.get(companion);
  if (before !== undefined) {
    await companion.reveal(before.id);
    return undefined;
  }
  await sweep(platform);
  const place = await makePlace(platform);
  const review = await open(companion, place).catch(async (error: unknown) => {
    await place.remove();
    throw error;
  });
  const trial = { id: review.id, ended: end(review, place).finally(() => running.delete(companion)) };
  running.set(companion, trial);
  // Also where the user has reviews opened later: this one they have just asked for.
  await companion.reveal(review.id);
  return trial;
}

async function open(companion: Pick<Companion, "review">, { path }: Place): Promise<Review> {
  const conversation = { id: "trial", agent: "patchbay", agentName: "Patchbay" };
  return await companion.review({ conversation, path, text: sample(() => true), isEditable: true, isTrial: true });
}

async function end(review: Review, place: Place): Promise<TrialEnd> {
  const outcome = await review.outcome;
  await place.remove();
  switch (outcome.kind) {
    case "accepted":
      return accepted(outcome.text);
    case "rejected":
    case "closed":
      return { kind: outcome.kind };
    default:
      return { kind: "stopped" };
  }
}

function accepted(text: string): TrialEnd {
  const lines = text.split(/\r?\n/u);
  const isMade = (index: number): boolean => lines.includes(changes[index]?.[1] ?? "");
  const taken = changes.filter((_change, index) => isMade(index)).length;
  const isEdited = lines.join("\n") !== sample(isMade);
  return { kind: "accepted", text, taken, proposed: changes.length, isEdited };
}

interface Place {
  readonly path: string;
  /** Never rejects: what cannot be removed goes with the next trial, or with the system's own cleaning. */
  remove(): Promise<void>;
}

const prefix = "patchbay-try-";

async function makePlace(platform: Platform): Promise<Place> {
  const { files, process, random } = platform;
  const request = { root: process.temporaryDirectory, levels: [prefix + random.token(12)] };
  const directory = await findPrivateDirectory(platform, { ...request, intent: "make" });
  if (directory.kind === "refused") throw new PatchbayError("storage-failed", directory.reason);
  const path = joinPath(platform, directory.path, trialFileName);
  await files.createExclusive(
    path,
    sample(() => false),
    0o600,
  );
  return { path, remove: async () => await removePlace(platform, directory.path) };
}

async function removePlace(platform: Platform, directory: string): Promise<void> {
  const { files } = platform;
  try {
    await files.remove(joinPath(platform, directory, trialFileName));
    await files.removeDirectory(directory);
  } catch {
    // Somebody else has put something there.
  }
}

/** So long a trial may be open, ms. */
const oldMs = 24 * 60 * 60_000;

/** Takes away what editors that were killed have left. */
async function sweep(platform: Platform): Promise<void> {
  const { clock, files, process } = platform;
  const names = await files.list(process.temporaryDirectory).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const directory = joinPath(platform, process.temporaryDirectory, name);
    const facts = await files.lstat(directory).catch(() => undefined);
    const isOld = facts !== undefined && clock.now() - facts.modifiedMs > oldMs;
    if (isOld && facts.kind === "directory" && isOwn(platform, facts)) await removePlace(platform, directory);
  }
}
