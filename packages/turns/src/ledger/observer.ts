import type { Disposable, TurnSource } from "@patchbay/core";
import type { Eyes, SeenChange } from "../look/eyes.ts";
import type { Contents } from "./contents.ts";
import type { Content, TurnRecord } from "./records.ts";
import { firstLine, type TurnBook } from "./turn-book.ts";
import { nameBeside, sourceOf, type Worker, Workers, type WorkersOptions } from "./workers.ts";

export interface ObserverOptions extends Omit<WorkersOptions, "book" | "onSilence"> {
  readonly book: TurnBook;
  readonly contents: Contents;
  readonly eyes: Eyes;
  /** Somebody who only reads and decides: what others left open is theirs to end. */
  readonly isVisitor: boolean;
  /** `isHere`: what waits for it is carried out in this window. */
  readonly onDidEnd: (turn: TurnRecord, isHere: boolean) => void;
}

/** One that undoes writes about it all the time; after so long its process was killed, ms. */
const undoingMs = 10_000;

/** Looks between two tools take this share of the time, */
const lookShare = 0.1;

/** and no command waits longer for one that begins after its end, ms. */
const longestWaitMs = 2_000;

/** A file that an agent is about to write, as it was when the agent said so. */
export interface Announced {
  /** Links resolved. */
  readonly path: string;
  readonly before: Content;
}

