import type { Dialect, RecordPlace } from "../agents/dialect.ts";
import { createNodeFiles } from "../platform/node-files.ts";
import { createNodeProcessFacts } from "../platform/node-process.ts";
import { holds, realPlace } from "../agents/choice.ts";
import { isStopped } from "../agents/surroundings.ts";
import type { Platform } from "../platform/platform.ts";
import { readTrustedRecords, type RecordFile } from "../discovery/read-records.ts";
import type { Clock } from "../support/time.ts";
import { DisposableStore, onAbort, toDisposable } from "../support/disposable.ts";
import { isEnded, parseMarker } from "../storage/claim.ts";

/** The machine without what a hook never needs: each module costs it a millisecond or more. */
export function thisMachine(): HookPlatform {
  return {
    clock: { monotonic: () => performance.now() },
    files: createNodeFiles(),
    process: createNodeProcessFacts(),
  };
}

/** An editor that is started anew takes so long, ms; after that what waited for it is refused. */
const comeBackMs = 20_000;

/** How often a companion is looked for meanwhile, ms. */
const lookAgainMs = 250;

/** A companion that ends so soon after it was asked, ms, may have ended because of that. */
const soonMs = 10_000;

/** So often in a row that is taken for chance. */
const mostSoonCuts = 3;

/** So long in all may those take that do not let it in, ms. */
const shutOutMs = 6_000;

export interface HookRun {
  readonly platform: HookPlatform;
  readonly dialect: Pick<Dialect, "id" | "places" | "portVariable">;
  /** What the agent gave on the standard input. */
  readonly event: string;
  /** Where the hook was started. */
  readonly cwd: string;
  /** How long the agent waits, as far as it is known, ms. */
  readonly limitMs: number;
  /**
   * Aborted: whoever asks wants no answer any more, as a plugin whose agent was interrupted. What the user was asked is withdrawn at once,
   * and there is nothing to print. A hook that is a program of its own needs none: its connection ends with it.
   */
  readonly signal?: AbortSignal;
  /** The user is being asked; called once or more often. */
  readonly onWaiting?: () => void;
}

/**
 * What the hook of an agent prints for an event; undefined: nothing, and the agent goes on as if there were no hook
 * (docs/decisions/0007-hooks.md). Once a user was asked, that is never the end: without their answer the agent is told no. Never rejects.
 */
export async function runHook({
  platform,
  dialect,
  event,
  cwd,
  limitMs,
  signal,
  onWaiting,
}: HookRun): Promise<string | undefined> {
  /** What to print where nobody answers what a user was asked; undefined: nobody was. */
  let unanswered: string | undefined;
  try {
    const begun = platform.clock.monotonic();
    const folder = folderOf(event) ?? cwd;
    const now = (): number => platform.clock.monotonic();
    const isInterrupted = (): boolean => signal?.aborted === true;
    let until = begun;
    let shutOut = 0;
    let soonCuts = 0;
    for (;;) {
      const companions = await findCompanions(platform, dialect, folder);
      if (isInterrupted()) return undefined;
      if (companions.length === 0 && now() >= until) return unanswered;
      // What speaks HTTP is loaded where there is somebody to speak to.
      const { askHook } = await import("../endpoint/ask-hook.ts");
      for (const [index, { port, token, pid }] of companions.entries()) {
        const left = limitMs - (now() - begun);
        if (left <= 0) return unanswered;
        const asked = now();
        const reply = await askHook({
          port,
          token,
          agent: dialect.id,
          event,
          pid: platform.process.pid,
          limitMs: left,
          mayBeBusy: async () => index === companions.length - 1 && !(await isStopped(platform, pid)),
          ...(signal === undefined ? {} : { signal }),
          ...(onWaiting === undefined ? {} : { onWaiting }),
        });
        if (isInterrupted()) return undefined;
        if (reply.kind === "answered") return reply.output ?? unanswered;
        if (reply.kind === "cut") {
          unanswered = reply.output;
          until = now() + comeBackMs;
          soonCuts = now() - asked < soonMs ? soonCuts + 1 : 0;
        } else shutOut += now() - asked;
        if (soonCuts > mostSoonCuts || shutOut >= shutOutMs) return unanswered;
      }
      if (now() >= until) return unanswered;
      await pause(lookAgainMs, signal);
      if (isInterrupted()) return undefined;
    }
  } catch {
    // An agent is never made unusable by its hook.
    return unanswered;
  }
}

