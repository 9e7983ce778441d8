import type { Disposable, Event, Platform } from "@patchbay/core";
import type {
  FileReview,
  FolderLedgersOptions,
  TurnEnd,
  TurnInfo,
  TurnTexts,
  UndoDoor,
  UndoEntry,
  UndoLedger,
  UndoNotice,
  UndoRequest,
} from "../model.ts";
import type { Places } from "../look/places.ts";
import type { Contents } from "./contents.ts";
import type { Observer } from "./observer.ts";
import type { Content, TurnRecord } from "./records.ts";
import type { TurnBook } from "./turn-book.ts";

export interface UndoRoomOptions extends Pick<FolderLedgersOptions, "door"> {
  readonly platform: Platform;
  readonly book: TurnBook;
  readonly contents: Contents;
  readonly observer: Observer;
  readonly places: Places;
  readonly onDidEnd: Event<TurnEnd>;
  readonly info: (id: string) => TurnInfo | undefined;
}

/** The ledger as keeping and undoing sees it. */
export class UndoRoom implements UndoLedger {
  readonly #options: UndoRoomOptions;

  constructor(options: UndoRoomOptions) {
    this.#options = options;
  }

  get door(): UndoDoor {
    return this.#options.door;
  }

  turn(id: string): TurnInfo | undefined {
    return this.#options.info(id);
  }

  async texts(id: string, path: string): Promise<TurnTexts | undefined> {
    const { book, places, contents } = this.#options;
    const file = book.get(id)?.files.get(places.real(path));
    if (file === undefined) return undefined;
    const sides = file.undecided ?? file;
    const [before, after] = await Promise.all([contents.read(sides.before), contents.read(sides.after)]);
    if (before === undefined && sides.before.kind !== "none") return undefined;
    if (after === undefined && sides.after.kind !== "none") return undefined;
    return { before, after, ...(file.goneMode === undefined ? {} : { goneMode: file.goneMode }) };
  }

  async textOnDisk(path: string): Promise<{ readonly text: string | undefined } | undefined> {
    return await this.#options.contents.textNow(this.#options.places.real(path));
  }

  async review(id: string, path: string, review: FileReview, undecided?: TurnTexts): Promise<void> {
    const { book, places } = this.#options;
    const turn = book.get(id);
    if (turn === undefined) return;
    const real = places.real(path);
    const sides =
      undecided === undefined
        ? undefined
        : { before: await this.#keep(real, undecided.before), after: await this.#keep(real, undecided.after) };
    await book.review(turn, real, { review, undecided: sides });
  }

  queued(id: string): readonly UndoRequest[] {
    return this.#options.book.get(id)?.queued ?? [];
  }

  async queue(id: string, requests: readonly UndoRequest[]): Promise<void> {
    const { book } = this.#options;
    const turn = book.get(id);
    if (turn === undefined) return;
    turn.queued = requests;
    await book.write(turn, { type: "queue", queued: requests });
  }

  openEntry(undoes: string): UndoEntry {
    const { book, places, observer } = this.#options;
    let turn: TurnRecord | undefined;
    const opened = async (): Promise<TurnRecord> => {
      if (turn !== undefined) return turn;
      const undone = book.get(undoes);
      turn = await book.open({
        agent: undone?.agent ?? "",
        session: undone?.session ?? "",
        folder: undone?.folder,
        border: "exact",
        undoes,
        prompt: undone?.prompt ?? "",
        agents: undone?.agents ?? [],
      });
      return turn;
    };
    return {
      aboutTo: async (path, now) => {
        const real = places.real(path);
        const entry = await opened();
        const before = await this.#keep(real, now);
        entry.pending.set(real, before);
        await book.write(entry, { type: "pending", path: real, before });
      },
      settle: async (path, wrote) => {
        if (turn === undefined) return;
        const real = places.real(path);
        if (wrote !== undefined) {
          const [before, after] = [await this.#keep(real, wrote.before), await this.#keep(real, wrote.after)];
          await book.enter(turn, { path: real, before, after, mode: undefined, attribution: "exact" });
          await observer.undid(real, before, after);
        }
        if (turn.pending.delete(real)) await book.write(turn, { type: "settled" });
      },
      end: async () => {
        if (turn === undefined) return undefined;
        await book.end(turn);
        return turn.files.size === 0 ? undefined : turn.id;
      },
    };
  }

  isWorking(id: string): boolean {
    const { book, observer } = this.#options;
    const turn = book.get(id);
    return observer.open.some(
      (one) =>
        (one.agent === turn?.agent && one.session === turn.session) ||
        Array.from(one.files.keys()).some((path) => turn?.files.has(path) === true),
    );
  }

  onDidEnd(listener: (end: TurnEnd) => void): Disposable {
    return this.#options.onDidEnd(listener);
  }

  async undid(notice: UndoNotice): Promise<void> {
    const { book, places } = this.#options;
    const entry = notice.result.turn === undefined ? undefined : book.get(notice.result.turn);
    // A guessed turn is one of a session that no prompt is told of.
    if (entry !== undefined && notice.turn.border === "exact") {
      entry.note = toldOfUndo(notice, (path) => places.shown(path));
      await book.write(entry, { type: "turn", turn: entry });
    }
  }

  async refresh(): Promise<void> {
    const { book, observer } = this.#options;
    await book.refresh((id) => observer.isHeard(id));
    await observer.followOthers();
  }

  /** On nobody's account: an undo that could not be undone would be worse than a full store. */
  async #keep(path: string, text: string | undefined): Promise<Content> {
    return await this.#options.contents.keep(path, text, "undo");
  }
}

/** More files are counted. */
const mostFiles = 20;

/**
 * What the agent is told of an undo, so that it does not build on what is gone. `shown`: a path as the agent knows it. Undefined
 * where nothing was written.
 */
export function toldOfUndo({ turn, result, reason }: UndoNotice, shown: (path: string) => string): string | undefined {
  const undone = result.files.filter(({ outcome }) => outcome === "undone" || outcome === "partly");
  if (undone.length === 0) return undefined;
  const named = undone
    .slice(0, mostFiles)
    .map(({ path, outcome }) => (outcome === "partly" ? `${shown(path)} (in part)` : shown(path)));
  const more = undone.length > mostFiles ? [`${undone.length - mostFiles} more`] : [];
  const [what, where] =
    turn.undoes === undefined ? ["took back", "changes of yours in"] : ["brought back", "changes in"];
  const said = reason?.trim() ?? "";
  const asked = said === "" ? "" : ` They say: ${said}`;
  return `The user reviewed what you did and ${what} ${where} ${[...named, ...more].join(", ")}. Read these files again before you go on with them, and do not change them back unless the user asks for it.${asked}`;
}