/** Follows the sessions of agents from turn to turn, and finds out whose a change is. */
export class Observer implements Disposable {
  readonly #options: ObserverOptions;
  readonly #workers: Workers;
  /** What files hold by what has been entered since the last look. */
  readonly #latest: Map<string, Content> = new Map();
  /** What is, or was, in a turn that is open. */
  readonly #entered: Set<string> = new Set();
  /** Where the user typed while an agent worked. */
  readonly #touched: Set<string> = new Set();
  /** Those of them that nobody has seen change since they typed: what they save is theirs, whenever they do. */
  readonly #typed: Set<string> = new Set();
  /** Those of them in which they typed after the agent had told that it would write. */
  readonly #touchedSince: Set<string> = new Set();
  /** What the user has accepted and nobody has written yet, by the file. */
  readonly #accepted: Map<string, string> = new Map();
  /** What announced files held, in order, as long as what was told before is still being worked in: a look may take seconds. */
  readonly #ahead: Map<string, Content[]> = new Map();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** A look that is to come, as the last one was a moment ago. */
  #soon: Disposable | undefined;
  #ending: Disposable | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#workers = new Workers({ ...options, onSilence: (worker) => this.#end(worker) });
  }

  get isWorking(): boolean {
    return !this.#workers.isEmpty;
  }

  /** The turns that are open in this window. */
  get open(): readonly TurnRecord[] {
    return this.#workers.all.map(({ turn }) => turn);
  }

  touched(path: string): void {
    if (!this.isWorking) return;
    this.#touched.add(path);
    this.#typed.add(path);
    this.#touchedSince.add(path);
  }

  /** Goes on with turns of an earlier run, whose agents may work still. */
  async resume(): Promise<void> {
    const { book } = this.#options;
    const left = book.all.filter(({ ended, undoes }) => ended === undefined && undoes === undefined);
    await this.#endUndos();
    for (const turn of left) await this.#workers.adopt(turn);
    if (left[0] !== undefined) await this.#look(left[0].session);
  }

  /** An undo whose process was killed, unless another window is just at it. What it wrote without saying so is noted for it. */
  async #endUndo(turn: TurnRecord): Promise<void> {
    const { book, clock, contents, later, isVisitor } = this.#options;
    if (isVisitor) return;
    const written = (await book.lastWritten(turn)) ?? 0;
    const wait = undoingMs - Math.abs(clock.now() - written);
    if (wait > 0) {
      this.#ending?.dispose();
      this.#ending = clock.setTimeout(() => later(async () => await this.#endUndos()), wait);
      return;
    }
    for (const [path, before] of Array.from(turn.pending)) {
      const after = await contents.ofFile(path, turn.session);
      if (!(await contents.isSame(before, after)))
        await book.enter(turn, { path, before, after, mode: undefined, attribution: "exact" });
    }
    await book.end(turn);
  }

  /** What other windows have written by now. */
  async #hearOthers(): Promise<void> {
    await this.#options.book.refresh((id) => this.isHeard(id));
    await this.followOthers();
  }

  async #endUndos(): Promise<void> {
    const { book } = this.#options;
    await book.refresh((id) => this.isHeard(id));
    for (const turn of book.all) if (turn.ended === undefined && turn.undoes !== undefined) await this.#endUndo(turn);
  }

  async began(source: TurnSource, prompt: string): Promise<void> {
    // A conversation of another window may just have told of it.
    if (source.conversation === undefined) await this.#hearOthers();
    const conversation = this.#workers.conversationOf(source, firstLine(prompt));
    if (conversation !== undefined) return await this.#name(conversation, source.session);
    const known = this.#workers.get(source);
    // Some say so before each request to the model.
    if (known !== undefined && known.turn.border === "exact" && prompt.trim() === "") return;
    if (known !== undefined) await this.#end(known);
    await this.#open(source, "exact", prompt);
  }

  async ended(source: TurnSource): Promise<void> {
    if (this.#workers.conversationOf(source) !== undefined) return;
    const worker = this.#workers.get(source);
    if (worker !== undefined) await this.#end(worker);
  }

  /** Whether the session of a turn is heard of in this window. */
  isHeard(id: string): boolean {
    return this.#workers.own.some(({ turn }) => turn.id === id);
  }

  /** What another window has written of the turns that it works in: begins and ends are told there. */
  async followOthers(): Promise<void> {
    const { book, onDidEnd } = this.#options;
    for (const worker of this.#workers.all) {
      if (!worker.isAdopted) continue;
      const turn = book.get(worker.turn.id);
      worker.turn = turn ?? worker.turn;
      // The agent of a conversation may have a name for its session by now.
      worker.source = sourceOf(worker.turn);
      if (turn !== undefined && turn.ended === undefined) continue;
      this.#workers.rest(worker);
      this.#workers.remove(worker);
      if (!this.isWorking) this.#forget();
      onDidEnd(worker.turn, false);
    }
    for (const turn of book.all) {
      if (turn.ended !== undefined || turn.undoes !== undefined || this.#workers.get(turn) !== undefined) continue;
      // It is just being opened: an undo asks for this between two steps of what is told here.
      if (book.isBegunHere(turn.id)) continue;
      await this.#workers.adopt(turn);
    }
  }

  /** Says at once what `aboutToWrite` will say in its turn: by then the agent has written. */
  announce(files: readonly Announced[]): void {
    for (const { path, before } of files) this.#ahead.set(path, [...(this.#ahead.get(path) ?? []), before]);
  }

  async aboutToWrite(source: TurnSource, files: readonly Announced[]): Promise<void> {
    const { book } = this.#options;
    const turn = await this.#announcedIn(source, files);
    if (turn === undefined) return;
    for (const { path, before } of files) {
      if (turn.pending.has(path)) continue;
      turn.pending.set(path, before);
      this.#touchedSince.delete(path);
      await book.write(turn, { type: "pending", path, before });
    }
  }

  async aboutToRun(source: TurnSource, id?: string): Promise<void> {
    if (this.#isToldElsewhere(source)) return;
    const worker = await this.#workerOf(source);
    worker.hasRun = true;
    worker.isGuessed = false;
    worker.commands += 1;
    if (id !== undefined) worker.named.set(id, false);
  }

  async wrote(source: TurnSource, id?: string): Promise<void> {
    if (this.#isToldElsewhere(source)) return;
    // Its turn has ended, with a look: a new one would only take for the agent's what others do next.
    if (this.#workers.find(source) === undefined) return;
    const worker = await this.#workerOf(source);
    if (id !== undefined) worker.named.set(id, true);
    const written = await this.#workIn(worker);
    worker.hasWritten ||= written === 0 && !worker.hasRun;
    if (!worker.hasRun) return;
    // Which of its tools has ended nobody says.
    if (written === 0) worker.commands = Math.max(0, worker.commands - 1);
    await this.#lookInTime(worker.turn.session);
  }

  /** The agent is about to write what the user accepted: whether it did is seen in the file, which then is reviewed already. */
  async accepted(source: TurnSource, path: string, text: string): Promise<void> {
    if (this.#isToldElsewhere(source)) return;
    const worker = await this.#workerOf(source);
    this.#accepted.set(path, text);
    this.#workers.checkSoon(worker, async () => void (await this.#workIn(worker)));
  }

  /** What an undo wrote is no agent's. */
  async undid(path: string, before: Content, after: Content): Promise<void> {
    const { book, contents } = this.#options;
    this.#latest.set(path, after);
    for (const turn of this.open) {
      const file = turn.files.get(path);
      if (file === undefined || !(await contents.isSame(file.after, after))) continue;
      if (await contents.isSame(file.before, before)) await book.drop(turn, path);
      else {
        file.after = before;
        await book.write(turn, { type: "file", file });
      }
    }
  }

  dispose(): void {
    this.#ending?.dispose();
    this.#soon?.dispose();
    this.#workers.dispose();
  }

  async #workerOf(source: TurnSource): Promise<Worker> {
    const worker = this.#workers.find(source) ?? (await this.#open(source, "estimated", ""));
    this.#workers.heard(worker);
    const session = source.conversation?.agentSession;
    if (session !== undefined && worker.source.session === source.session) await this.#name(worker, session);
    return worker;
  }

  /** The turn in which announced files are written now; undefined where another window tells of it. */
  async #announcedIn(source: TurnSource, files: readonly Announced[]): Promise<TurnRecord | undefined> {
    try {
      return this.#isToldElsewhere(source) ? undefined : (await this.#workerOf(source)).turn;
    } finally {
      for (const { path } of files) {
        const [, ...others] = this.#ahead.get(path) ?? [];
        if (others.length === 0) this.#ahead.delete(path);
        else this.#ahead.set(path, others);
      }
    }
  }

  /** A conversation of another window tells of what its agent does: to write the same turn from here would be to write it twice. */
  #isToldElsewhere(source: TurnSource): boolean {
    return this.#workers.conversationOf(source)?.isAdopted === true;
  }

  /** The agent of a conversation has a name for its session. Kept: its hooks may be heard in another window. */
  async #name(worker: Worker, agentSession: string): Promise<void> {
    const { source, turn } = worker;
    if (source.conversation === undefined || source.conversation.agentSession === agentSession) return;
    const conversation = { ...source.conversation, agentSession };
    worker.source = { ...source, conversation };
    turn.conversation = conversation;
    await this.#options.book.write(turn, { type: "turn", turn });
  }

  async #open(source: TurnSource, border: TurnRecord["border"], prompt: string): Promise<Worker> {
    const { book } = this.#options;
    if (this.isWorking) await this.#look(source.session);
    const { agent, agentName, session, conversation, folder } = source;
    const turn = await book.open({
      agent,
      session,
      conversation,
      folder,
      border,
      undoes: undefined,
      prompt,
      agents: [agentName],
    });
    const isFirst = !this.isWorking;
    const worker = this.#workers.add(source, turn);
    if (isFirst) {
      this.#forget();
      await this.#look(session);
    }
    return worker;
  }

  async #end(worker: Worker): Promise<void> {
    const { book, onDidEnd } = this.#options;
    this.#workers.rest(worker);
    worker.isAdopted = false;
    await this.#workIn(worker, true);
    await this.#look(worker.turn.session);
    this.#workers.remove(worker);
    await book.end(worker.turn);
    if (!this.isWorking) this.#forget();
    onDidEnd(worker.turn, true);
  }

  #forget(): void {
    this.#options.eyes.forget();
    this.#latest.clear();
    this.#entered.clear();
    this.#touched.clear();
    this.#typed.clear();
    this.#touchedSince.clear();
    this.#accepted.clear();
  }

  /** Enters what has become of the files that the agent told of, and says of how many; those that it has not written yet stay. */
  async #workIn(worker: Worker, isLast = false): Promise<number> {
    const { contents, book } = this.#options;
    const { turn } = worker;
    let written = 0;
    for (const [path, before] of Array.from(turn.pending)) {
      // What stands there by now may come from the next write.
      const after = this.#ahead.get(path)?.[0] ?? (await contents.ofFile(path, turn.session));
      if (await contents.isSame(before, after)) continue;
      // It may be readable the next time.
      if (!isLast && after.kind === "named" && after.why === "unread") continue;
      turn.pending.delete(path);
      written += 1;
      this.#latest.set(path, after);
      const attribution = this.#touchedSince.has(path) ? "unknown" : "exact";
      const known = turn.files.get(path)?.review;
      this.#entered.add(path);
      await book.enter(turn, { path, before, after, mode: undefined, attribution });
      const accepted = this.#accepted.get(path);
      this.#accepted.delete(path);
      // What else the turn did to the file was not part of the review.
      if (accepted === undefined || (known !== undefined && known !== "kept" && known !== "undone")) continue;
      if (await contents.isSame(await contents.keep(path, accepted, turn.session), after))
        await book.review(turn, path, { review: "kept", undecided: undefined });
    }
    if (turn.pending.size === 0) await book.write(turn, { type: "settled" });
    return written;
  }

  /** Looks now or soon: in any case a look begins after what has just been told. */
  async #lookInTime(session: string): Promise<void> {
    const { eyes, clock, later } = this.#options;
    const pause = Math.min(eyes.lastMs / lookShare, longestWaitMs);
    const wait = this.#lookedAt + pause - clock.monotonic();
    if (wait <= 0) await this.#look(session);
    else this.#soon ??= clock.setTimeout(() => later(async () => await this.#look(session)), wait);
  }

  async #look(session: string): Promise<void> {
    const { eyes, clock, book, contents } = this.#options;
    this.#soon?.dispose();
    this.#soon = undefined;
    const { changes, headMoved, git, isPartial } = await eyes.look(session);
    await book.refresh((id) => this.isHeard(id));
    this.#lookedAt = clock.monotonic();
    await book.together(async () => {
      for (const change of changes) await this.#enter(change);
    });
    // What came and went since the last look was there at neither.
    const seen = new Set(changes.map(({ path }) => path));
    for (const [path, before] of this.#latest) {
      if (seen.has(path)) continue;
      const after = await contents.ofFile(path, session);
      if (!(await contents.isSame(before, after))) await this.#enter({ path, before, after, mode: undefined });
    }
    this.#latest.clear();
    await book.together(async () => {
      for (const { turn } of this.#workers.own) await book.pair(turn);
    });
    for (const worker of this.#workers.all) {
      const { turn } = worker;
      // What goes on may change something after this look.
      worker.hasRun &&= worker.commands > 0;
      worker.hasWritten = false;
      for (const [id, hasEnded] of worker.named) if (hasEnded) worker.named.delete(id);
      const acts = git.filter((act) => !turn.git.includes(act));
      const isKnown =
        turn.headMoved === (turn.headMoved || headMoved) && turn.isPartial === (turn.isPartial || isPartial);
      if (isKnown && acts.length === 0) continue;
      turn.headMoved ||= headMoved;
      turn.git = [...turn.git, ...acts];
      turn.isPartial ||= isPartial;
      await book.write(turn, { type: "turn", turn });
    }
  }

  /** Enters what nobody told of. */
  async #enter(change: SeenChange): Promise<void> {
    const { path, before: seen, after: found, mode, goneMode, movedFrom, isOfGit, isIgnored } = change;
    const { contents, book } = this.#options;
    // What the user put aside, or took back, is no agent's; an agent does that with what it changed itself.
    const isOfAgent = this.#entered.has(path) || this.open.some(({ files }) => files.has(path));
    if (isOfGit === true && !isOfAgent) return;
    // What an agent does of which another window hears is entered there.
    const workers = this.#workers.own;
    // Its own before-image knows better.
    if (workers.some(({ turn }) => turn.pending.has(path))) return;
    // What has become of it since the agent told of the next write is that one's.
    const next = this.#ahead.get(path)?.[0];
    const after = next ?? found;
    if (next !== undefined && (await contents.isSame(seen, next))) return;
    const latest = this.#latest.get(path);
    if (latest !== undefined && mode === undefined && (await contents.isSame(latest, after))) return;
    const ran = workers.filter(({ hasRun }) => hasRun);
    const suspects = ran.length > 0 ? ran : workers;
    const [main] = suspects.toSorted((one, other) => other.heard - one.heard);
    if (main === undefined) return;
    const { turn } = main;
    // Agents that tell of each write and of each command have done nothing since the user typed here: an undo is not to take it away.
    const hasTyped = this.#typed.delete(path);
    if (hasTyped && ran.every(({ isGuessed }) => isGuessed) && suspects.every((one) => one.turn.border === "exact"))
      return;
    if (await book.isOfOthers(path, after, turn.began)) return;
    const names = suspects
      .map((one) => (one === main ? one.source.agentName : nameBeside(main, one)))
      .filter((name) => !turn.agents.includes(name));
    if (names.length > 0) {
      turn.agents = [...turn.agents, ...new Set(names)];
      await book.write(turn, { type: "turn", turn });
    }
    // Those who tell of each command and write have told of none: it may as well have been the user, in another program.
    const isGuess = ran.length === 0 && suspects.every((one) => one.turn.border === "exact" && !one.hasWritten);
    // Servers and tools that run all the time write what git ignores. What was entered already is more than that.
    const isDoubtful = isIgnored === true && !this.#entered.has(path);
    const attribution = isGuess || isDoubtful || this.#touched.has(path) ? "unknown" : "likely";
    // Of several that ran since the last look nobody knows which one it was.
    const isKnown = suspects.length === 1 && main.named.size === 1 && attribution === "likely";
    const [command] = isKnown ? main.named.keys() : [];
    this.#entered.add(path);
    await book.enter(turn, {
      path,
      before: latest ?? seen,
      after,
      mode,
      goneMode,
      movedFrom,
      attribution,
      command,
    });
  }
}
