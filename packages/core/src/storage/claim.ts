import type { Platform } from "../platform/platform.ts";
import { errorCodeOf } from "../support/errors.ts";

/**
 * Takes a file as the sign that what it stands for belongs to one run alone, until `releaseClaim` or the end of the process
 * that `marker` names. Returns the text by which it is known as this claim; undefined: a run that lives has it. Of any
 * number of runs that try at once one at most has it.
 */
export async function claimFile(platform: Platform, path: string, marker: RecordMarker): Promise<string | undefined> {
  const text = markRecord(JSON.stringify({ run: platform.random.token(9) }), marker);
  if (await createClaim(platform, path, text)) return text;
  return (await takeOverEndedClaim(platform, path, { marker, text })) ? text : undefined;
}

/** Gives back what `claimFile` took, unless a later run of the same editor has it by now. */
export async function releaseClaim(platform: Platform, path: string, text: string): Promise<void> {
  const { files } = platform;
  const turn = turnPath(platform, path, text);
  // Who has the turn is about to take the claim away.
  if (!(await createClaim(platform, turn, text))) return;
  try {
    if ((await files.readText(path, maximumRecordBytes)) === text) await files.remove(path);
  } finally {
    await files.remove(turn);
  }
}

/** False where there is a file already. */
async function createClaim({ files }: Platform, path: string, text: string): Promise<boolean> {
  try {
    await files.createExclusive(path, text, 0o600);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The file that one must have made to take away the claim that is known by `sign`. */
function turnPath(platform: Platform, path: string, sign: string): string {
  return `${path}.${platform.random.mac("turn", sign).slice(0, 16)}`;
}

/** A claim is written in one go; one without a text that is older than this belongs to nobody. */
const unfinishedClaimMs = 5_000;
/** How many runs may have been killed one after another just while they took over. */
const maximumDepth = 3;

interface OwnClaim {
  readonly marker: RecordMarker;
  readonly text: string;
}

interface FoundClaim {
  /** Tells this claim from any other that has been or will be in its place. */
  readonly sign: string;
  readonly holder: RecordMarker | undefined;
  readonly modifiedMs: number;
}

/**
 * Puts an own claim in the place of that of a run that has ended, or of the same editor window's earlier process. False: a
 * run that lives has it. To look and then to remove would not do: what is removed may be the claim of a run that was faster.
 * So the claim that was looked at is removed only by who has its turn, and only if it is still there.
 */
async function takeOverEndedClaim(platform: Platform, path: string, own: OwnClaim, depth = 0): Promise<boolean> {
  const found = await look(platform, path);
  if (found === undefined) return await createClaim(platform, path, own.text);
  if (depth > maximumDepth || !(await hasEnded(platform, found, own.marker))) return false;
  const turn = turnPath(platform, path, found.sign);
  if (!(await createClaim(platform, turn, own.text))) {
    // Whoever had the turn may have been killed. A window's earlier process that lives keeps it.
    const { editor: _any, ...marker } = own.marker;
    if (!(await takeOverEndedClaim(platform, turn, { marker, text: own.text }, depth + 1))) return false;
  }
  try {
    if ((await look(platform, path))?.sign !== found.sign) return false;
    await platform.files.remove(path);
    return await createClaim(platform, path, own.text);
  } finally {
    await platform.files.remove(turn);
  }
}

async function look({ files }: Platform, path: string): Promise<FoundClaim | undefined> {
  const text = await files.readText(path, maximumRecordBytes);
  const facts = await files.lstat(path);
  if (facts === undefined) return undefined;
  const { kind, size, modifiedMs } = facts;
  if (text === undefined || text === "")
    return { sign: `${kind} ${size} ${modifiedMs}`, holder: undefined, modifiedMs };
  return { sign: text, holder: parseMarker(text), modifiedMs };
}

async function hasEnded(platform: Platform, { holder, modifiedMs }: FoundClaim, own: RecordMarker): Promise<boolean> {
  // Just being written, or what is left of a run that was killed while it wrote, perhaps before the clock was set back.
  if (holder === undefined) return Math.abs(platform.clock.now() - modifiedMs) >= unfinishedClaimMs;
  if (own.editor !== undefined && own.editor === holder.editor && own.pid !== holder.pid) return true;
  return await isEnded(platform, holder);
}

/**
 * Says inside a record that Patchbay wrote it, and which run did. Agents ignore the field; without it the record of a
 * killed editor could not be told from one of another companion, which is never touched.
 */
export interface RecordMarker {
  readonly pid: number;
  /** Start mark of that process (`ProcessFacts.startMark`), absent where the system tells none. */
  readonly start?: string | undefined;
  /** Among which processes its number counts, where the system has several such places: containers do. What `processPlace` leads to. */
  readonly place?: string | undefined;
  /** Key of the editor (window) that the run served, where the host has one that outlives the process. */
  readonly editor?: string | undefined;
}

/** Name of the field in a record's JSON. */
const recordMarkerField = "patchbay";

/** Longest record that is read, in UTF-8 bytes; Patchbay's own are far below 16 KB even with many folders. */
export const maximumRecordBytes: number = 256 * 1024;

/** Where Linux says which PID namespace this process is in: of one in another namespace its number says nothing here. */
export const processPlace: string = "/proc/self/ns/pid";

/** The marker of this process. */
export async function markerFor(platform: Platform, editor?: string): Promise<RecordMarker> {
  const start = await platform.process.startMark(platform.process.pid);
  const place = await platform.files.readLink(processPlace).catch(() => undefined);
  // What is undefined is not written.
  return { pid: platform.process.pid, start, place, editor };
}

/** Puts the marker into a record's JSON text, as its last field. A text that is not a JSON object is returned as it is. */
export function markRecord(content: string, marker: RecordMarker): string {
  const record = parseObject(content);
  if (record === undefined) return content;
  return JSON.stringify({ ...record, [recordMarkerField]: marker });
}

/** Reads the marker of any text found in a record's place: undefined where Patchbay did not write it. Never throws. */
export function parseMarker(text: string): RecordMarker | undefined {
  const record = parseObject(text);
  if (record === undefined || !Object.hasOwn(record, recordMarkerField)) return undefined;
  const marker: unknown = Reflect.get(record, recordMarkerField);
  if (!isObject(marker)) return undefined;
  const pid = ownValue(marker, "pid");
  const start = ownValue(marker, "start");
  const editor = ownValue(marker, "editor");
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (start !== undefined && typeof start !== "string") return undefined;
  if (editor !== undefined && typeof editor !== "string") return undefined;
  return { pid, start, editor };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON: somebody else's file, and no failure of ours.
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Whether the run that a marker names has ended: its process is gone, or its id belongs to a later process (E05). */
export async function isEnded(platform: Pick<Platform, "process">, marker: RecordMarker): Promise<boolean> {
  if (!platform.process.isAlive(marker.pid)) return true;
  if (marker.start === undefined) return false;
  const start = await platform.process.startMark(marker.pid);
  return start !== undefined && start !== marker.start;
}
