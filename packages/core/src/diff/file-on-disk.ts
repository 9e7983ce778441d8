import type { HostDocuments } from "../editor-host.ts";
import type { Files } from "../platform/platform.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { Clock } from "../support/time.ts";
import { mergeTexts } from "./merge-texts.ts";
import { hasConflict, type KeptTextSaving } from "./model.ts";
import type { Proposal } from "./proposal.ts";
import { byteOrderMark, restoreLineEnds, sameLines, splitByteOrderMark } from "./text-fidelity.ts";

/** The largest file that a text is saved into, bytes. */
const maximumBytes = 64 * 1024 * 1024;

/** How often the text is brought onto what the file holds by then, where somebody writes it at the same time. */
const attempts = 3;

/** New files get what the user's umask leaves of this. */
const newFileMode = 0o666;

export interface FileAccess {
  readonly clock: Clock;
  readonly files: Files;
  readonly documents: HostDocuments | undefined;
}

/**
 * Writes a text of the user into its file, at the user's explicit wish. A file that holds one of `bases`, which the text came
 * from (the first one most likely), takes it as it is; with one that holds anything else it is merged, or nothing is written. An open document is changed
 * in the editor, and the file by itself where it is not open.
 */
export async function saveIntoFile(
  path: string,
  text: string,
  bases: readonly string[],
  access: FileAccess,
): Promise<KeptTextSaving> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const place = await findPlace(path, access);
    const held = await place.read();
    if (held === undefined) return (await place.create(text)) ? { kind: "saved", merged: false } : { kind: "conflict" };
    const wanted = await bringOnto(held, text, bases, access.clock);
    if (wanted === undefined) return { kind: "conflict" };
    if (wanted.text === held || (await place.replace(held, wanted.text)))
      return { kind: "saved", merged: wanted.merged };
  }
  return { kind: "conflict" };
}

/** Undefined: what the file holds and the text do not fit together. */
async function bringOnto(
  held: string,
  text: string,
  bases: readonly string[],
  clock: Clock,
): Promise<{ readonly text: string; readonly merged: boolean } | undefined> {
  const { mark, body } = splitByteOrderMark(held);
  const plain = splitByteOrderMark(text).body;
  // Both versions of what was never resolved belong in no file.
  if (hasConflict(plain) && !bases.some(hasConflict)) return undefined;
  const isBase = sameLines(body, plain) || bases.some((base) => sameLines(body, base));
  if (isBase) return { text: mark + (await restoreLineEnds(plain, body, clock)), merged: false };
  // By the likeliest base alone: what merges by another one only would lose what the text says of the rest.
  const merged = await mergeTexts(bases[0] ?? "", plain, body, clock);
  if (merged.kind !== "clean") return undefined;
  return { text: mark + (await restoreLineEnds(merged.text, body, clock)), merged: true };
}

interface Place {
  /** Undefined: there is no such file. */
  read(): Promise<string | undefined>;
  /** False where there is one by now. */
  create(text: string): Promise<boolean>;
  /** False where it holds another text by now. */
  replace(held: string, text: string): Promise<boolean>;
}

async function findPlace(path: string, { files, documents }: FileAccess): Promise<Place> {
  const write = documents?.write?.bind(documents);
  if (documents !== undefined && write !== undefined && documents.isDirty(path) !== undefined) {
    return {
      read: () => documents.readText(path, maximumBytes),
      create: async () => false,
      replace: async (held, text) => (await write(path, held, text)) === "written",
    };
  }
  const real = await files.realPath(path);
  return {
    read: async () => {
      if (real === undefined) return undefined;
      const held = await files.readText(real, maximumBytes);
      if (held !== undefined) return held;
      throw new PatchbayError("storage-failed", `${path} is not UTF-8 text of at most 64 MB. Open it in the editor.`);
    },
    create: async (text) => {
      try {
        await files.createExclusive(path, text, newFileMode);
        return true;
      } catch (error) {
        if ((await files.lstat(path)) !== undefined) return false;
        throw error;
      }
    },
    replace: async (held, text) => (await files.replaceText(real ?? path, held, text)) === "replaced",
  };
}

/** How many answers are remembered; an agent works on few files at a time. */
const maximumRemembered = 64;

/**
 * Tells which final texts need the byte order mark of their file. A file is read at most once for each state it is in when
 * it is proposed: agents propose again and again for the same file.
 */
export class ByteOrderMarks {
  readonly #files: Files;
  readonly #known: Map<string, { readonly state: string; readonly hasMark: boolean }> = new Map();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Whether the final text must have a mark because the file has one; looked up only where it decides anything. */
  needed(proposal: Proposal): Promise<boolean> | boolean {
    const { owner, kind, input } = proposal.facts;
    // A file that did not exist has no mark, and a proposal that has one keeps it anyway.
    if (owner.byteOrderMark !== "as-on-disk" || kind === "create" || input.text.startsWith(byteOrderMark)) return false;
    const { fileState } = proposal;
    const known = this.#known.get(input.path);
    return fileState !== undefined && known?.state === fileState ? known.hasMark : this.#read(input.path, fileState);
  }

  async #read(path: string, state: string | undefined): Promise<boolean> {
    const hasMark = await this.#files.startsWithByteOrderMark(path);
    if (state !== undefined) {
      if (this.#known.size >= maximumRemembered) this.#known.clear();
      this.#known.set(path, { state, hasMark });
    }
    return hasMark;
  }
}

/** Bytes that a file may have more than the text: line ends of two bytes and a byte order mark do not double it. */
const bytesPerUnit = 4;

/** Tells whether an agent has done what the user decided: by the file itself, since agents do not say. */
export class WrittenFiles {
  readonly #files: Pick<Files, "readText">;
  readonly #logger: Logger;

  constructor(files: Pick<Files, "readText">, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
  }

  /** Whether a file holds a text; line ends and a byte order mark, which agents write in their own way, do not count. */
  async holds(path: string, text: string): Promise<boolean> {
    try {
      const found = await this.#files.readText(path, text.length * bytesPerUnit + bytesPerUnit);
      return found !== undefined && plain(found) === plain(text);
    } catch (error) {
      this.#logger.debug("A file could not be compared with what was accepted", { reason: messageOf(error) });
      return false;
    }
  }
}

function plain(text: string): string {
  const body = text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
  return body.replaceAll("\r\n", "\n");
}
