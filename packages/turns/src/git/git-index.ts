/** One file in git's index, with what git saw of it on disk. */
export interface IndexEntry {
  /** Relative to the top of the work tree, with slashes. */
  readonly path: string;
  readonly object: string;
  /** Type and permissions, as in a tree. */
  readonly mode: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
  /** 0 where the file system has none. */
  readonly inode: number;
  /** Of the file on disk, modulo 2^32. */
  readonly size: number;
  /** Git has been told not to look, the file is in a conflict, or it is only intended: what stands here says nothing of the disk. */
  readonly isUncertain: boolean;
  /** Left out of a sparse checkout: it need not be there. */
  readonly isSparse: boolean;
}

/** As many bytes tell how many entries there are. */
export const headerBytes = 12;
const statBytes = 40;
const extendedFlag = 0x4000;

/** A longer name's length is told as this. */
const longestTold = 0xfff;

/** So many entries take some milliseconds. */
const entriesPerStep = 2_000;

/** More entries, and longer names, are nobody's who works with them; version 4 makes long names of few bytes. */
const mostEntries = 2_000_000;
const longestPath = 8_192;
const longestPaths = 128 * 1024 * 1024;

const directoryType = 0o040000;
const typeBits = 0o170000;

/** How many entries an index has; undefined where it is none. `header`: its begin. */
export function countOf(header: Uint8Array): number | undefined {
  const { buffer, byteOffset, byteLength } = header;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return byteLength < headerBytes || bytes.toString("latin1", 0, 4) !== "DIRC" ? undefined : bytes.readUInt32BE(8);
}

/** What of an index is wanted. */
export interface Wanted {
  /** Below this directory alone: relative to the top of the work tree, with slashes, the last one included. */
  readonly directory: string;
  /** Where there are more entries, none is told. */
  readonly most: number;
}

/**
 * Reads `.git/index`, versions 2 to 4 (gitformat-index(5)), in steps. Undefined where it is none, is torn, or is split: then the rest of it
 * stands elsewhere (`readSplitIndex`); and where it has a name that git would never put there, such as one that leads out of the work tree.
 */
export function* readIndex(
  bytes: Buffer,
  objectBytes: 20 | 32,
  wanted: Wanted = { directory: "", most: mostEntries },
): Generator<void, readonly IndexEntry[] | undefined> {
  const read = yield* readEntries(bytes, objectBytes, wanted, false);
  return read === undefined || isSplit(bytes, read.end, bytes.length - objectBytes) ? undefined : read.entries;
}

/** The entries of an index, and where they end. `mayLackNames`: an entry without one stands for one of another index. */
export function* readEntries(
  bytes: Buffer,
  objectBytes: 20 | 32,
  { directory, most }: Wanted,
  mayLackNames: boolean,
): Generator<void, { readonly entries: readonly IndexEntry[]; readonly end: number } | undefined> {
  if (bytes.length < headerBytes + objectBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4 || count > mostEntries) return undefined;
  const end = bytes.length - objectBytes;
  const entries: IndexEntry[] = [];
  let at = headerBytes;
  let path: Buffer = Buffer.alloc(0);
  let allPaths = 0;
  const above = Buffer.from(directory);
  for (let number = 0; number < count; number += 1) {
    if (number % entriesPerStep === entriesPerStep - 1) yield;
    const flagsAt = at + statBytes + objectBytes;
    if (flagsAt + 2 > end) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = version > 2 && (flags & extendedFlag) !== 0;
    const more = isExtended && flagsAt + 4 <= end ? bytes.readUInt16BE(flagsAt + 2) : 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const stripped = varint(bytes, nameAt, end);
      if (stripped === undefined || stripped.value > path.length) return undefined;
      kept = path.length - stripped.value;
      nameAt = stripped.next;
    }
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd === -1 || nameEnd >= end) return undefined;
    const rest = bytes.subarray(nameAt, nameEnd);
    allPaths += kept + rest.length;
    if (kept + rest.length > longestPath || allPaths > longestPaths) return undefined;
    path = kept === 0 ? rest : Buffer.concat([path.subarray(0, kept), rest]);
    // Names of objects that are longer or shorter than expected put something else where the length stands.
    if ((flags & longestTold) !== Math.min(path.length, longestTold)) return undefined;
    if (
      above.length === 0 ||
      (path.length > above.length && path.compare(above, 0, above.length, 0, above.length) === 0)
    ) {
      const entry = entryAt(bytes, at, objectBytes, path.toString("utf8"), flags, more);
      if (!isTreePath(entry) && !(mayLackNames && entry.path === "")) return undefined;
      entries.push(entry);
      if (entries.length > most) return undefined;
    }
    // Before version 4 an entry ends with 1 to 8 NULs, so that the next begins at a multiple of 8.
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  return { entries, end: at };
}

function entryAt(
  bytes: Buffer,
  at: number,
  objectBytes: number,
  path: string,
  flags: number,
  more: number,
): IndexEntry {
  const stage = flags & 0x3000;
  return {
    path,
    changedMs: timeAt(bytes, at),
    modifiedMs: timeAt(bytes, at + 8),
    inode: bytes.readUInt32BE(at + 20),
    mode: bytes.readUInt32BE(at + 24),
    size: bytes.readUInt32BE(at + 36),
    object: bytes.toString("hex", at + statBytes, at + statBytes + objectBytes),
    isUncertain: (flags & 0x8000) !== 0 || stage !== 0 || (more & 0x2000) !== 0,
    isSparse: (more & 0x4000) !== 0,
  };
}

/** A name that leads elsewhere or into git's own directory; a directory that is left out of a sparse index ends with a slash. */
const badName = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/iu;

function isTreePath({ path, mode }: IndexEntry): boolean {
  const isDirectory = (mode & typeBits) === directoryType;
  return !badName.test(isDirectory && path.endsWith("/") ? path.slice(0, -1) : path);
}

function timeAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 1_000 + bytes.readUInt32BE(at + 4) / 1_000_000;
}

/** As in a pack's offsets: each byte but the last adds one. */
function varint(
  bytes: Buffer,
  from: number,
  end: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let at = from; at < end; at += 1) {
    const byte = bytes.readUInt8(at);
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
    value += 1;
  }
  return undefined;
}

/** Whether an extension says that entries stand in a shared index. */
function isSplit(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at + 8 <= end; ) {
    if (bytes.toString("latin1", at, at + 4) === "link") return true;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return false;
}
