import type { FileFacts } from "@patchbay/core";
import type { Contents } from "../ledger/contents.ts";
import type { Content } from "../ledger/records.ts";
import type {
  TurnInfo,
  TurnTexts,
  UndoDoor,
  UndoEntry,
  UndoLedger,
  UndoRequest,
  WholeChange,
  WholeFile,
} from "../model.ts";

export interface RehearsalOptions {
  readonly ledger: UndoLedger;
  readonly contents: Pick<Contents, "bytes" | "isSame" | "read">;
  /** A file of a turn as an undo would find it; undefined where there is no such file in the turn. */
  readonly sides: (id: string, path: string) => { readonly before: Content; readonly after: Content } | undefined;
  /** Whether the user has kept all of a file, and would have it taken back nevertheless. */
  readonly isTakenUpAgain: (id: string, path: string) => boolean;
  /** The entry of a path on disk. */
  readonly facts: (path: string) => Promise<FileFacts | undefined>;
  /** What a folder on disk has in it, by name; undefined where it cannot be read. */
  readonly list: (folder: string) => Promise<readonly string[] | undefined>;
  readonly separator: string;
}

/** What would stand at a path. */
interface Imagined {
  /** As `WholeFile`, with its bytes; undefined: as on disk. */
  readonly content: { readonly kind: "none" } | (WholeFile & { readonly bytes?: Uint8Array }) | undefined;
  readonly mode: number | undefined;
  /** It would be the text of an editor that is not saved. */
  readonly isUnsaved: boolean;
}

/** A ledger in which an undo changes nothing: what it would write is remembered here, so that the undo of an earlier turn finds it. */
export class Rehearsal implements UndoLedger {
  readonly #options: RehearsalOptions;
  readonly #imagined: Map<string, Imagined> = new Map();

  constructor(options: RehearsalOptions) {
    this.#options = options;
  }

  readonly door: UndoDoor = {
    unsavedText: async (path) => {
      const found = this.#imagined.get(path);
      if (found?.content === undefined) return await this.#options.ledger.door.unsavedText(path);
      return found.isUnsaved ? textOf(found) : undefined;
    },
    replace: async (path, _held, text) => {
      const isUnsaved = (await this.door.unsavedText(path)) !== undefined;
      const { mode } = this.#imagined.get(path) ?? {};
      const content = { kind: "file", bytes: Buffer.from(text), mode } as const;
      this.#imagined.set(path, { content, mode, isUnsaved });
      return "written";
    },
    remove: async (path) => {
      this.#imagined.set(path, { content: { kind: "none" }, mode: undefined, isUnsaved: false });
      return await Promise.resolve(true);
    },
    restore: async (path, _held, wanted) => {
      const found = this.#imagined.get(path);
      const isMode = wanted.kind === "file" && wanted.bytes === undefined;
      const mode = wanted.kind === "file" ? (wanted.mode ?? found?.mode) : undefined;
      this.#imagined.set(path, { content: isMode ? found?.content : wanted, mode, isUnsaved: false });
      return await Promise.resolve("written" as const);
    },
    removeEmpty: async (folder) => {
      const { list, separator } = this.#options;
      const below = `${folder}${separator}`;
      const isThere = ({ content }: Imagined): boolean => content !== undefined && content.kind !== "none";
      if (Array.from(this.#imagined).some(([path, one]) => path.startsWith(below) && isThere(one))) return;
      const isGone = (name: string): boolean => this.#imagined.get(below + name)?.content?.kind === "none";
      if ((await list(folder))?.every(isGone) === true)
        this.#imagined.set(folder, { content: { kind: "none" }, mode: undefined, isUnsaved: false });
    },
  };

  turn(id: string): TurnInfo | undefined {
    return this.#options.ledger.turn(id);
  }

  async texts(id: string, path: string): Promise<TurnTexts | undefined> {
    const { contents, sides } = this.#options;
    const found = sides(id, path);
    if (found === undefined) return undefined;
    const [before, after] = await Promise.all([contents.read(found.before), contents.read(found.after)]);
    if (before === undefined && found.before.kind !== "none") return undefined;
    if (after === undefined && found.after.kind !== "none") return undefined;
    return { before, after };
  }

  async textOnDisk(path: string): Promise<{ readonly text: string | undefined } | undefined> {
    const found = this.#imagined.get(path);
    if (found?.content === undefined) return await this.#options.ledger.textOnDisk(path);
    if (found.content.kind === "none") return { text: undefined };
    const text = textOf(found);
    return text === undefined ? undefined : { text };
  }

  async whole(id: string, path: string): Promise<WholeChange | undefined> {
    const { ledger, contents, sides, facts, isTakenUpAgain } = this.#options;
    const whole = await ledger.whole(id, path, isTakenUpAgain(id, path));
    const found = this.#imagined.get(path);
    if (whole === undefined || found === undefined) return whole;
    const onDisk = await facts(path);
    const held = onDisk === undefined ? undefined : { ...onDisk, mode: found.mode ?? onDisk.mode };
    const modes = ledger.modes(id, path);
    const side = sides(id, path);
    if (side === undefined) return whole;
    if (modes !== undefined && (await contents.isSame(side.before, side.after))) {
      const now = held?.mode === modes.after ? "after" : held?.mode === modes.before ? "before" : "else";
      return { ...whole, now, held };
    }
    if (found.content === undefined) return { ...whole, held };
    const isAfter = await this.#holds(found.content, side.after);
    const now = isAfter ? "after" : (await this.#holds(found.content, side.before)) ? "before" : "else";
    return { ...whole, now, held };
  }

  async #holds(held: NonNullable<Imagined["content"]>, content: Content): Promise<boolean> {
    if (held.kind === "none" || content.kind === "none") return held.kind === content.kind;
    if (held.kind === "link" || content.kind === "link")
      return held.kind === "link" && content.kind === "link" && held.target === content.target;
    const bytes = await this.#options.contents.bytes(content);
    return bytes !== undefined && held.bytes !== undefined && Buffer.compare(bytes, held.bytes) === 0;
  }

  made(id: string, path: string): { readonly isNew: boolean; readonly folders: readonly string[] } {
    return this.#options.ledger.made(id, path);
  }

  modes(id: string, path: string): ReturnType<UndoLedger["modes"]> {
    return this.#options.ledger.modes(id, path);
  }

  openEntry(): UndoEntry {
    return {
      aboutTo: async () => {},
      settle: async () => {},
      aboutToTake: async () => await Promise.resolve(true),
      settleTaken: async () => {},
      renamed: async () => {},
      end: async () => await Promise.resolve(undefined),
    };
  }

  async refresh(): Promise<void> {
    await this.#options.ledger.refresh();
  }

  queued(): readonly UndoRequest[] {
    return [];
  }

  isWorking(): boolean {
    return false;
  }

  onDidEnd(): { dispose(): void } {
    return { dispose: () => {} };
  }

  async undidWhole(): Promise<void> {}

  async keptWhole(): Promise<void> {}

  isKept(id: string, path: string): boolean {
    const { ledger, isTakenUpAgain } = this.#options;
    return ledger.isKept(id, path) && !isTakenUpAgain(id, path);
  }

  async broughtBack(): Promise<void> {}

  async review(): Promise<void> {}

  async queue(): Promise<void> {}

  async undid(): Promise<void> {}
}

/** Undefined where it is no UTF-8 text. */
function textOf({ content }: Imagined): string | undefined {
  if (content?.kind !== "file" || content.bytes === undefined) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content.bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