/** Resolves after a while, or as soon as nobody waits any more. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const store = new DisposableStore();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    store.add(toDisposable(() => clearTimeout(timer)));
    store.add(onAbort(signal, resolve));
  });
  store.dispose();
}

/** Where the agent works, as it says. */
function folderOf(event: string): string | undefined {
  const told: unknown = JSON.parse(event);
  const folder = typeof told === "object" && told !== null && "cwd" in told ? told.cwd : undefined;
  return typeof folder === "string" && folder !== "" ? folder : undefined;
}

/** What a hook needs of the machine. */
type HookPlatform = Pick<Platform, "files" | "process"> & { readonly clock: Pick<Clock, "monotonic"> };

/** A companion that serves a folder, as its record says. */
interface FoundCompanion {
  readonly port: number;
  readonly token: string;
  /** Of its process. */
  readonly pid: number;
  /** The name of its editor, where the record says it in Claude Code's form. */
  readonly editorName: string | undefined;
}

interface Candidate extends FoundCompanion {
  readonly folders: readonly string[];
  readonly modifiedMs: number;
}

/**
 * The companions of this user that serve a folder to an agent, by the records that the agent itself would read: first the one that this
 * terminal names, then the one with the nearest folder, then the newest. Reads no more than it needs, and never rejects.
 */
export async function findCompanions(
  platform: HookPlatform,
  dialect: Pick<Dialect, "places" | "portVariable">,
  folder: string,
): Promise<readonly FoundCompanion[]> {
  const places = dialect.places(platform.process).filter(({ isRead }) => isRead);
  const found = (await Promise.all(places.map((place) => readPlace(platform, place)))).flat();
  if (found.length === 0) return [];
  const here = await realPlace(platform, folder);
  const { portVariable } = dialect;
  const named = Number(portVariable === undefined ? undefined : platform.process.environment(portVariable));
  const ranked = await Promise.all(
    found.map(async (candidate) => {
      const roots = await Promise.all(candidate.folders.map((root) => realPlace(platform, root)));
      const nearest = Math.max(-1, ...roots.filter((root) => holds(root, here)).map((root) => root.length));
      return { candidate, nearest, isNamed: Number(candidate.port === named) };
    }),
  );
  const serving = ranked
    .filter(({ nearest }) => nearest >= 0)
    .sort((a, b) => b.isNamed - a.isNamed || b.nearest - a.nearest || b.candidate.modifiedMs - a.candidate.modifiedMs)
    .map(({ candidate }) => candidate);
  // One companion may have left several records.
  return serving.filter((one, index) => serving.findIndex(({ port }) => port === one.port) === index);
}

async function readPlace(platform: HookPlatform, place: RecordPlace): Promise<readonly Candidate[]> {
  const records = await readTrustedRecords(platform, place);
  const read = await Promise.all(
    records.map((record) => candidateOf(platform, record).catch((): Candidate | undefined => undefined)),
  );
  return read.filter((candidate) => candidate !== undefined);
}

/** Only what this user wrote, for a run of Patchbay that has not ended: what is sent may be anything of the folder's files. */
async function candidateOf(platform: HookPlatform, { path, text, facts }: RecordFile): Promise<Candidate | undefined> {
  const marker = parseMarker(text);
  if (marker === undefined || (await isEnded(platform, marker))) return undefined;
  const record: unknown = JSON.parse(text);
  if (typeof record !== "object" || record === null) return undefined;
  const named = Number(/(\d+)\.lock$/u.exec(path)?.[1]);
  const port = "port" in record ? Number(record.port) : named;
  const token = "authToken" in record ? record.authToken : undefined;
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || typeof token !== "string" || token === "")
    return undefined;
  return {
    port,
    token,
    pid: marker.pid,
    editorName: "ideName" in record && typeof record.ideName === "string" ? record.ideName : undefined,
    folders: foldersOf(record, platform.process.platform === "win32"),
    modifiedMs: facts.modifiedMs,
  };
}

/** As the records say them (docs/protocols): a list, or one text, whose parts Gemini CLI decodes as URIs where they hold the delimiter. */
function foldersOf(record: object, isWindows: boolean): readonly string[] {
  if ("workspaceFolders" in record && Array.isArray(record.workspaceFolders)) return texts(record.workspaceFolders);
  if (!("workspacePath" in record) || typeof record.workspacePath !== "string") return [];
  const { workspacePath } = record;
  if (workspacePath.startsWith("[")) {
    const listed: unknown = JSON.parse(workspacePath);
    if (Array.isArray(listed)) return texts(listed);
  }
  const delimiter = isWindows ? ";" : ":";
  const parts = workspacePath.split(delimiter).filter((folder) => folder !== "");
  return parts.map((folder) => folder.replaceAll(encodeURIComponent(delimiter), delimiter));
}

function texts(list: readonly unknown[]): readonly string[] {
  return list.filter((value) => typeof value === "string");
}
