import {
  type Clock,
  type Companion,
  type CompanionOptions,
  type HostIdentity,
  LoadOnce,
  type Logger,
  messageOf,
} from "@patchbay/core";
import type { Attachment, PatchbayWindow, WindowFacts } from "../common/protocol.ts";
import { visibleText } from "../common/visible-text.ts";
import { AttachedWindow, type Encodings } from "./attached-window.ts";
import type { LeftWorkspace } from "./workspace-storage.ts";
import { WorkspaceCompanion, type WorkspaceCompanionOptions } from "./workspace-companion.ts";
import { WorkspaceHost } from "./workspace-host.ts";

/**
 * How soon the backend is expected back after an orderly end, ms. Agents that can wait are held for three times as long, and
 * then learn that nobody decides: a restart by hand takes some seconds, and a Theia that was closed does not come back.
 */
const comeBackMs = 10_000;

export interface WorkspacesOptions {
  readonly identity: HostIdentity;
  readonly createCompanion: (options: CompanionOptions) => Companion;
  /** Private directory for one workspace, or undefined where nothing can be kept. */
  readonly storageFor: (key: string) => Promise<string | undefined>;
  /** Passes the workspaces that agents wait for from one backend to the next. */
  readonly handover: {
    readonly leave: (workspaces: readonly LeftWorkspace[]) => Promise<void>;
    readonly take: () => Promise<readonly LeftWorkspace[]>;
  };
  readonly encodings: Encodings;
  readonly createTurns: WorkspaceCompanionOptions["createTurns"];
  readonly openPanel: WorkspaceCompanionOptions["openPanel"];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a window is to the backend: its place, for as long as its connection lives. */
interface Place {
  readonly window: AttachedWindow;
  readonly key: string | undefined;
}

/** What a companion is made from: facts of a window, or what an earlier backend left. */
interface AboutWorkspace {
  readonly roots: readonly string[];
  readonly application: string;
  readonly storageKey?: string;
}

/** Leads every window to the companion of its workspace: the set of its roots. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #companions: Map<string, LoadOnce<WorkspaceCompanion>> = new Map();
  readonly #running: Set<WorkspaceCompanion> = new Set();
  readonly #places: Map<PatchbayWindow, Place> = new Map();
  #stopped = false;
  /** One window after the other, so that two of one workspace never start two companions for it. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
  }

  /** The companion a window is attached to now. */
  async companionOf(client: PatchbayWindow): Promise<WorkspaceCompanion | undefined> {
    const key = this.#places.get(client)?.key;
    return key === undefined ? undefined : await this.#companions.get(key)?.settled();
  }

  windowOf(client: PatchbayWindow): AttachedWindow | undefined {
    return this.#places.get(client)?.window;
  }

  attach(client: PatchbayWindow, facts: WindowFacts): Promise<Attachment> {
    return this.#enqueue(() => this.#attach(client, facts));
  }

