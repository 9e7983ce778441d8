import * as z from "zod";
import { type AgentId, agentOf, agents } from "../agents/catalogue.ts";
import { type Choice, type ChoiceFacts, holds, realPlace } from "../agents/choice.ts";
import { type OwnSettings, withVariables } from "../agents/settings.ts";
import { variableOf } from "../agents/surroundings.ts";
import { askHook } from "../endpoint/ask-hook.ts";
import { type PortAnswer, probePort } from "../endpoint/try-session.ts";
import {
  contextQuestion,
  encodeReviewQuestion,
  presenceQuestion,
  readContext,
  readReviewReply,
  type ReviewReply,
} from "../hooks/questions.ts";
import type { Presence } from "../hooks/presences.ts";
import type { Platform } from "../platform/platform.ts";
import {
  agentPlaces,
  type EditorRecord,
  type FoundPlace,
  hasCompanionEnded,
  isElsewhere,
  placesOf,
  readPlaces,
} from "./records.ts";
import type { ReviewRequest } from "../companion.ts";
import type { EditorContext } from "../context/model.ts";
import { type Disposable, onAbort } from "../support/disposable.ts";

/** An editor that agents can find, put together from its records. */
export interface RunningEditor {
  readonly name: string;
  readonly editorId: string | undefined;
  readonly port: number;
  readonly pid: number | undefined;
  /** Whether it runs among other processes, as in another container: its pid says nothing here. */
  readonly isElsewhere: boolean;
  readonly folders: readonly string[];
  readonly agents: readonly AgentId[];
  readonly records: readonly EditorRecord[];
  /** Whether it answers on its port, and is not known to have ended. */
  readonly answers: boolean;
  /** Whether it accepts connections without answering: it is stopped, hangs or is very busy. */
  readonly isSilent: boolean;
  /** How long it took to answer, or was waited for in vain, ms. */
  readonly waitedMs: number;
}

/** The editors on this machine that have left records where agents of this terminal look; those that answer first. */
export async function findRunningEditors(
  platform: Platform,
  found?: readonly FoundPlace[],
  probe: (port: number) => Promise<PortAnswer> = probePort,
): Promise<readonly RunningEditor[]> {
  const places = found ?? (await readPlaces(platform, agentPlaces(platform, platform.process)));
  const byPort = new Map<number, EditorRecord[]>();
  for (const { files } of places) {
    for (const { record } of files) {
      if (record !== undefined) byPort.set(record.port, [...(byPort.get(record.port) ?? []), record]);
    }
  }
  const editors = await Promise.all(Array.from(byPort, ([port, group]) => describe(platform, port, group, probe)));
  return editors.sort((a, b) => Number(b.answers) - Number(a.answers) || a.port - b.port);
}

async function describe(
  platform: Platform,
  port: number,
  records: readonly EditorRecord[],
  probe: (port: number) => Promise<PortAnswer>,
): Promise<RunningEditor> {
  const companion = records.find((record) => record.companion !== undefined)?.companion;
  const named = records.find(({ hasEditorInfo }) => hasEditorInfo) ?? records[0];
  // A companion that was killed leaves its records, and another program may listen on its port by now.
  const { state, waitedMs } = (await hasCompanionEnded(platform, companion)) ? nobody : await probe(port);
  return {
    name: named?.editorName ?? "an editor",
    editorId: named?.editorId,
    port,
    pid: companion?.pid ?? named?.pid,
    isElsewhere: companion !== undefined && (await isElsewhere(platform, companion)),
    folders: Array.from(new Set(records.flatMap(({ folders }) => folders))),
    agents: Array.from(new Set(records.map(({ agent }) => agent))),
    records,
    answers: state === "answers",
    isSilent: state === "silent",
    waitedMs,
  };
}

const nobody: PortAnswer = { state: "nobody", waitedMs: 0 };

/** Those of them that answer and have a folder, or one above it, open; the one with the nearest folder first. */
export async function findServingEditors(
  platform: Platform,
  editors: readonly RunningEditor[],
  folder: string,
): Promise<readonly RunningEditor[]> {
  const here = await realPlace(platform, folder);
  const ranked = await Promise.all(
    editors.map(async (editor) => {
      const roots = await Promise.all(editor.folders.map((root) => realPlace(platform, root)));
      const nearest = Math.max(-1, ...roots.filter((root) => holds(root, here)).map((root) => root.length));
      return { editor, nearest };
    }),
  );
  return ranked
    .filter(({ editor, nearest }) => editor.answers && nearest >= 0)
    .sort((a, b) => b.nearest - a.nearest)
    .map(({ editor }) => editor);
}

