import {
  createMemoryEditor,
  createMemoryPlatform,
  type FakeClock,
  type MemoryEditor,
  type MemoryFiles,
} from "@patchbay/testkit";
import { DiffRegistry, type OpenedDiff } from "../../src/diff/diff-registry.ts";
import type { DiffOutcome, OpenReviews, CarriedOutcome, CarriedTo, OutcomeCarrier } from "../../src/diff/model.ts";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import type { ProposalStore, StoredProposal } from "../../src/diff/stored-proposals.ts";
import { nullLogger } from "../../src/support/logger.ts";

/** A session of Gemini CLI, unless `changes` say otherwise. */
export function ownerOf(sessionId: string, changes: Partial<ProposalOwner> = {}): ProposalOwner {
  return {
    sessionId,
    dialect: "gemini",
    agentName: "Gemini CLI",
    byteOrderMark: "as-proposed",
    emptiedText: "\n",
    writes: "text",
    outlivesConnection: true,
    ...changes,
  };
}

/** Everything a session was told, and whether it can be told now. */
class TestCarrier implements OutcomeCarrier {
  readonly carried: { readonly sessionId: string; readonly path: string; readonly outcome: DiffOutcome }[] = [];
  readonly reachable: Set<string> = new Set(["one", "two"]);
  /** Whether the sessions that are here have a stream. */
  isStreaming = true;
  /** Whether agents show at once that they have what they were sent. */
  confirms = true;
  /** Whether agents read at once what they are sent. */
  areTaken = true;
  /** Event ids under which something that was sent before came again. */
  readonly resentAs: number[] = [];
  /** 0: nothing leaves by itself. */
  nextEventId = 101;
  /** What was handed over, for tests that send or confirm it later. */
  readonly handles: { send(eventId: number): void; deliver(): void }[] = [];
  readonly #lost: Map<string, number> = new Map();

  isReachable(sessionId: string): boolean {
    return this.isStreaming && this.reachable.has(sessionId);
  }

  awaySince(sessionId: string): number | undefined {
    return this.#lost.get(sessionId);
  }

  /** The session's stream ends at a moment of the monotonic clock; the session stays. */
  lose(sessionId: string, monotonicMs: number): void {
    this.reachable.delete(sessionId);
    this.#lost.set(sessionId, monotonicMs);
  }

  carry(
    { sessionId, path, sentAs }: CarriedTo,
    outcome: DiffOutcome,
    onDelivered: () => void,
  ): CarriedOutcome | undefined {
    if (!this.reachable.has(sessionId)) return undefined;
    this.carried.push({ sessionId, path, outcome });
    if (sentAs !== 0) this.resentAs.push(sentAs);
    if (this.confirms) onDelivered();
    const handle = {
      eventId: sentAs === 0 ? this.nextEventId : sentAs,
      isTaken: this.areTaken,
      send: (eventId: number): void => void (handle.eventId = eventId),
      deliver: onDelivered,
      dispose: () => {},
    };
    if (this.nextEventId !== 0) this.nextEventId += 1;
    this.handles.push(handle);
    return handle;
  }
}

/** What is on disk; a test may put its own functions in. */
export class TestStore implements ProposalStore {
  readonly kept: Map<string, StoredProposal> = new Map();
  removed = 0;
  save = async (record: StoredProposal): Promise<void> => void this.kept.set(record.facts.id, record);
  remove = async (id: string): Promise<void> => {
    if (this.kept.delete(id)) this.removed += 1;
  };
  load = async (): Promise<readonly StoredProposal[]> => [...this.kept.values()];
}

export interface RegistryUnderTest {
  readonly clock: FakeClock;
  readonly files: MemoryFiles;
  readonly editor: MemoryEditor;
  readonly carrier: TestCarrier;
  readonly store: TestStore;
  readonly registry: DiffRegistry;
  /** A session proposes a change inside the workspace. */
  open(sessionId: string, text?: string, path?: string, changes?: Partial<ProposalOwner>): OpenedDiff;
}

/** A registry on a fake clock with an editor in memory; on the store of an earlier one it is the run after that. */
export function startRegistry(
  options: { readonly store?: TestStore; readonly openReviews?: () => OpenReviews } = {},
): RegistryUnderTest {
  const { clock, files, random } = createMemoryPlatform();
  // Ids of the run before come no more.
  if (options.store !== undefined) for (const _ of options.store.kept) random.token(12);
  const editor = createMemoryEditor({ folders: ["/ws"] });
  const carrier = new TestCarrier();
  const store = options.store ?? new TestStore();
  const openReviews = options.openReviews ?? (() => "always");
  const common = { host: editor, clock, random, files, logger: nullLogger, store, carrier };
  const registry = new DiffRegistry({ ...common, openReviews });
  const open: RegistryUnderTest["open"] = (sessionId, text = "new\n", path = "/ws/a.ts", changes = {}) =>
    registry.open(ownerOf(sessionId, changes), { path, text, handle: path }, { inside: true, kind: "change" });
  return { clock, editor, carrier, store, files, registry, open };
}
