import {
  type FilePlace,
  type FileText,
  isSameFile,
  type ReviewedFiles,
  type ReviewedFilesOptions,
} from "./reviewed-files.ts";
import type { Disposable } from "../support/disposable.ts";
import { mergeTexts } from "./merge-texts.ts";
import { sameLines, splitByteOrderMark } from "./text-fidelity.ts";
import { messageOf } from "../support/errors.ts";
import type { Clock } from "../support/time.ts";

/**
 * So long after an accept a file that is as it was before is worth a word to the user, ms. All three agents write within a second of
 * the last answer that they wait for; but another call of the same answer, such as a command, may wait in their terminal.
 */
const unwrittenMs = 30_000;

/** The same where the agent may well have refused: it does so at once, and its model often proposes anew. */
const refusedMs = 5_000;

/** What an agent has written by the time its tool, its turn or its session ended is on disk within this, ms. */
const endedMs = 2_000;

/** The same where the model was told to write another text than its own: it says the whole of it anew, unless its turn ends, ms. */
const toldAnewMs = 10 * 60_000;

/** Most texts are written before this; what is not is to stand on disk, in case the editor ends, ms. */
const keepMs = 500;

/** How an accepted text reaches its file. */
export interface AwaitedWrite {
  readonly place: FilePlace;
  /** What the file held when the user accepted. */
  readonly before: FileText;
  /** What the text was made from: the file with what was accepted for it before. */
  readonly onto: string;
  /** What the agent is to write. */
  readonly text: string;
  /** It holds what the user has typed. */
  readonly isEdited: boolean;
  readonly sessionId: string;
  /** The agent whose hook asked; undefined: nobody's. */
  readonly byHookOf?: string | undefined;
  /** Ids of the other proposals for the file that were open when this one was accepted. */
  readonly beside: ReadonlySet<string>;
  /** Its agent runs its tools when all of an answer are decided, and says when each has ended: until then it may come. */
  readonly isAhead: boolean;
  /** The file has changed since the agent read it: some agents then refuse to write (docs/protocols/qwen.md). */
  readonly mayBeRefused: boolean;
  /** Whether the agent may well write later: agents write the files of one answer when all of them are decided. */
  readonly mayComeLater: () => boolean;
  /** Called once where it is not written at once. */
  readonly onDelayed: () => void;
  /** Called once where the file is as it was long after the accept, or after the agent has exited. */
  readonly onUnwritten: (because: "not-written" | "agent-exited") => void;
  /**
   * Called once where nothing is left to be told. `isWritten`: the file was seen with the text, or with what the agent made of it;
   * else the change came with another text.
   */
  readonly onSettled: (isWritten: boolean) => void;
}

export interface AwaitedWritesOptions extends Omit<ReviewedFilesOptions, "files"> {
  readonly files: Pick<ReviewedFiles, "readDisk" | "watch">;
}

/** One accepted text on its way to the disk. */
export class PendingWrite {
  /** Resolves when the file has changed, or is not waited for any more. Never rejects. */
  readonly landed: Promise<void>;
  onDidEnd: (isWritten: boolean) => void = () => {};
  /** Its agent has proposed another change of the file since: nobody waits for this one any more. */
  isProposedAnew = false;
  /** That other change has what the user typed into this one, or they typed nothing. */
  #isReplaced = false;
  readonly #options: AwaitedWritesOptions;
  /** All that are on their way to the same file. */
  readonly #siblings: ReadonlySet<PendingWrite>;
  readonly #awaited: AwaitedWrite;
  /** What the file is known to hold without this one. */
  #before: FileText;
  #watching: Disposable | undefined;
  #timer: Disposable | undefined;
  #delay: Disposable | undefined;
  /** The model was told to write the text itself. */
  #isToldAnew = false;
  /** Its tool has ended, or the whole turn. */
  hasToolEnded = false;
  #land: () => void = () => {};
  #hasEnded = false;
  #hasAgentExited = false;

  constructor(options: AwaitedWritesOptions, siblings: ReadonlySet<PendingWrite>, awaited: AwaitedWrite) {
    this.#options = options;
    this.#siblings = siblings;
    this.#awaited = awaited;
    this.#before = awaited.before;
    this.landed = new Promise((resolve) => {
      this.#land = resolve;
    });
  }

