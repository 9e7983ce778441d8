import type { StopOptions } from "../companion.ts";
import { proposalKeyPrefix } from "../diff/model.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";
import { createPrivateStorage, type PrivateStorage, type PrivateStorageOptions } from "../storage/private-storage.ts";
import { markerFor } from "../storage/claim.ts";
import { DisposableStore } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { withTimeout } from "../support/time.ts";
import type { AgentSide } from "./agent-side.ts";
import { AgentsOnDemand, type AgentsOnDemandOptions } from "./agents-on-demand.ts";
import { noteAttached, type OpenedEndpoint } from "./kept-port.ts";
import type { SharedContext } from "./shared-context.ts";

/** Most bytes of kept proposals on disk; the oldest go first. */
const maximumKeptBytes = 256 * 1024 * 1024;

/** How long the open proposals may take to be settled or kept at the end, ms. */
const settleMs = 1_300;

/** How long a stop waits for what agents still did while it ran to be on disk, ms. */
const lastWritesMs = 250;
/**
 * The same where the next run reads it at once, and for the end of a guardian, which takes some ms, on a busy machine some hundred:
 * so long, and what the proposals have not needed of their time.
 */
const lastWritesOfReloadMs = 500;

/** How long an editor is away that does not say so, ms. */
const usualAbsenceMs = 2_000;

/** What one start has begun. */
export interface Run {
  /** Undefined: nothing is kept for the next run. */
  readonly storage: PrivateStorage | undefined;
  readonly agents: AgentsOnDemand;
  /** What it listens to. */
  readonly following: DisposableStore;
  /** Undefined until it listens. */
  opened: OpenedEndpoint | undefined;
}

interface RunStorageOptions {
  readonly host: Pick<EditorHost, "identity" | "messages" | "storageDirectory">;
  readonly platform: Platform;
  readonly logger: Logger;
  /** What was kept of a proposal went for newer ones. */
  readonly onDidDrop: (proposalId: string) => void;
}

export interface OpeningOptions
  extends Omit<RunStorageOptions, "onDidDrop" | "host">,
    Omit<AgentsOnDemandOptions, "storage" | "tracker" | "listening" | "policies" | "openReviews" | "onDidLoad"> {
  readonly shared: SharedContext;
  readonly onDidChangeFolders: () => void;
  /** The user has come to a file: a moment to look whether all is as it was left. */
  readonly onDidFocus: () => void;
  /** The agents' side is there from now on. `following`: what is listened to as long as the run lasts. */
  readonly onDidLoad: (side: AgentSide, following: DisposableStore) => void;
}

/** Everything of a start but the listener: what a review needs, too. */
export async function openRun(options: OpeningOptions): Promise<Run> {
  const { host, shared, onDidChangeFolders, onDidFocus, onDidLoad } = options;
  let agents: AgentsOnDemand | undefined;
  const onDidDrop = (proposalId: string): void => agents?.side?.diffs.droppedForRoom(proposalId);
  const storage = await claimRunStorage({ ...options, onDidDrop });
  const following = new DisposableStore();
  agents = new AgentsOnDemand({
    ...options,
    tracker: shared.tracker,
    storage,
    listening: () => run.opened,
    policies: () => shared.reviewPolicies,
    openReviews: () => shared.openReviews,
    onDidLoad: (side) => onDidLoad(side, following),
  });
  const run: Run = { storage, agents, following, opened: undefined };
  shared.apply();
  following.add(shared.tracker.follow());
  following.add(host.workspace.onDidChangeFolders(onDidChangeFolders));
  following.add(
    host.editors.onDidChange((change) => {
      if (change.kind === "focused") onDidFocus();
    }),
  );
  return run;
}

/** Claims what is kept for this workspace; undefined where nothing is. What the user has to know is shown. */
async function claimRunStorage(options: RunStorageOptions): Promise<PrivateStorage | undefined> {
  const { host, platform, logger, onDidDrop } = options;
  const directory = host.storageDirectory;
  if (directory === undefined) return undefined;
  const warn = (code: string, text: string, values: Readonly<Record<string, string>>): void => {
    host.messages
      .show({ code, severity: "warning", text, actions: [], values })
      .catch((error: unknown) => logger.warn("A message could not be shown", { reason: messageOf(error) }));
  };
  return claimStorage({
    platform,
    logger,
    directory,
    owner: host.identity.editorKey,
    bounds: [
      {
        prefix: proposalKeyPrefix,
        maximumBytes: maximumKeptBytes,
        onDidDrop: (key) => onDidDrop(key.slice(proposalKeyPrefix.length)),
      },
    ],
    onDidSetAside: (place) => {
      const text = `Patchbay's stored data was not used, because other users of this machine could have changed it. It was set aside in ${place}, in files that end in ".aside".`;
      warn("set-aside", text, { place });
    },
    onDidFail: (reason) => {
      const text = `Patchbay cannot store anything for the next start of the editor. ${reason} Then restart the editor.`;
      warn("nothing-kept", text, { reason });
    },
  });
}

