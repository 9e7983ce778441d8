import { type HostDocuments, PatchbayError } from "@patchbay/core";
import { l10n } from "@patchbay/languages/spoken";
import { type BufferText, fromBufferText, readBufferText, toBufferText } from "../diff/buffer-reader.ts";
import { lineEdits } from "../diff/line-edits.ts";
import { sendLines } from "../vim/long-text.ts";
import { asBoolean, asLines, asNumber, asShape } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";
import type { VimEditors } from "./vim-editors.ts";

export interface DocumentTextsOptions {
  readonly coc: Pick<CocServices, "lines">;
  readonly vim: Vim;
  readonly editors: VimEditors;
  /** A buffer has unsaved text, and its file was changed by others. */
  readonly onKept: (path: string) => void;
  /** Waits until Vim can be asked again. */
  readonly later: () => Promise<void>;
}

/** Answers of `patchbay#disk#take()`; after others it is tried again. */
const taking = { done: 1, failed: 3 } as const;

/** What a buffer would write now. */
interface Held {
  readonly number: number;
  readonly buffer: BufferText;
  readonly text: string;
  readonly modified: boolean;
  /** Changes with the text. */
  readonly tick: number;
}

interface DocumentTexts
  extends Required<Pick<HostDocuments, "decodeFile" | "open" | "reload" | "unsavedText" | "write">> {
  /** The text of a buffer; one without unsaved text takes over first what others have written into its file. */
  upToDateText(path: string): Promise<string | undefined>;
}

/** The texts of files as reviews need them: unsaved ones, those on the disk, and what takes their place. */
export function createDocumentTexts({ vim, coc, editors, onKept, later }: DocumentTextsOptions): DocumentTexts {
  const held = async (path: string): Promise<Held | undefined> => {
    const number = editors.bufferOf(path)?.number;
    if (number === undefined) return undefined;
    const answer = asShape(await vim.call("patchbay#disk#held", [number]));
    const buffer = readBufferText(answer);
    if (buffer === undefined) return undefined;
    const text = fromBufferText(buffer, "");
    return { number, buffer, text, modified: asBoolean(answer["modified"]), tick: asNumber(answer["tick"]) };
  };
  return {
    open: async ({ path, range, focus }) => {
      const line = range === undefined ? 0 : range.start.line + 1;
      const number = editors.bufferOf(path)?.number;
      const text = range === undefined || number === undefined ? "" : (coc.lines(number)?.[range.start.line] ?? "");
      const column = range === undefined ? 0 : utf16ToByte(text, range.start.character) + 1;
      if (!asBoolean(await vim.call("patchbay#show", [path, line, column, focus ? 1 : 0]))) {
        throw new PatchbayError("host-failed", l10n.t("The editor is in the middle of a command; try again."));
      }
    },
    upToDateText: async (path) => {
      if (editors.bufferOf(path) === undefined) return undefined;
      while (!asBoolean(await vim.call("patchbay#disk#reload", [path]))) await later();
      return (await held(path))?.text;
    },
    unsavedText: async (path) => {
      const now = await held(path);
      return now?.modified === true ? now.text : undefined;
    },
    decodeFile: async (path, bytes) =>
      decodeText(bytes, async () => asLines(await vim.call("patchbay#disk#encodings", [path]))),
    reload: async (path, heldText) => {
      for (;;) {
        const now = await held(path);
        if (now?.modified !== true) return;
        const isSame = sameLines(now.text, heldText);
        const done = isSame ? asNumber(await vim.call("patchbay#disk#take", [now.number, now.tick])) : taking.failed;
        if (done === taking.done) editors.noteModified(now.number, false);
        if (done === taking.failed) onKept(path);
        if (done === taking.done || done === taking.failed) return;
        await later();
      }
    },
    write: async (path, heldText, text) => {
      const now = await held(path);
      if (now === undefined || !sameLines(now.text, heldText)) return "stale";
      const { lines, newline } = toBufferText(inLineEnds(text, now.buffer.format));
      const edits = await lineEdits(now.buffer.lines, lines);
      const change = { edits: edits.places, ...(await sendLines(vim, "put", edits.lines)), newline };
      const done = asNumber(await vim.call("patchbay#disk#put", [now.number, now.tick, change]));
      if (done === 0) return "stale";
      if (done === 1) return "written";
      throw new PatchbayError(
        "host-failed",
        l10n.t("The text is in the buffer of {0}, which could not be saved.", path),
      );
    },
  };
}

/** For telling Vim a column: bytes before a UTF-16 index. */
export function utf16ToByte(line: string, index: number): number {
  return Buffer.byteLength(line.slice(0, index), "utf8");
}

/** Line ends do not count. */
function sameLines(one: string, other: string): boolean {
  return one === other || one.replaceAll("\r\n", "\n") === other.replaceAll("\r\n", "\n");
}

function inLineEnds(text: string, format: BufferText["format"]): string {
  const lines = text.replaceAll("\r\n", "\n");
  return format === "dos" ? lines.replaceAll("\n", "\r\n") : lines;
}

/** Vim's names of encodings that the platform knows by other ones. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:8bit-|2byte-)/u, ""],
  [/^cp(125\d|874)$/u, "windows-$1"],
  [/^cp932$|^sjis$/u, "shift_jis"],
  [/^cp936$|^euc-cn$|^gb2312$/u, "gbk"],
  [/^cp949$/u, "euc-kr"],
  [/^cp950$|^euc-tw$/u, "big5"],
  [/^ucs-2le$/u, "utf-16le"],
  [/^ucs-2$|^utf-16$/u, "utf-16be"],
];

/**
 * The text of a file that is not in UTF-8, as the editor reads it: in the first of its encodings that fits. Undefined where it
 * is UTF-8, or none fits.
 */
export async function decodeText(
  bytes: Uint8Array,
  encodings: () => Promise<readonly string[]>,
): Promise<string | undefined> {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs("utf-16le", bytes);
  if (first === 0xfe && second === 0xff) return decodeAs("utf-16be", bytes);
  if (decodeAs("utf-8", bytes) !== undefined) return undefined;
  for (const encoding of await encodings()) {
    const text = decodeAs(encoding, bytes);
    if (text !== undefined) return text;
  }
  return undefined;
}

function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  const name = encoding.toLowerCase();
  // To the platform latin1 is windows-1252, in which Vim reads other characters.
  if (name === "latin1" || name === "iso-8859-1") return Buffer.from(bytes).toString("latin1");
  const known = names.reduce((text, [from, to]) => text.replace(from, to), name);
  try {
    return new TextDecoder(known, { fatal: true }).decode(bytes);
  } catch {
    // The platform does not know it, or the file is not in it.
    return undefined;
  }
}
