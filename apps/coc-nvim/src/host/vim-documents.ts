import { type HostDocuments, limitText, PatchbayError } from "@patchbay/core";
import { utf16ToByte } from "../context/byte-columns.ts";
import { type BufferText, fromBufferText, readBufferText, toBufferText } from "../diff/buffer-text.ts";
import { lineEdits } from "../diff/line-edits.ts";
import { sendLines } from "../vim/long-text.ts";
import { asBoolean, asLines, asNumber, asShape } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";
import { decodeText } from "./decode-text.ts";
import type { VimEditors } from "./vim-editors.ts";

export interface VimDocumentsOptions {
  readonly vim: Vim;
  readonly coc: Pick<CocServices, "lines">;
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

/** Opening, reading, changing and saving files in the editor for agents that ask for it, and for reviews. */
export function createVimDocuments({ vim, coc, editors, onKept, later }: VimDocumentsOptions): HostDocuments {
  const linesOf = async (number: number, limitBytes: number): Promise<readonly string[]> =>
    coc.lines(number) ??
    asLines(await vim.call("patchbay#track#lines", [number, 1, Number.MAX_SAFE_INTEGER, limitBytes]));
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
        throw new PatchbayError("host-failed", "The editor is in the middle of a command; try again.");
      }
    },
    isDirty: (path) => editors.bufferOf(path)?.modified,
    save: async (path) => {
      const buffer = editors.bufferOf(path);
      if (buffer === undefined) return false;
      const saved = asBoolean(await vim.call("patchbay#save", [buffer.number]));
      if (saved) editors.noteModified(buffer.number, false);
      return saved;
    },
    readText: async (path, limitBytes) => {
      const buffer = editors.bufferOf(path);
      if (buffer === undefined) return undefined;
      const lines = await linesOf(buffer.number, limitBytes);
      return limitText(`${lines.join("\n")}\n`, limitBytes);
    },
    unsavedText: async (path) => {
      const now = await held(path);
      return now?.modified === true ? now.text : undefined;
    },
    onDidChangeUnsaved: editors.onDidChangeUnsaved,
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
      const edits = lineEdits(now.buffer.lines, lines);
      const change = { edits: edits.places, ...(await sendLines(vim, "put", edits.lines)), newline };
      const done = asNumber(await vim.call("patchbay#disk#put", [now.number, now.tick, change]));
      if (done === 0) return "stale";
      if (done === 1) return "written";
      throw new PatchbayError("host-failed", `The text is in the buffer of ${path}, which could not be saved.`);
    },
    languageId: (path) => {
      const type = editors.bufferOf(path)?.type;
      return type === undefined || type === "" ? undefined : type;
    },
  };
}

/** Line ends do not count. */
function sameLines(one: string, other: string): boolean {
  return one === other || one.replaceAll("\r\n", "\n") === other.replaceAll("\r\n", "\n");
}

function inLineEnds(text: string, format: BufferText["format"]): string {
  const lines = text.replaceAll("\r\n", "\n");
  return format === "dos" ? lines.replaceAll("\n", "\r\n") : lines;
}
