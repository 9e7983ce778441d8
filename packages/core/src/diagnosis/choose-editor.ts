import type { Platform } from "../platform/platform.ts";
import { type EditorRecord, type FoundPlace, variableOf } from "./records.ts";
import type { ChoiceReason, DiagnosedAgent } from "./finding.ts";
import { holds, realPlace } from "./running-editors.ts";
import { editorProcessOf } from "./terminal.ts";

/** What an agent, started in a folder from this terminal, makes of the records that it finds. */
export type Choice =
  /** It tries these in turn; `tries` says for how many. */
  | { readonly kind: "takes"; readonly ranked: readonly RankedRecord[]; readonly tries: "first" | "all" }
  /** One has the folder open; it connects when it is told to. */
  | { readonly kind: "waits"; readonly record: EditorRecord }
  | { readonly kind: "undecided"; readonly records: readonly EditorRecord[] }
  | { readonly kind: "none" };

export interface RankedRecord {
  readonly record: EditorRecord;
  readonly because: ChoiceReason;
}

export interface ChoiceFacts {
  readonly platform: Platform;
  /** The places of all agents, read. */
  readonly places: readonly FoundPlace[];
  /** Absolute. */
  readonly folder: string;
}

/** The variable that names the editor's port to each agent. */
export const portVariables: Readonly<Record<DiagnosedAgent, string>> = {
  gemini: "GEMINI_CLI_IDE_SERVER_PORT",
  qwen: "QWEN_CODE_IDE_SERVER_PORT",
  claude: "CLAUDE_CODE_SSE_PORT",
};

/** The port that this terminal names to an agent; undefined: none. Claude Code takes hexadecimal ones, too. */
export function namedPort(platform: Platform, agent: DiagnosedAgent): number | undefined {
  const text = variableOf(platform.process, portVariables[agent]);
  return text === undefined ? undefined : Number(text);
}

/** Ranks the records as each agent does (docs/protocols). */
export async function chooseEditor(agent: DiagnosedAgent, facts: ChoiceFacts): Promise<Choice> {
  const records = recordsOf(agent, facts);
  switch (agent) {
    case "gemini":
      return await chooseForGemini(records, facts);
    case "qwen":
      return await chooseForQwen(records, facts);
    case "claude":
      return await chooseForClaude(records, facts);
  }
}

/** Those that the agent reads: its own user's regular files. */
function recordsOf(agent: DiagnosedAgent, { platform, places }: ChoiceFacts): readonly EditorRecord[] {
  const { uid } = platform.process;
  const byPort = new Map<string, EditorRecord>();
  for (const { place, files } of places) {
    if (place.agent !== agent) continue;
    for (const { record, facts } of files) {
      if (record !== undefined && (uid === -1 || facts.uid === uid)) {
        // Claude Code has two places, with the same record in both.
        byPort.set(agent === "claude" ? String(record.port) : record.path, record);
      }
    }
  }
  return Array.from(byPort.values());
}

/** Of several matches only the best is tried. */
async function chooseForGemini(all: readonly EditorRecord[], facts: ChoiceFacts): Promise<Choice> {
  const { platform } = facts;
  const records = await matching(all, facts);
  const port = namedPort(platform, "gemini");
  const own = records.length > 1 ? await editorProcessOf(platform) : undefined;
  const tiers: readonly (readonly [ChoiceReason, (record: EditorRecord) => number])[] = [
    ["port-variable", (record) => Number(record.port === port)],
    ["own-process", (record) => Number(record.pid !== undefined && record.pid === own)],
    ["largest-process", (record) => Number(record.pid !== undefined && platform.process.isAlive(record.pid))],
    ["largest-process", (record) => record.pid ?? 0],
  ];
  return takes(rank(records, tiers), "first");
}

/** A port where nobody answers makes it go on to the next. */
async function chooseForQwen(all: readonly EditorRecord[], facts: ChoiceFacts): Promise<Choice> {
  const { platform } = facts;
  // It deletes those of dead processes instead of reading them.
  const alive = all.filter(({ pid }) => pid === undefined || platform.process.isAlive(pid));
  const port = namedPort(platform, "qwen");
  const tiers: readonly (readonly [ChoiceReason, (record: EditorRecord) => number])[] = [
    ["port-variable", (record) => Number(record.port === port)],
    ["newest", (record) => record.modifiedMs],
  ];
  return takes(rank(await matching(alive, facts), tiers), "all");
}

async function chooseForClaude(all: readonly EditorRecord[], facts: ChoiceFacts): Promise<Choice> {
  const { platform, folder } = facts;
  const alive = all.filter(({ pid }) => pid === undefined || platform.process.isAlive(pid));
  const port = namedPort(platform, "claude");
  const named = alive.find((record) => record.port === port);
  // Whatever its folders are.
  if (named !== undefined) return takes([{ record: named, because: "port-variable" }], "first");
  // Links in a record's folders are not followed, and the agent's own directory has none: the system tells it without.
  const here = await realPlace(platform, folder);
  const records = alive.filter(({ folders }) => folders.some((root) => holds(root, here)));
  const [first] = records;
  if (first === undefined) return { kind: "none" };
  if (records.length > 1) return { kind: "undecided", records };
  // Any port variable, also one of an editor that is gone, has it connect by itself.
  return port === undefined ? { kind: "waits", record: first } : takes([{ record: first, because: "only" }], "first");
}

function takes(ranked: readonly RankedRecord[], tries: "first" | "all"): Choice {
  return ranked.length === 0 ? { kind: "none" } : { kind: "takes", ranked, tries };
}

/** The best first; each with the tier that puts it before the next. */
function rank(
  records: readonly EditorRecord[],
  tiers: readonly (readonly [ChoiceReason, (record: EditorRecord) => number])[],
): readonly RankedRecord[] {
  const difference = (a: EditorRecord, b: EditorRecord): readonly [ChoiceReason, number] | undefined => {
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
async function matching(
  records: readonly EditorRecord[],
  { platform, folder }: ChoiceFacts,
): Promise<readonly EditorRecord[]> {
  const here = await realPlace(platform, folder);
  const fits = await Promise.all(
    records.map(async ({ folders }) => {
      const roots = await Promise.all(folders.map((root) => realPlace(platform, root)));
      return roots.some((root) => holds(root, here));
    }),
  );
  return records.filter((_record, index) => fits[index] === true);
}
