import type { Platform } from "../platform/platform.ts";

/** What a record tells the agent that reads it. */
export interface ReadRecord {
  readonly path: string;
  readonly port: number;
  readonly folders: readonly string[];
  /** Process that the record names; undefined where it names none. */
  readonly pid: number | undefined;
  readonly modifiedMs: number;
}

/** What an agent, started in a folder from this terminal, makes of the records that it finds. */
export type Choice<Read extends ReadRecord> =
  /** It tries these in turn; `tries` says for how many. */
  | { readonly kind: "takes"; readonly ranked: readonly RankedRecord<Read>[]; readonly tries: "first" | "all" }
  /** One has the folder open; it connects when it is told to. */
  | { readonly kind: "waits"; readonly record: Read }
  /** One has the folder open, and by this variable the terminal is that of another editor: it connects to none by itself. */
  | { readonly kind: "other-terminal"; readonly record: Read; readonly variable: string }
  | { readonly kind: "undecided"; readonly records: readonly Read[] }
  | { readonly kind: "none" };

export interface RankedRecord<Read extends ReadRecord> {
  readonly record: Read;
  readonly because: ChoiceReason;
}

/** Why an agent takes one editor and no other. */
export type ChoiceReason = "only" | "port-variable" | "own-process" | "largest-process" | "nearest-folder" | "newest";

export interface ChoiceFacts {
  readonly platform: Platform;
  /** Absolute. */
  readonly folder: string;
  /** The port that this terminal names to the agent; undefined: none. */
  readonly namedPort: number | undefined;
  /** See `OwnSettings.connectsByItself`. */
  readonly connectsByItself?: boolean | undefined;
  /** See `OwnSettings.editorTerminal`. */
  readonly editorTerminal?: string | undefined;
}

export function takes<Read extends ReadRecord>(
  ranked: readonly RankedRecord<Read>[],
  tries: "first" | "all",
): Choice<Read> {
  return ranked.length === 0 ? { kind: "none" } : { kind: "takes", ranked, tries };
}

/** The best first; each with the tier that puts it before the next. */
export function rank<Read extends ReadRecord>(
  records: readonly Read[],
  tiers: readonly (readonly [ChoiceReason, (record: Read) => number])[],
): readonly RankedRecord<Read>[] {
  const difference = (a: Read, b: Read): readonly [ChoiceReason, number] | undefined => {
    for (const [reason, weight] of tiers) {
      const by = weight(b) - weight(a);
      if (by !== 0) return [reason, by];
    }
    return undefined;
  };
  // One editor may have left several records for one agent.
  const sorted = records.toSorted((a, b) => difference(a, b)?.[1] ?? 0);
  const unique = sorted.filter((record, index) => sorted.findIndex(({ port }) => port === record.port) === index);
  return unique.map((record, index) => {
    const next = unique[index + 1];
    const because = next === undefined ? undefined : difference(record, next)?.[0];
    return { record, because: unique.length === 1 ? "only" : (because ?? "newest") };
  });
}

/** Those whose folders, links resolved, hold the folder. */
export async function matching<Read extends ReadRecord>(
  records: readonly Read[],
  { platform, folder }: ChoiceFacts,
): Promise<readonly Read[]> {
  const here = await realPlace(platform, folder);
  const fits = await Promise.all(
    records.map(async ({ folders }) => {
      const roots = await Promise.all(folders.map((root) => realPlace(platform, root)));
      return roots.some((root) => holds(root, here));
    }),
  );
  return records.filter((_record, index) => fits[index] === true);
}

/** Whether `folder` is `root` or below it, by the letters of the paths. */
export function holds(root: string, folder: string): boolean {
  const trimmed = root.replace(/[/\\]+$/u, "");
  return folder === root || folder === trimmed || ["/", "\\"].some((mark) => folder.startsWith(trimmed + mark));
}

/** A folder or file with links resolved; as it is where it is gone or cannot be looked at (a mount that hangs in the air, another's home). */
export async function realPlace({ files }: Pick<Platform, "files">, place: string): Promise<string> {
  return (await files.realPath(place).catch(() => undefined)) ?? place;
}

/** Whether a version is this one or an older one; what stands behind its three numbers does not count. */
export function isAtMost(version: string, most: readonly [number, number, number]): boolean {
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10));
  const index = most.findIndex((number, at) => number !== (numbers[at] ?? 0));
  return index === -1 || (numbers[index] ?? 0) < (most[index] ?? 0);
}