/** The same, of all on this machine. Editors with other folders are not asked, so that one of them that hangs keeps nobody waiting. */
export async function findEditorsWith(platform: Platform, folder: string): Promise<readonly RunningEditor[]> {
  const here = await realPlace(platform, folder);
  const places = await readPlaces(platform, agentPlaces(platform, platform.process));
  const records = places.flatMap(({ files }) => files.flatMap(({ record }) => record ?? []));
  const ports = new Set<number>();
  for (const { port, folders } of records) {
    const roots = await Promise.all(folders.map((root) => realPlace(platform, root)));
    if (roots.some((root) => holds(root, here))) ports.add(port);
  }
  const theirs = places.map((place) => ({
    ...place,
    files: place.files.filter(({ record }) => record !== undefined && ports.has(record.port)),
  }));
  return await findServingEditors(platform, await findRunningEditors(platform, theirs), folder);
}

export interface PlacesFacts {
  readonly platform: Platform;
  /** The places of all agents, read. */
  readonly places: readonly FoundPlace[];
  /** Absolute. */
  readonly folder: string;
  /** What its own settings and its terminal say; absent: nothing. */
  readonly own?: Pick<OwnSettings, "connectsByItself" | "editorTerminal"> | undefined;
}

/** The port that this terminal names to an agent, read as the agent does; undefined: none that it takes for one. */
export async function namedPort(platform: Platform, agent: AgentId): Promise<number | undefined> {
  const { portVariable, loadChecks } = agentOf(agent);
  const text = portVariable === undefined ? undefined : variableOf(platform.process, portVariable);
  if (text === undefined) return undefined;
  const { readPort = readPlainPort } = await loadChecks();
  return readPort(text);
}

function readPlainPort(text: string): number | undefined {
  return /^[1-9]\d*$/u.test(text) ? Number(text) : undefined;
}

/**
 * The editors that an agent finds that is started in a folder: the one that its port variable names first, then those with the nearest
 * folders. What its own files say about where it looks counts. Never rejects.
 */
export async function findEditorsOf(
  platform: Platform,
  agent: AgentId,
  folder: string,
): Promise<readonly RunningEditor[]> {
  const { readSettings } = await agentOf(agent).loadChecks();
  const { variables } = await readSettings({ platform, folder });
  const places = placesOf(
    platform,
    agents.map(({ id }) => ({ agent: id, ...(id === agent && variables !== undefined ? { variables } : {}) })),
  );
  const editors = await findRunningEditors(platform, await readPlaces(platform, places));
  const named = await namedPort(withVariables(platform, variables), agent);
  const serving = await findServingEditors(platform, editors, folder);
  return serving
    .filter((editor) => editor.agents.includes(agent))
    .toSorted((a, b) => Number(b.port === named) - Number(a.port === named));
}

/** What the agent makes of the records that it finds. */
export async function chooseEditor(agent: AgentId, facts: PlacesFacts): Promise<Choice<EditorRecord>> {
  const checks = await agentOf(agent).loadChecks();
  return await checks.choose(recordsOf(agent, facts), await choiceFacts(agent, facts));
}

async function choiceFacts(agent: AgentId, { platform, folder, own }: PlacesFacts): Promise<ChoiceFacts> {
  return {
    platform,
    folder,
    namedPort: await namedPort(platform, agent),
    connectsByItself: own?.connectsByItself,
    editorTerminal: own?.editorTerminal,
  };
}

/** See `AgentChecks.neededVersion`. */
export async function neededVersion(agent: AgentId, version: string, facts: PlacesFacts): Promise<string | undefined> {
  const checks = await agentOf(agent).loadChecks();
  return await checks.neededVersion?.(version, recordsOf(agent, facts), await choiceFacts(agent, facts));
}

/** Those that the agent reads: its own user's regular files. */
function recordsOf(agent: AgentId, { places }: PlacesFacts): readonly EditorRecord[] {
  const byName = new Map<string, EditorRecord>();
  for (const { place, files } of places) {
    if (place.agent !== agent) continue;
    for (const { name, record } of files) {
      // The same record may lie in several places.
      if (record !== undefined) byName.set(name, record);
    }
  }
  return Array.from(byName.values());
}

/** Longer than a busy editor takes, ms. */
const answerMs = 3_000;

