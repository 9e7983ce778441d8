import { type AwaitedWrite, type AwaitedWritesOptions, PendingWrite } from "./pending-write.ts";
import type { Disposable } from "../support/disposable.ts";
import type { FilePlace, FileText } from "./reviewed-files.ts";
import { sameLines, splitByteOrderMark } from "./text-fidelity.ts";

/** So long another accept for the file waits for one that is still to be written, ms. */
const patienceMs = 3_000;

/** So many accepted texts of one agent are watched for at most. */
const mostAwaited = 32;

/** What is awaited takes this much memory at most, UTF-16 units: 32 MB. The oldest beyond that is told of at once, and rests on disk. */
const mostAwaitedUnits = 16 * 1024 * 1024;

/** Who asks what is still to be written. */
export interface AskingProposal {
  readonly id: string;
  readonly sessionId: string;
  /** What its own session is told to write does not come before this one is decided. */
  readonly asksAhead: boolean;
  /** It is accepted together with others. */
  readonly isOneOfAll: boolean;
}

/** What was accepted for a file and is not on disk. */
export interface UnwrittenText {
  readonly text: string;
  /** Its agent may still write it. */
  readonly mayComeLater: boolean;
}

/** Accepted texts on their way to the disk: what comes after them must not take them back, and one that never arrives is told. */
export class AwaitedWrites {
  readonly #options: AwaitedWritesOptions;
  readonly #writes: Map<string, Set<PendingWrite>> = new Map();
  /** Sessions that were seen to write what was accepted. */
  readonly #writers: Set<string> = new Set();
  /** Sessions that were waited for in vain: some write where this machine does not see it, and are not waited for again. */
  readonly #overdue: Set<string> = new Set();
  #ended = false;

  constructor(options: AwaitedWritesOptions) {
    this.#options = options;
  }

  /** Whether an accepted text for the file is still on its way to the disk. */
  isBeingWritten({ real }: FilePlace): boolean {
    return this.#awaitedFor(real).length > 0;
  }

  /**
   * The file as a session that asks ahead makes its next change of it: with what it was told to write before and has not written yet, as
   * long as nothing else has changed. `now`: what the file holds.
   */
  ahead(sessionId: string, { real }: FilePlace, now: FileText): FileText {
    const text = this.aheadText(sessionId, real, now);
    return text === undefined ? now : { text: splitByteOrderMark(text).body, unsaved: now.unsaved, readable: true };
  }

  /** The same as the agent is going to write it; undefined: the file is as it is. */
  aheadText(sessionId: string, real: string, now: FileText): string | undefined {
    const last = this.#awaitedFor(real)
      .filter((write) => write.sessionId === sessionId && write.isAhead)
      .at(-1);
    return last?.isBefore(now) === true ? last.wholeText : undefined;
  }

  /** Whether this text was accepted for the file and is still on its way. */
  isAwaited(real: string, text: string): boolean {
    return this.#awaitedFor(real).some((write) => isSameText(write.text, text));
  }

  /**
   * Whether this text was accepted for the file when the agent's hook asked: the agent asks for the same change a second time, by its
   * own protocol. From now on it is that one which is waited for.
   */
  takeFromHook(real: string, text: string, agent: string): boolean {
    const asked = this.#awaitedFor(real).find((write) => write.byHookOf === agent && isSameText(write.text, text));
    asked?.proposedAnew(text);
    return asked !== undefined;
  }

  /**
   * What was accepted last for the file and is not on disk yet, as far as a proposal must not take it back: of agents that write
   * here, and where the user accepts all at once, of any agent whose proposal was one of them.
   */
  unwritten({ real }: FilePlace, asking: AskingProposal): UnwrittenText | undefined {
    const last = this.#awaitedFor(real)
      .filter((write) => this.#writers.has(write.sessionId) || (asking.isOneOfAll && isBeside(write, asking)))
      .filter((write) => !isWaitingFor(write, asking))
      .at(-1);
    if (last === undefined) return undefined;
    // An agent asks for one thing after the other: what it still asks for does not wait for what it was told before.
    return { text: last.text, mayComeLater: last.sessionId !== asking.sessionId && this.#mayComeLater(last) };
  }

  /** Only of an agent that was seen to write is it known that it writes here at all. */
  #mayComeLater({ sessionId, mayComeLater }: PendingWrite): boolean {
    return mayComeLater && this.#writers.has(sessionId);
  }

  /** Waits a few seconds for what was accepted for the file before. */
  async whenWritten(place: FilePlace, asking: AskingProposal): Promise<void> {
    const all = Array.from(this.#writes.get(place.real) ?? []);
    await Promise.all(all.map((write) => write.look()));
    const writes = this.#awaitedFor(place.real).filter(
      (write) => !isWaitingFor(write, asking) && (this.#mayComeLater(write) || !this.#overdue.has(write.sessionId)),
    );
    if (writes.length === 0) return;
    let timer: Disposable | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = this.#options.clock.setTimeout(resolve, patienceMs);
    });
    await Promise.race([Promise.all(writes.map((write) => write.landed)), patience]);
    timer?.dispose();
    for (const { sessionId, hasEnded } of writes) if (!hasEnded) this.#overdue.add(sessionId);
  }

