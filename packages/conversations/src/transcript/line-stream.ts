import type { LineFiles } from "./line-files.ts";

/** So much is read at once, bytes. */
const pieceBytes = 256 * 1024;
/** Longer lines are passed over. */
const maximumLineBytes = 32 * 1024 * 1024;
const lineFeed = 0x0a;

/** The lines of a file from its beginning, without their line feeds; what is torn off at the end is left out. */
export async function* readLines(files: LineFiles, path: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  const size = (await files.size(path)) ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  for (let start = 0; start < size; start += pieceBytes) {
    if (signal?.aborted === true) return;
    const piece = Buffer.from(await files.read(path, start, Math.min(size, start + pieceBytes)));
    // A line that is too long loses its beginning, and is no line of ours any more.
    const bytes = Buffer.concat([rest.length > maximumLineBytes ? Buffer.alloc(0) : rest, piece]);
    let from = 0;
    for (let feed = bytes.indexOf(lineFeed); feed >= 0; feed = bytes.indexOf(lineFeed, from)) {
      yield bytes.toString("utf8", from, feed);
      from = feed + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
  }
}
