import type { Event } from "../support/emitter.ts";

/** What a turn did to a file. */
export interface LedgerFile {
  /** Absolute, as the editor names it. */
  readonly path: string;
  /** `mode`: only its permissions; `binary` and `large`: no text of it can be shown. */
  readonly kind: "created" | "changed" | "deleted" | "mode" | "link" | "binary" | "large";
  /** `exact`: the agent told of the write, or the user accepted it. `unknown`: it may be the user's own change. */
  readonly attribution: "exact" | "likely" | "unknown";
  /** `queued`: an undo waits for the end of the agent's turn. */
  readonly review: "unreviewed" | "kept" | "undone" | "partly" | "queued";
  /** Lines that came and went; undefined where no text is kept. */
  readonly lines: { readonly added: number; readonly removed: number } | undefined;
  /** Why an undo cannot bring back what it was before; not there where it can. */
  readonly cannotUndo?: "large" | "withheld" | "failed" | "unread" | "special";
  /** Where it stood before: the turn renamed it, and both names are kept or undone together. */
  readonly movedFrom?: string;
  /** It is kept because the user accepted it in a review: an undo of the whole turn takes it back, too. */
  readonly isAccepted?: true;
  /** An undo of it still stands, and can be taken back. */
  readonly canRedo: boolean;
  /** There was nothing at the path before, whatever stands there now: an undo takes it away. */
  readonly isNew?: true;
  /** Its permissions changed, too. */
  readonly hasMode?: true;
  /** Commands of the agent that changed it, by the conversation's names for them. */
  readonly commands?: readonly string[];
  /** Another one whenever what there is to see of it, or to decide, is another. */
  readonly revision: string;
}

/** A turn of a conversation. */
export interface LedgerTurn {
  readonly id: string;
  /** The prompt that began it, by the conversation's name for it; undefined where that is not known. */
  readonly prompt: string | undefined;
  /** By path. */
  readonly files: readonly LedgerFile[];
}

/** All of a turn, a file of it, or a hunk of that, by its id. */
export interface LedgerPart {
  readonly turn: string;
  readonly path?: string;
  readonly hunk?: string;
}

/** Some lines of a file that a turn changed, each with its end. */
export interface LedgerHunk {
  /** It stays while other hunks of the file are decided. */
  readonly id: string;
  /** `queued`: an undo waits for the end of the agent's turn. */
  readonly state: "open" | "kept" | "undone" | "queued";
  /** Where its lines began before the turn and as the turn left them, from 0. */
  readonly beforeStart: number;
  readonly afterStart: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Lines around it that the turn left alone. */
  readonly above: readonly string[];
  readonly below: readonly string[];
}

/** What a turn did to a file, as it is looked at. */
export interface LedgerView {
  /** Undefined: no text of it is kept, or it is none. */
  readonly hunks: readonly LedgerHunk[] | undefined;
  /** Permission bits, where they changed. */
  readonly mode?: { readonly before: number; readonly after: number };
  /** What a link said, on each side that is one. */
  readonly target?: { readonly before?: string; readonly after?: string };
}

/** What became of a file that was to be undone. */
export interface LedgerUndone {
  readonly path: string;
  /**
   * `partly`: lines that changed since were left alone. `conflict`: all of them had. `stale`: the file changed while it was written.
   * `unknown`: nobody kept what it was before. `failed`: it could not be written. `unsure`: it may be the user's own change, and was not
   * named. `queued`: it waits for the end of the agent's turn.
   */
  readonly outcome: "undone" | "partly" | "conflict" | "queued" | "stale" | "unknown" | "failed" | "unsure";
  /** What the turns that are undone did to it, taken together. */
  readonly kind: LedgerFile["kind"];
  readonly isNew?: true;
  readonly movedFrom?: string;
}

/** The prompts of a conversation from one on, by the conversation's names for them. */
export interface PromptsSince {
  readonly conversation: string;
  readonly prompts: readonly string[];
}

/**
 * PORT: what the turns of conversations changed, as everybody sees it who asks: the panel, the editor's list of turns, the command line.
 * Implemented by `FolderLedgers` of `@patchbay/turns`, which hears of the turns as `TurnWitness`.
 */
export interface TurnLedger {
  /** Something of some turn has changed, whoever did it. */
  readonly onDidChange: Event<void>;
  /** Turns of a conversation that changed files, oldest first: the newest ones, up to a number. */
  turnsOf(conversation: string, most: number): Promise<readonly LedgerTurn[]>;
  /** A file as it was before a turn, and as the turn left it, a side undefined where there was none. Undefined: no text of it is kept. */
  texts(part: LedgerPart & { readonly path: string }): Promise<LedgerTexts | undefined>;
  /** Its hunks, each with what was decided of it. Undefined: the turn did nothing to the file. */
  view(part: LedgerPart & { readonly path: string }): Promise<LedgerView | undefined>;
  /** Takes a change off the list of what is to be reviewed. False where there is nothing of the kind. */
  keep(part: LedgerPart): Promise<boolean>;
  /** While the agent works, an undo waits for the end of its turn; `now`: it does not. What was kept and is named is undone, too. */
  undo(part: LedgerPart, how?: { readonly now?: boolean }): Promise<readonly LedgerUndone[]>;
  /** Takes undos of a turn, of a file of it or of a hunk, back. */
  redo(part: LedgerPart): Promise<readonly LedgerUndone[]>;
  /** Undoes all turns since a prompt, the newest first, also what was kept. One line for each file: the worst that came of it. Undefined: nobody keeps a ledger now. */
  undoSince(since: PromptsSince): Promise<readonly LedgerUndone[] | undefined>;
  /** What that would do. */
  rehearse(since: PromptsSince): Promise<readonly LedgerUndone[] | undefined>;
}

export interface LedgerTexts {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A ledger that is loaded late. `get` resolves with undefined where nobody keeps one now. */
export function lateLedger(get: () => Promise<TurnLedger | undefined>, onDidChange: Event<void>): TurnLedger {
  const ask = async <Found>(what: (ledger: TurnLedger) => Promise<Found>): Promise<Found | undefined> => {
    const ledger = await get();
    return ledger && (await what(ledger));
  };
  return {
    onDidChange,
    turnsOf: async (...asked) => (await ask((one) => one.turnsOf(...asked))) ?? [],
    texts: (part) => ask((one) => one.texts(part)),
    view: (part) => ask((one) => one.view(part)),
    keep: async (part) => (await ask((one) => one.keep(part))) ?? false,
    undo: async (...asked) => (await ask((one) => one.undo(...asked))) ?? [],
    redo: async (part) => (await ask((one) => one.redo(part))) ?? [],
    undoSince: (since) => ask((one) => one.undoSince(since)),
    rehearse: (since) => ask((one) => one.rehearse(since)),
  };
}
