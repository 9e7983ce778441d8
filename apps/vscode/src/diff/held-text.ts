import { LoadOnce } from "@patchbay/core";

/** Longer texts are encoded in pieces of this many UTF-16 units, with other work in between. */
const pieceLength = 1024 * 1024;

const byteOrderMark = "\uFEFF";
const byteOrderMarkBytes = 3;

/** The content of a file that is held as a text, and is bytes only when VS Code asks for them. */
export class HeldText {
  readonly #text: string;
  readonly #marked: boolean;
  #size: number | undefined;
  readonly #bytes: LoadOnce<Uint8Array> = new LoadOnce(() =>
    encodeInPieces(this.#marked ? byteOrderMark + this.#text : this.#text, this.size),
  );

  /** `marked`: the bytes begin with a byte order mark. */
  constructor(text: string, marked: boolean) {
    this.#text = text;
    this.#marked = marked;
  }

  /** Without the byte order mark. */
  text(): string {
    return this.#text;
  }

  get size(): number {
    this.#size ??= Buffer.byteLength(this.#text) + (this.#marked ? byteOrderMarkBytes : 0);
    return this.#size;
  }

  async bytes(): Promise<Uint8Array> {
    return await this.#bytes.get();
  }
}

async function encodeInPieces(text: string, size: number): Promise<Uint8Array> {
  if (text.length <= pieceLength) return Buffer.from(text);
  // Every byte is written: nothing of what the memory held before is given away.
  const bytes = Buffer.allocUnsafeSlow(size);
  let written = 0;
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    // The halves of a pair are encoded together.
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    written += bytes.write(text.slice(start, end), written);
    start = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}