  #awaitedFor(real: string): readonly PendingWrite[] {
    return Array.from(this.#writes.get(real) ?? []).filter(({ isProposedAnew }) => !isProposedAnew);
  }

  get #all(): readonly PendingWrite[] {
    return Array.from(this.#writes.values()).flatMap((writes) => [...writes]);
  }

  /** An agent has exited and writes nothing more. What the user accepted is not lost with it. */
  agentExited(sessionId: string): void {
    this.#writers.delete(sessionId);
    this.#overdue.delete(sessionId);
    for (const write of this.#of(sessionId)) write.agentExited();
  }

  /** A tool of an agent has ended, for the file alone where one is given; or else its whole turn. */
  toolEnded(sessionId: string, real?: string): void {
    for (const write of this.#of(sessionId)) {
      if (real === undefined || write.real === real) write.toolEnded(real === undefined);
    }
  }

  /** The agent's model was told to write what the user accepted, in a call of its own. */
  toldAnew(sessionId: string, real: string): void {
    for (const write of this.#of(sessionId)) if (write.real === real) write.toldAnew();
  }

  #of(sessionId: string): readonly PendingWrite[] {
    return this.#all.filter((write) => write.sessionId === sessionId);
  }

  /**
   * An agent proposes a change of a file anew: it was refused what it was told before, or makes several changes in one answer. What
   * it was told is not waited for any more, and told of only where the user typed something that is not in `text`.
   */
  proposedAnew(sessionId: string, path: string, text: string): void {
    for (const write of this.#of(sessionId)) if (write.path === path && !write.isAhead) write.proposedAnew(text);
  }

  /** The user has accepted a text; its agent is about to write it. */
  awaitWrite(awaited: AwaitedWrite): void {
    if (this.#ended || sameLines(splitByteOrderMark(awaited.text).body, awaited.before.text)) return;
    const { real } = awaited.place;
    const { sessionId } = awaited;
    const own = this.#of(sessionId);
    for (const write of own) if (write.isAhead && write.real === real) write.builtUpon();
    if (own.length >= mostAwaited) own[0]?.giveUp();
    const writes = this.#writes.get(real) ?? new Set();
    this.#writes.set(real, writes);
    const write = new PendingWrite(this.#options, writes, awaited);
    writes.add(write);
    write.onDidEnd = (isWritten) => {
      if (isWritten) {
        awaited.onSettled(true);
        this.#writers.add(sessionId);
        this.#overdue.delete(sessionId);
      }
      writes.delete(write);
      if (writes.size === 0 && this.#writes.get(real) === writes) this.#writes.delete(real);
    };
    write.begin();
    this.#makeRoom(write);
  }

  /** Of the oldest first, file by file. */
  #makeRoom(last: PendingWrite): void {
    let units = 0;
    for (const write of this.#all.toReversed()) {
      units += write.textUnits;
      if (units > mostAwaitedUnits && write !== last) write.giveUp();
    }
  }

  /** Nothing is waited for any more: what has not arrived is left to the next run. */
  end(): void {
    this.#ended = true;
    for (const write of this.#all) write.leave();
  }
}

/** Line ends and marks are the agents' own affair. */
function isSameText(one: string, other: string): boolean {
  return sameLines(splitByteOrderMark(one).body, splitByteOrderMark(other).body);
}

/** Its agent writes it when the proposal is decided, too. */
function isWaitingFor(write: PendingWrite, { sessionId, asksAhead }: AskingProposal): boolean {
  return asksAhead && write.sessionId === sessionId && write.isAhead;
}

function isBeside(write: PendingWrite, { id, sessionId }: AskingProposal): boolean {
  return write.sessionId !== sessionId && write.beside.has(id);
}
