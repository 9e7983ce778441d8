import { type IndexEntry, readEntries, type Wanted } from "./git-index.ts";

/** What of an index stands in it alone: the rest is in a shared one, from which some entries are gone and others are another one. */
export interface SplitIndex {
  /** Names the shared index: `sharedindex.<name>` beside it. */
  readonly shared: string;
  readonly deleted: ReadonlySet<number>;
  readonly replaced: ReadonlySet<number>;
  /** Those that take the place of others, without a name and in their order; then those that are new. */
  readonly entries: readonly IndexEntry[];
}

/** So many bits stand in a word. */
const wordBits = 64;

/** Reads a split index, in steps (gitformat-index(5), "Split index"). Undefined where it is none. */
export function* readSplitIndex(
  bytes: Buffer,
  objectBytes: 20 | 32,
  most: number,
): Generator<void, SplitIndex | undefined> {
  const read = yield* readEntries(bytes, objectBytes, { directory: "", most }, true);
  const link = read === undefined ? undefined : linkIn(bytes, read.end, bytes.length - objectBytes);
  if (read === undefined || link === undefined || link.length < objectBytes) return undefined;
  const shared = link.toString("hex", 0, objectBytes);
  const deleted = bitsAt(link, objectBytes, most);
  const replaced = deleted === undefined ? undefined : bitsAt(link, deleted.next, most);
  if (deleted === undefined || replaced === undefined) return undefined;
  return { shared, deleted: deleted.bits, replaced: replaced.bits, entries: read.entries };
}

/** The whole index; undefined where both do not fit together. */
export function joinIndexes(
  shared: readonly IndexEntry[],
  { deleted, replaced, entries }: SplitIndex,
  { directory, most }: Wanted,
): readonly IndexEntry[] | undefined {
  const joined: IndexEntry[] = [];
  const add = (entry: IndexEntry): void => {
    if (entry.path.startsWith(directory)) joined.push(entry);
  };
  let next = 0;
  for (const [at, entry] of shared.entries()) {
    const other = replaced.has(at) ? entries[next] : undefined;
    if (replaced.has(at)) next += 1;
    if (replaced.has(at) && other?.path !== "") return undefined;
    if (!deleted.has(at)) add(other === undefined ? entry : { ...other, path: entry.path });
  }
  for (const entry of entries.slice(next)) {
    if (entry.path === "") return undefined;
    add(entry);
  }
  return joined.length > most ? undefined : joined;
}

/** The extension that names the shared index. */
function linkIn(bytes: Buffer, from: number, end: number): Buffer | undefined {
  for (let at = from; at + 8 <= end; ) {
    const size = bytes.readUInt32BE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === "link") return bytes.subarray(at + 8, Math.min(at + 8 + size, end));
    at += 8 + size;
  }
  return undefined;
}

/** The set bits of a compressed bitmap (EWAH) and where it ends; none where there is no bitmap. */
function bitsAt(
  bytes: Buffer,
  from: number,
  most: number,
): { readonly bits: ReadonlySet<number>; readonly next: number } | undefined {
  const bits = new Set<number>();
  if (from === bytes.length) return { bits, next: from };
  if (from + 8 > bytes.length) return undefined;
  const count = bytes.readUInt32BE(from);
  const end = from + 8 + bytes.readUInt32BE(from + 4) * 8;
  if (count > most || end + 4 > bytes.length) return undefined;
  let bit = 0;
  for (let at = from + 8; at < end; ) {
    const head = bytes.readBigUInt64BE(at);
    at += 8;
    const run = Number((head >> 1n) & 0xffff_ffffn) * wordBits;
    const literals = Number(head >> 33n);
    if (bit + run > count + wordBits || at + literals * 8 > end) return undefined;
    if ((head & 1n) === 1n) for (let set = bit; set < Math.min(bit + run, count); set += 1) bits.add(set);
    bit += run;
    for (let word = 0; word < literals; word += 1, at += 8, bit += wordBits) {
      const value = bytes.readBigUInt64BE(at);
      for (let one = 0; value >> BigInt(one) > 0n; one += 1)
        if (((value >> BigInt(one)) & 1n) === 1n) bits.add(bit + one);
    }
  }
  return { bits, next: end + 4 };
}