  get sessionId(): string {
    return this.#awaited.sessionId;
  }

  get byHookOf(): string | undefined {
    return this.#awaited.byHookOf;
  }

  /** As the agent named it. */
  get path(): string {
    return this.#awaited.place.path;
  }

  get text(): string {
    return splitByteOrderMark(this.#awaited.text).body;
  }

  /** With its byte order mark. */
  get wholeText(): string {
    return this.#awaited.text;
  }

  get real(): string {
    return this.#awaited.place.real;
  }

  /** What it holds in memory, UTF-16 units. */
  get textUnits(): number {
    return this.#awaited.text.length + this.#before.text.length;
  }

  get beside(): ReadonlySet<string> {
    return this.#awaited.beside;
  }

  get isEdited(): boolean {
    return this.#awaited.isEdited;
  }

  get mayComeLater(): boolean {
    return !this.#hasAgentExited && (this.isAhead || this.#awaited.mayComeLater());
  }

  /** It is written before anything that its agent has asked about since. */
  get isAhead(): boolean {
    return this.#awaited.isAhead && !this.hasToolEnded;
  }

  /** Whether the file still holds what this one takes the place of. */
  isBefore(file: FileText): boolean {
    return isSameFile(this.#awaited.before, file);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(): void {
    this.#watching = this.#options.files.watch(this.#awaited.place, () => void this.look());
    this.#giveTime(this.#awaited.mayBeRefused ? refusedMs : unwrittenMs);
    const delayMs = this.#awaited.isEdited ? 0 : keepMs;
    this.#delay = this.#options.clock.setTimeout(() => this.#awaited.onDelayed(), delayMs);
    // It may have been written while the accept was on its way here.
    void this.look();
  }

  /** It comes in a moment, or not at all. */
  agentExited(): void {
    this.#hasAgentExited = true;
    this.#giveTime(endedMs);
  }

  /** The same of a tool that has ended; of a whole turn, in which the model could have written the text itself. */
  toolEnded(isTurn: boolean): void {
    this.hasToolEnded = true;
    if (this.#isToldAnew && !isTurn) return;
    this.#isToldAnew = false;
    this.#giveTime(endedMs);
  }

  /** The agent's tool could not be given the text: its model was told to write it. */
  toldAnew(): void {
    this.hasToolEnded = true;
    this.#isToldAnew = true;
    this.#giveTime(toldAnewMs);
  }

  /** `text`: what its agent has proposed since, with its own answer to come. */
  proposedAnew(text: string): void {
    this.isProposedAnew = true;
    this.#isToldAnew = false;
    const typed = { ...this.#awaited, isEdited: true };
    if (!this.isEdited || holdsChange([this.#awaited.onto], typed, splitByteOrderMark(text).body))
      this.#isReplaced = true;
    // Before it asked again it may have written, and what it asks for now may be on disk before anybody has looked.
    void this.look();
  }

  /** The user has accepted another text that was made from this one: whatever is written is what they saw last. */
  builtUpon(): void {
    this.#isReplaced = true;
  }

  /** The run ends while it is on its way: the next one looks whether it has arrived. */
  leave(): void {
    if (!this.#hasEnded && !this.#isReplaced) this.#awaited.onDelayed();
    this.dispose();
  }

  dispose(): void {
    this.#end(false);
  }

  #end(isWritten: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watching?.dispose();
    this.#timer?.dispose();
    this.#delay?.dispose();
    this.onDidEnd(isWritten);
    this.#land();
  }

  #giveTime(ms: number): void {
    if (this.#hasEnded) return;
    this.#timer?.dispose();
    const delayMs = this.#hasAgentExited ? endedMs : this.#isToldAnew ? toldAnewMs : ms;
    this.#timer = this.#options.clock.setTimeout(() => void this.#timeIsUp(ms), delayMs);
  }

  async #timeIsUp(ms: number): Promise<void> {
    await this.look();
    if (this.#hasEnded) return;
    if (this.mayComeLater && !this.isProposedAnew) {
      this.#giveTime(ms);
      return;
    }
    // Another agent's text may have brought it along.
    if (await this.#isInFile()) this.#settle();
    else this.giveUp();
  }

  /** It is waited for no longer: its time is over, or there is no room. */
  giveUp(): void {
    if (this.#hasEnded) return;
    if (this.#isReplaced) {
      this.#settle();
      return;
    }
    this.dispose();
    this.#awaited.onUnwritten(this.#hasAgentExited ? "agent-exited" : "not-written");
  }

  #settle(): void {
    if (this.#hasEnded) return;
    this.dispose();
    this.#awaited.onSettled(false);
  }

  async #isInFile(): Promise<boolean> {
    const { place, onto } = this.#awaited;
    const now = await this.#options.files.readDisk(place);
    return now.readable && (await holdsAll(onto, this.text, now.text, this.#options.clock));
  }

  /** Whether it is there by now. */
  async look(): Promise<void> {
    if (this.#hasEnded) return;
    const { place, before } = this.#awaited;
    const { text } = this;
    const now = await this.#options.files.readDisk(place);
    if (this.#hasEnded) return;
    const isAccepted = sameLines(now.text, text);
    if (isAccepted || this.#isWrittenOtherwise(now)) {
      for (const other of this.#siblings) if (other !== this) other.#writtenByOther(now);
      this.#end(true);
      if (before.unsaved && isAccepted) await this.#reload(place.path, before.text);
    } else if (!before.unsaved && !isSameFile(this.#before, now)) this.#writtenByOther(now);
  }

  /** Hooks of agents format what these have written: such a text counts, too, but not one that somebody else wrote. */
  #isWrittenOtherwise(now: FileText): boolean {
    if (this.#awaited.before.unsaved || isSameFile(this.#before, now)) return false;
    if (Array.from(this.#siblings).some((other) => other !== this && sameLines(now.text, other.text))) return false;
    return (
      !this.#before.readable ||
      !now.readable ||
      holdsChange([this.#before.text, this.#awaited.onto], this.#awaited, now.text)
    );
  }

  /** The file has changed before this one came: its agent may well refuse now. */
  #writtenByOther(now: FileText): void {
    if (this.#hasEnded) return;
    this.#before = now;
    this.#giveTime(refusedMs);
  }

  async #reload(path: string, heldText: string): Promise<void> {
    const { host, logger } = this.#options;
    try {
      await host.documents?.reload?.(path, heldText);
    } catch (error) {
      logger.warn("An open document could not be updated with the accepted text", { reason: messageOf(error) });
    }
  }
}

/** Longer texts are not searched, UTF-16 units. */
const mostSearched = 1024 * 1024;

/** Whether a text holds all that `wanted` changes in `base`: then it is the same with the change brought into it. */
export async function holdsAll(base: string, wanted: string, now: string, clock: Clock): Promise<boolean> {
  const merged = await mergeTexts(base, wanted, now, clock);
  return merged.kind === "clean" && sameLines(merged.text, now);
}

/**
 * Whether a text holds what an accepted one adds to all of `before`, by the letters and digits of its lines: formatters leave these, and
 * fixers those of most lines. What the user has typed has to be there in every line. Where nothing is added, something that was to
 * go has to be gone.
 */
function holdsChange(
  before: readonly string[],
  { text, isEdited }: Pick<AwaitedWrite, "text" | "isEdited">,
  now: string,
): boolean {
  if (before.reduce((units, one) => units + one.length, text.length + now.length) > mostSearched) return true;
  const wanted = linesOf(splitByteOrderMark(text).body);
  const old = new Set(before.flatMap((one) => [...linesOf(one)]));
  const added = [...wanted].filter((line) => !old.has(line)).map(lettersOf);
  if (added.length > 0) {
    const letters = lettersOf(now);
    const found = added.filter((line) => letters.includes(line));
    return isEdited ? found.length === added.length : 2 * found.length >= added.length;
  }
  const left = linesOf(now);
  return [...old].some((line) => !wanted.has(line) && !left.has(line));
}

function linesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\r?\n/u));
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