/**
 * Ends the agents' side and the endpoint of a run: proposals are settled or kept, a port holder is left where agents are to find
 * one, streams end. Never rejects; the records are still there, and the storage is still claimed.
 */
export async function endRun(
  run: Run,
  { reload, comeBackMs }: StopOptions,
  { platform, logger }: { readonly platform: Platform; readonly logger: Logger },
): Promise<void> {
  /** A part of the end that fails does not keep the rest from ending. */
  const attempt = async (work: Promise<unknown> | undefined): Promise<void> => {
    try {
      await work;
    } catch (error) {
      logger.warn("A part of the companion did not end well", { reason: messageOf(error) });
    }
  };
  const began = platform.clock.monotonic();
  const side = await run.agents.loaded();
  // Otherwise it goes with the last proposal that is settled.
  if (reload === true) side?.guardian?.leave();
  if (reload === true) run.opened?.endpoint.leave(comeBackMs === undefined ? {} : { comeBackMs });
  // An editor that does not answer must not keep the records in being.
  const diffs = side?.diffs.stop({ keep: reload === true });
  if (diffs !== undefined) await attempt(withTimeout(settleMs, platform.clock, diffs));
  let retryMs = comeBackMs;
  const { opened, storage, following } = run;
  if (
    reload === true &&
    (side !== undefined || run.agents.earlier !== undefined) &&
    storage !== undefined &&
    opened !== undefined
  ) {
    // The port is held, and in the end verdicts are given, by a process of their own.
    const { earlier } = run.agents;
    const holding = { platform, storage, listening: opened, agents: side, earlier };
    const leaving = import("./agent-side.ts").then(async ({ startPortHolder }) => {
      const toldMs = await startPortHolder({ ...holding, comeBackMs: comeBackMs ?? usualAbsenceMs });
      if (comeBackMs !== undefined) retryMs = toldMs ?? comeBackMs;
    });
    await attempt(leaving);
  }
  // Before the port is closed: nobody else holds it then but a port holder.
  const guardian = side?.guardian?.dispose();
  side?.hooks.dispose();
  following.dispose();
  // Only where agents were here: an editor without any writes nothing.
  if (reload === true && side !== undefined && storage !== undefined) {
    await attempt(noteAttached(storage, side.sessions.all, platform.clock));
  }
  await attempt(opened?.endpoint.close(retryMs === undefined ? {} : { comeBackMs: retryMs }));
  await attempt(side?.sessions.stop());
  // As long as a guardian has the port, the next run gets another one, and agents stay behind.
  const last = Promise.all([side?.diffs.settled(), reload === true ? guardian : undefined]);
  const leftMs = Math.max(0, settleMs - (platform.clock.monotonic() - began));
  const limitMs = reload === true ? lastWritesOfReloadMs + leftMs : lastWritesMs;
  await attempt(withTimeout(limitMs, platform.clock, last));
  side?.diffs.end();
}

/** How many runs may keep something for one workspace side by side; a further one keeps nothing. */
const maximumRuns = 16;

/**
 * The storage of this run alone: `directory` itself, or where another run that lives has it (two editors in one folder), a
 * directory in it. Undefined where none can be had: then nothing is kept.
 */
async function claimStorage(
  options: PrivateStorageOptions & {
    readonly owner: string | undefined;
    /** Told in sentences why none can be had, and what to do. */
    readonly onDidFail?: (reason: string) => void;
  },
): Promise<PrivateStorage | undefined> {
  const { platform, directory, logger } = options;
  const marker = await markerFor(platform, options.owner);
  const first = createPrivateStorage(options);
  try {
    if (await first.claim(marker)) return first;
    for (let number = 2; number <= maximumRuns; number += 1) {
      const other = createPrivateStorage({ ...options, directory: joinPath(platform, directory, `run-${number}`) });
      if (!(await other.claim(marker))) continue;
      logger.info("Another editor serves this workspace, too: what this one keeps is kept apart", { number });
      return other;
    }
  } catch (error) {
    const reason = messageOf(error);
    logger.warn("Nothing can be kept for the next start", { reason });
    options.onDidFail?.(reason);
  }
  return undefined;
}