const told = z.array(
  z.object({
    id: z.string(),
    agent: z.string(),
    title: z.string().optional(),
    state: z.enum(["working", "waiting", "idle", "ended", "connecting", "connected", "away"]),
    since: z.number(),
    waitsFor: z.array(z.string()),
    processes: z.array(z.number()),
  }),
);

/** What one session of an agent does, as its companion tells: see `Presence`. */
export interface ToldPresence extends Pick<Presence, "id" | "state" | "since" | "waitsFor" | "processes"> {
  readonly title?: string | undefined;
  readonly agent: AgentId;
  readonly agentName: string;
  /** The port of its companion. */
  readonly port: number;
}

/** Asks the companions of this user what their agents do. One that does not know the question tells nothing. Never rejects. */
export async function readPresences(
  platform: Platform,
  editors: readonly RunningEditor[],
): Promise<readonly ToldPresence[]> {
  const asked = editors.filter(mayBeTold).flatMap(({ port, records }) => {
    // Several agents may come with the token of one record.
    const tokens = new Set(records.flatMap((record) => tokenForQuestions(record) ?? []));
    return Array.from(tokens, (token) => ({ token, port }));
  });
  const answers = await Promise.all(
    asked.map(async ({ token, port }): Promise<readonly ToldPresence[]> => {
      const event = JSON.stringify(presenceQuestion);
      const reply = await askHook({ port, token, event, pid: platform.process.pid, limitMs: answerMs });
      const read = told.safeParse(parse(reply.kind === "answered" ? reply.output : undefined));
      return (read.data ?? []).flatMap((one) => {
        const dialect = agents.find(({ id }) => id === one.agent);
        return dialect === undefined ? [] : [{ ...one, agent: dialect.id, agentName: dialect.agentName, port }];
      });
    }),
  );
  return answers.flat();
}

/** Of one among other processes nobody here knows whether it has ended, and who has its port by now. */
function mayBeTold({ answers, isElsewhere: isThere }: RunningEditor): boolean {
  return answers && !isThere;
}

/** Others than Patchbay are not asked, nor whoever may have put a record of this user's in another's place. */
function tokenForQuestions({ token, companion, isTrusted }: EditorRecord): string | undefined {
  return companion !== undefined && isTrusted ? token : undefined;
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** How long a user may take, ms. */
const patienceMs = 24 * 60 * 60_000;

/** So long after an editor has gone, or was not there, one is looked for again, ms. */
const lookAgainMs = 5_000;

/** The door of the editor that has the folder open; undefined: there is none. */
async function findDoor(
  platform: Platform,
  folder: string,
): Promise<{ readonly port: number; readonly token: string } | undefined> {
  const serving = await findEditorsWith(platform, folder).catch(() => []);
  return serving.filter(mayBeTold).flatMap(({ port, records }) =>
    records.flatMap((record) => {
      const token = tokenForQuestions(record);
      return token === undefined ? [] : [{ port, token }];
    }),
  )[0];
}

/**
 * Has a change reviewed in the editor that has the folder open. Undefined: there is none, it does not know this question, or nothing
 * was decided there. Aborted: the question is taken back. Never rejects.
 */
export async function askEditorForReview(
  platform: Platform,
  folder: string,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<ReviewReply | undefined> {
  const found = await findDoor(platform, folder);
  if (found === undefined || signal.aborted) return undefined;
  const { pid } = platform.process;
  const event = encodeReviewQuestion(request);
  const reply = await askHook({ ...found, event, pid, limitMs: patienceMs, signal });
  return readReviewReply(reply.kind === "answered" ? reply.output : undefined);
}

/**
 * Tells what the user has open in the editor that has the folder open, as far as agents may know of it, now and after each change;
 * undefined: no editor tells it. Resolves once the signal is aborted. Never rejects.
 */
export async function followEditorContext(
  platform: Platform,
  folder: string,
  listener: (context: EditorContext | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const event = JSON.stringify(contextQuestion);
  const { pid } = platform.process;
  while (!signal.aborted) {
    const found = await findDoor(platform, folder).catch(() => undefined);
    if (found !== undefined && !signal.aborted) {
      const onWaiting = (said: string): void => {
        const context = readContext(said);
        if (context !== undefined && !signal.aborted) listener(context);
      };
      await askHook({ ...found, event, pid, limitMs: patienceMs, signal, onWaiting });
      if (!signal.aborted) listener(undefined);
    }
    await wait(platform, signal);
  }
}

async function wait({ clock }: Platform, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let following: Disposable | undefined;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimeout(resolve, lookAgainMs);
    following = onAbort(signal, () => {
      timer.dispose();
      resolve();
    });
  });
  following?.dispose();
}
