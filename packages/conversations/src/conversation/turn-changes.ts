import {
  type Disposable,
  type LedgerFile,
  type LedgerTurn,
  type LedgerUndone,
  type Logger,
  messageOf,
  type TurnLedger,
} from "@patchbay/core";
import type { AgentSession } from "../driver.ts";
import type {
  ChangedFile,
  FileChange,
  FileView,
  LeftFile,
  RestoredFile,
  Restoring,
  TurnChanges,
} from "../model/changes.ts";
import type { FileRecord, TextRecord, TurnRecord } from "../transcript/line.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { History } from "./history.ts";

export interface ChangesOptions {
  /** Absent: nobody keeps one, and nothing is known. */
  readonly ledger: TurnLedger | undefined;
  /** By which the ledger knows the conversation. */
  readonly conversation: string;
  readonly transcript: () => Transcript;
  readonly history: () => Pick<History, "all">;
  readonly logger: Logger;
  readonly onDidChange: (turns: readonly TurnChanges[]) => void;
}

/** How many turns are told, the newest, */
const mostTurns = 200;

/** how many files of each, */
const mostFiles = 200;

/** and how many of all: of older turns there is only how many they changed. */
const mostOfAll = 1_000;

/** What the turns of a conversation changed, as the ledger has it: everybody else who asks there sees the same. */
export class Changes implements Disposable {
  readonly #options: ChangesOptions;
  readonly #following: Disposable | undefined;
  #turns: readonly TurnChanges[];
  #isReading = false;
  #isStale = false;
  #isDisposed = false;

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#turns = this.#old;
    this.#following = options.ledger?.onDidChange(() => this.load());
    this.load();
  }

  /** The newest turns that changed files, oldest first. */
  get turns(): readonly TurnChanges[] {
    return this.#turns;
  }

  /** Asks again, also for what another window has written by now. */
  load(): void {
    this.#isStale = true;
    if (!this.#isReading) void this.#read();
  }

  /** What a turn did to a file. Undefined: it did nothing, or no text of it is kept. */
  async change(turn: string, path: string): Promise<FileChange | undefined> {
    const texts = (await this.#options.ledger?.texts({ turn, path })) ?? (await this.#oldTexts(turn, path));
    if (texts === undefined) return undefined;
    const { before, after } = texts;
    return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }

  /** What a turn did to a file, hunk by hunk. Undefined: it did nothing, or an earlier version has noted it. */
  async view(turn: string, path: string): Promise<FileView | undefined> {
    const found = await this.#options.ledger?.view({ turn, path });
    if (found === undefined) return undefined;
    const { hunks, ...others } = found;
    return hunks === undefined ? others : { ...others, hunks };
  }

  /** Takes a turn, a file of it, or a hunk of that, off the list of what is to be reviewed. */
  async keep(turn: string, part: Part = {}): Promise<void> {
    await this.#options.ledger?.keep({ turn, ...part });
  }

  /** Gives them back what they held before, and says which files it left alone. `now`: also while the agent works. */
  async undo(turn: string, part: Part = {}, now = false): Promise<readonly LeftFile[]> {
    return leftOf((await this.#options.ledger?.undo({ turn, ...part }, { now })) ?? []);
  }

  /** Takes undos back. */
  async redo(turn: string, part: Part = {}): Promise<readonly LeftFile[]> {
    return leftOf((await this.#options.ledger?.redo({ turn, ...part })) ?? []);
  }

  /** Undoes all turns since a prompt; `dryRun` only tells. Where nobody keeps a ledger, by the agent's own means. */
  async rewind(prompt: string, dryRun: boolean, agent?: Pick<AgentSession, "rewind">): Promise<Restoring> {
    const { ledger, conversation } = this.#options;
    const since = { conversation, prompts: await this.#promptsFrom(prompt) };
    const files = await (dryRun ? ledger?.rehearse(since) : ledger?.undoSince(since));
    if (files === undefined) return await byAgent(agent, prompt, dryRun);
    return files.length === 0 ? nothing : { canRewind: true, files: files.map(restoredFile) };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#following?.dispose();
  }

  async #promptsFrom(prompt: string): Promise<readonly string[]> {
    const prompts: string[] = [];
    for await (const { entry } of this.#options.history().all())
      if (entry.kind === "prompt" && (prompts.length > 0 || entry.id === prompt)) prompts.push(entry.id);
    return prompts;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#isStale && !this.#isDisposed) {
      this.#isStale = false;
      const { ledger, conversation, logger, onDidChange } = this.#options;
      try {
        const known = (await ledger?.turnsOf(conversation, mostTurns)) ?? [];
        const turns = withinLimit([...this.#old, ...known.map(changesOf)].slice(-mostTurns));
        if (JSON.stringify(turns) === JSON.stringify(this.#turns)) continue;
        this.#turns = turns;
        if (!this.#isDisposed) onDidChange(turns);
      } catch (error) {
        logger.warn("What agents changed could not be read", { reason: messageOf(error) });
      }
    }
    this.#isReading = false;
  }

  get #old(): readonly TurnChanges[] {
    return withinLimit(this.#options.transcript().turns.slice(-mostTurns).map(oldChanges));
  }

  /** What was noted here before there was a ledger for it. */
  async #oldTexts(turn: string, path: string): Promise<Pick<FileChange, "before" | "after"> | undefined> {
    const { turns, texts } = this.#options.transcript();
    const file = turns.find((one) => one.turn === turn)?.files.find((one) => one.path === path);
    const read = async (record: TextRecord | undefined): Promise<string | undefined> =>
      record?.kind === "text" ? await texts.read(record.key) : undefined;
    const [before, after] = await Promise.all([read(file?.before), read(file?.after)]);
    const isLost =
      (before === undefined && file?.before?.kind !== "absent") ||
      (after === undefined && file?.after?.kind !== "absent");
    return isLost
      ? undefined
      : { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }
}

/** A file of a turn, or a hunk of that. */
export interface Part {
  readonly path?: string;
  readonly hunk?: string;
}

/** The oldest turns lose their files, not their number. */
function withinLimit(turns: readonly TurnChanges[]): readonly TurnChanges[] {
  let count = 0;
  return turns
    .toReversed()
    .map((turn) => {
      count += turn.files.length;
      return count <= mostOfAll ? turn : { ...turn, files: [], more: turn.files.length + turn.more };
    })
    .toReversed();
}

/** By what an agent itself has kept, where it has. */
async function byAgent(
  agent: Pick<AgentSession, "rewind"> | undefined,
  prompt: string,
  dryRun: boolean,
): Promise<Restoring> {
  const found = await agent?.rewind?.(prompt, dryRun);
  if (found === undefined) return notKept;
  const { canRewind, reason, files } = found;
  const restored = files.map((path) => ({ path, kind: "changed", fate: "back" }) as const);
  return { canRewind, files: restored, ...(reason === undefined ? {} : { reason }) };
}

const nothing: Restoring = { canRewind: false, reason: "No files have changed since.", files: [] };

const notKept: Restoring = {
  ...nothing,
  reason: "What agents change is not kept: it is off in the settings.",
};

const fates: Readonly<Record<LedgerUndone["outcome"], RestoredFile["fate"]>> = {
  undone: "back",
  queued: "back",
  partly: "partly",
  conflict: "yours",
  stale: "yours",
  unsure: "yours",
  unknown: "lost",
  failed: "lost",
};

function restoredFile({ path, outcome, kind, isNew, movedFrom }: LedgerUndone): RestoredFile {
  const reason = reasons[outcome];
  return {
    path,
    kind: movedFrom === undefined ? kind : "moved",
    fate: fates[outcome],
    ...(isNew === true ? { isNew } : {}),
    ...(movedFrom === undefined ? {} : { movedFrom }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** What an undo did not do, for people. */
const reasons: Readonly<Partial<Record<LedgerUndone["outcome"], string>>> = {
  partly: "Some of its lines have been changed since, and stay.",
  conflict: "It has been changed since, and stays.",
  stale: "It was changed just now. Try again.",
  unknown: "No copy of it was kept: it cannot be undone here",
  failed: "It could not be written.",
  unsure: "It may be your own change, and stays. Undo it by itself if it is not.",
};

function leftOf(files: readonly LedgerUndone[]): readonly LeftFile[] {
  return files.flatMap(({ path, outcome }) => {
    const reason = reasons[outcome];
    return reason === undefined ? [] : [{ path, reason }];
  });
}

function changesOf({ id, prompt, files }: LedgerTurn): TurnChanges {
  return {
    turn: id,
    ...(prompt === undefined ? {} : { prompt }),
    files: files.slice(0, mostFiles).map(changedFileOf),
    more: Math.max(0, files.length - mostFiles),
  };
}

function changedFileOf(file: LedgerFile): ChangedFile {
  const { path, kind, attribution, review, isAccepted, lines, cannotUndo, movedFrom, canRedo, revision } = file;
  const { isNew, hasMode, commands } = file;
  return {
    path,
    kind: movedFrom === undefined ? kind : "moved",
    mark: attribution,
    state: isAccepted === true ? "accepted" : review === "unreviewed" ? "applied" : review,
    canRedo,
    ...(movedFrom === undefined ? {} : { movedFrom }),
    ...(lines === undefined ? {} : { lines }),
    ...(cannotUndo === undefined ? {} : { obstacle: "No copy of it was kept: it cannot be undone here" }),
    ...(isNew === undefined ? {} : { isNew }),
    ...(hasMode === undefined ? {} : { hasMode }),
    ...(commands === undefined ? {} : { commands }),
    revision,
  };
}

/** It can be looked at for as long as the conversation is kept. */
function oldChanges({ turn, files }: TurnRecord): TurnChanges {
  return {
    turn,
    prompt: turn,
    files: files.slice(0, mostFiles).map(oldFile),
    more: Math.max(0, files.length - mostFiles),
  };
}

function oldFile({ path, before, after, isUndone }: FileRecord): ChangedFile {
  const kind = after?.kind === "absent" ? "deleted" : before?.kind === "absent" ? "created" : "changed";
  const obstacle = "It was noted by an earlier version, and can only be looked at.";
  return { path, kind, mark: "exact", state: isUndone ? "undone" : "applied", canRedo: false, obstacle };
}
