import { textEdits } from "@patchbay/core";

/** Changes of a buffer's lines, as `patchbay#window#edit()` takes them. */
export interface LineEdits {
  /** First line (from 1), how many go, how many come; from the top, in lines of the buffer as it is before. */
  readonly places: readonly (readonly [first: number, gone: number, come: number])[];
  /** What comes, one place after the other. */
  readonly lines: readonly string[];
}

/** More places than this make a message too long, and nobody sees them one by one. */
const mostPlaces = 1_000;

/** The smallest changes, in whole lines, that make one text of a buffer into another. A buffer has one line at least. */
export async function lineEdits(before: readonly string[], after: readonly string[]): Promise<LineEdits> {
  const [from, to] = [joined(before), joined(after)];
  const places: [number, number, number][] = [];
  const lines: string[] = [];
  let [line, at] = [1, 0];
  const edits = await textEdits(from, to, async () => {
    await new Promise((resolve) => setImmediate(resolve));
  });
  for (const { start, end, text } of edits) {
    line += count(from, at, start);
    const gone = count(from, start, end);
    const come = text.split("\n").slice(0, -1);
    places.push([line, gone, come.length]);
    for (const one of come) lines.push(one);
    line += gone;
    at = end;
  }
  const [first] = places;
  if (first === undefined || places.length <= mostPlaces) return { places, lines: lines.map(toVim) };
  const skipped = first[0] - 1;
  const all = (after.length === 0 ? [""] : after).slice(skipped);
  return { places: [[first[0], Math.max(before.length, 1) - skipped, all.length]], lines: all };
}

/** With a line end after each line, so that no edit concerns a part of one. In a line Vim has a line feed for a NUL. */
function joined(lines: readonly string[]): string {
  return `${(lines.length === 0 ? [""] : lines).map((line) => line.replaceAll("\n", "\0")).join("\n")}\n`;
}

function toVim(line: string): string {
  return line.replaceAll("\0", "\n");
}

function count(text: string, from: number, to: number): number {
  let found = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) found += 1;
  return found;
}
