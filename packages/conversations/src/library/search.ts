import { searchedText } from "../conversation/entry-text.ts";
import type { LineFiles } from "../transcript/line-files.ts";
import { parseLine } from "../transcript/line.ts";
import { readLines } from "../transcript/line-stream.ts";

/** A place where a text was found. */
export interface Hit {
  readonly place: number;
  /** The text around it, on one line. */
  readonly excerpt: string;
}

/** How many hits of one conversation are told. */
const hitsPerConversation = 5;
/** Characters shown before and after what was found. */
const around = 60;

/** Looks for a text in a transcript, without regard to case. Gives each hit as it is found. */
export async function* searchTranscript(
  files: LineFiles,
  path: string,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Hit, void> {
  const wanted = text.toLowerCase();
  // As it stands in a line of JSON: most lines need not be parsed.
  const inJson = JSON.stringify(text).slice(1, -1).toLowerCase();
  const found = new Set<number>();
  for await (const raw of readLines(files, path, signal)) {
    if (found.size >= hitsPerConversation || signal.aborted) return;
    if (!raw.toLowerCase().includes(inJson)) continue;
    const line = parseLine(raw);
    if (line?.kind !== "entry" || found.has(line.place)) continue;
    const excerpt = excerptOf(searchedText(line.entry), wanted);
    if (excerpt === undefined) continue;
    found.add(line.place);
    yield { place: line.place, excerpt };
  }
}

/** The part of a text around what is looked for. */
export function excerptOf(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - around);
  const end = Math.min(text.length, at + wanted.length + around);
  const part = text.slice(start, end).replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}