  /** The connection of a window has ended. */
  detach(client: PatchbayWindow): Promise<void> {
    this.#places.get(client)?.window.leave();
    return this.#enqueue(async () => {
      const place = this.#places.get(client);
      this.#places.delete(client);
      if (place !== undefined) await this.#leave(place);
    });
  }

  /** Goes on with what agents waited for when the backend before this one ended: they need no window to be held. */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      for (const left of await this.#options.handover.take()) {
        const key = keyOf(left.roots);
        if (key === undefined || this.#stopped) continue;
        const companion = await this.#companionFor(key, left);
        companion.host.setTrust(left.trusted);
        await companion.resume();
      }
    });
  }

  /** For the end of the backend, which decides nothing: agents that can wait are held until the next one has started. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const running = Array.from(this.#running);
    const left = running.flatMap((one) => (one.isInUse ? [one.left()] : []));
    const ends = running.map((one) => one.stop({ reload: true, comeBackMs }));
    await Promise.allSettled([this.#options.handover.leave(left), ...ends]);
    this.#running.clear();
    this.#companions.clear();
  }

  removeRecordsSync(): void {
    for (const one of this.#running) one.endSync();
  }

  #enqueue<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(action);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #attach(client: PatchbayWindow, facts: WindowFacts): Promise<Attachment> {
    const known = this.#places.get(client);
    const window = known?.window ?? new AttachedWindow(client, facts);
    await this.#replaceReloaded(window, facts);
    const key = keyOf(facts.roots);
    if (known !== undefined && known.key !== key) await this.#move(known, key, facts);
    this.#places.set(client, { window, key });
    if (key === undefined || this.#stopped) {
      window.facts = facts;
      const state = { kind: key === undefined ? "no-folder" : "stopped" } as const;
      // A backend that is ending leaves the window what it shows: the next one has it.
      const proposals = facts.shown.map(({ id }) => id);
      return {
        status: {
          state,
          environment: {},
          sessions: [],
          proposals: [],
          keptTexts: [],
          activities: [],
          commands: { all: [] },
        },
        proposals: this.#stopped ? proposals : [],
      };
    }
    const companion = await this.#companionFor(key, facts);
    companion.host.setFolders(facts.roots);
    return await companion.attach(window, facts);
  }

  /** The page of a window was loaded anew while its old connection still counts as alive: the new one takes its place. */
  async #replaceReloaded(window: AttachedWindow, facts: WindowFacts): Promise<void> {
    for (const [client, place] of Array.from(this.#places)) {
      if (place.window === window || place.window.facts.windowId !== facts.windowId) continue;
      place.window.leave();
      this.#places.delete(client);
      if (place.key === keyOf(facts.roots)) window.context = place.window.context;
      await this.#leave(place);
    }
  }

  /** The folders of a window changed: its companion goes with it unless other windows stay behind. */
  async #move(place: Place, key: string | undefined, facts: WindowFacts): Promise<void> {
    const from = place.key === undefined ? undefined : await this.#companions.get(place.key)?.settled();
    if (from === undefined || place.key === undefined) return;
    const others = from.host.windows.byUse().filter((other) => other !== place.window);
    const allFollow = others.every((other) => other.facts.workspace === facts.workspace);
    if (key !== undefined && allFollow && !this.#companions.has(key)) {
      const companion = this.#companions.get(place.key);
      this.#companions.delete(place.key);
      if (companion !== undefined) this.#companions.set(key, companion);
      for (const [client, other] of Array.from(this.#places)) {
        if (other.key === place.key) this.#places.set(client, { window: other.window, key });
      }
      return;
    }
    from.detach(place.window);
  }

  async #leave(place: Place): Promise<void> {
    const companion = place.key === undefined ? undefined : await this.#companions.get(place.key)?.settled();
    companion?.detach(place.window);
  }

  async #companionFor(key: string, about: AboutWorkspace): Promise<WorkspaceCompanion> {
    const companion = this.#companions.get(key) ?? new LoadOnce(() => this.#create(key, about));
    this.#companions.set(key, companion);
    return await companion.get();
  }

  async #create(key: string, about: AboutWorkspace): Promise<WorkspaceCompanion> {
    const { clock, logger, createCompanion, createTurns, encodings, openPanel } = this.#options;
    const { roots: folders, storageKey = key } = about;
    const storageDirectory = await this.#storageFor(storageKey);
    // Agents name the application to their user, so it goes by the name that the user knows.
    const identity = { ...this.#options.identity, displayName: visibleText(about.application) || "Theia" };
    const host = new WorkspaceHost({ identity, folders, storageDirectory, encodings, clock, logger });
    const companion: WorkspaceCompanion = new WorkspaceCompanion({
      host,
      storageKey,
      createCompanion,
      createTurns,
      clock,
      logger,
      openPanel,
      onIdle: () => {
        void this.#enqueue(() => this.#retire(companion));
      },
    });
    this.#running.add(companion);
    return companion;
  }

  /** A workspace whose storage cannot be used is served all the same; it only keeps nothing. */
  async #storageFor(key: string): Promise<string | undefined> {
    try {
      return await this.#options.storageFor(key);
    } catch (error) {
      this.#options.logger.warn("Nothing can be kept for the next start", { reason: messageOf(error) });
      return undefined;
    }
  }

  async #retire(companion: WorkspaceCompanion): Promise<void> {
    if (companion.host.windows.size > 0) return;
    for (const [key, candidate] of Array.from(this.#companions)) {
      if (candidate.loaded === companion) this.#companions.delete(key);
    }
    this.#running.delete(companion);
    await companion.stop();
  }
}

function keyOf(roots: readonly string[]): string | undefined {
  return roots.length === 0 ? undefined : Array.from(new Set(roots)).sort().join("\n");
}
