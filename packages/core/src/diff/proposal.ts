import type { DiffView, FileStanding } from "../editor-host.ts";
import type { Clock } from "../support/time.ts";
import { type DecidedHunks, hunkCounts } from "./hunks.ts";
import {
  type ChangedLines,
  type DiffOutcome,
  hasConflict,
  type KeptReason,
  type ProposalInfo,
  type ProposalInput,
} from "./model.ts";
import type { CheckedFile, FilePlace, FileText } from "./reviewed-files.ts";
import { restoreLineEnds, sameLines, splitByteOrderMark } from "./text-fidelity.ts";

/** The session that asked, or the conversation, as far as a proposal needs to know it. */
export interface ProposalOwner {
  readonly sessionId: string;
  /** Set where it is a conversation: it is asked in the editor itself, and its agent ends with the run. */
  readonly conversationId?: string | undefined;
  /** Id of the conversation's agent. */
  readonly agent?: string | undefined;
  /** Set where an agent's hook asks: it waits no longer than this run. */
  readonly isOfHook?: boolean | undefined;
  /** Set where the agent asks about all tools of an answer before the first of them runs: see `AwaitedWrites.ahead`. */
  readonly asksAhead?: boolean | undefined;
  /** Set where somebody else asks the same meanwhile: a view that is closed decides nothing. */
  readonly isAskedElsewhere?: boolean | undefined;
  /** Set where a conversation can be told why something was rejected. */
  readonly readsReasons?: boolean | undefined;
  /** See `ReviewRequest.isTrial`. */
  readonly isTrial?: boolean | undefined;
  readonly dialect: string;
  readonly agentName: string;
  readonly byteOrderMark: "as-proposed" | "as-on-disk";
  readonly emptiedText: "" | "\n";
  /** See `DialectEngine.writes`. */
  readonly writes: "text" | "edits";
  /** False where an answer dies with the connection (Claude): such a proposal is never restored for its agent. */
  readonly outlivesConnection: boolean;
  /** The agent's process, as soon as it is known; all proposals of a session share its owner. */
  process?: AgentProcess | undefined;
}

/** A process for as long as it is the same one. */
export interface AgentProcess {
  readonly pid: number;
  /** See `ProcessFacts.startMark`. */
  readonly mark: string;
}

export interface ProposalFacts {
  readonly id: string;
  readonly owner: ProposalOwner;
  readonly input: ProposalInput;
  readonly kind: "create" | "change" | "delete";
  /** Unix milliseconds. */
  readonly createdAt: number;
  /**
   * The path with links resolved, as it was checked when the agent proposed. Kept over a restart: a link that stands there
   * since then may lead out of the workspace.
   */
  readonly real?: string | undefined;
  /** What the user would type does not reach the agent. */
  readonly isReadOnly?: boolean;
  /** See `DiffRequest.patchFiles`. */
  readonly patchFiles?: number | undefined;
}

/** What is known of a kept text (`KeptText`) beside its proposal. */
export interface KeptFacts {
  readonly reason: KeptReason;
  /** Unix milliseconds. */
  readonly since: number;
  /** A review shows it, and does so again after a restart. */
  readonly isShown: boolean;
  /** The run that left it could not say yet that it was not written. */
  readonly isUntold?: boolean | undefined;
}

/** What a proposal is compared with, and what became of it when the file changed. */
export interface ProposalBase {
  /** What the left side shows. */
  readonly file: FileText;
  /** What was on disk when the agent proposed: what it knows. */
  readonly proposedOn: string;
  /** What the right side holds as long as the user has not touched it; undefined: the proposal as it came. */
  readonly shown: string | undefined;
  /** The file has changed since the agent proposed. */
  readonly isRebased: boolean;
  /** Before the file changed so that both cannot be had: what the right side was made from, and what it held. */
  readonly conflict: { readonly base: string; readonly ours: string; readonly shown: string } | undefined;
  /** Verdicts on single hunks; undefined as long as there are none. */
  readonly hunks?: DecidedHunks | undefined;
}

/** What of a proposal is on disk and holds its texts. */
interface WrittenTexts {
  readonly facts: ProposalFacts;
  readonly base: ProposalBase | undefined;
  readonly draft: string | undefined;
  readonly outcome: DiffOutcome | undefined;
}

/** What an agent is to write. */
export interface FinalText {
  readonly text: string;
  readonly edited: boolean;
}

/**
 * One proposal from its arrival to its one outcome. States: `asking` → `shown` or `hidden` (either way open) → settled; an open
 * proposal whose agent has gone is `kept`. Settling is final: what comes later, from whichever side, changes nothing.
 */
export class Proposal {
  #facts: ProposalFacts;
  #outcome: Promise<DiffOutcome>;
  view: DiffView | undefined;
  /** Where the view stands; `away` and `kept` are told from `agentPresent` and `detached`. */
  place: "asking" | "shown" | "hidden" = "hidden";
  /** Why it has no view although it could: the user holds it, or their setting does not open it. Until a view is there again. */
  aside: "held" | "listed" | undefined;
  agentPresent = true;
  /** The last text read from the view that differs from the proposal. */
  draft: string | undefined;
  /** The file; undefined until it was looked at, where it was not checked. */
  filePlace: FilePlace | undefined;
  /** Undefined until the file was read. */
  base: ProposalBase | undefined;
  /** Called when `standing` may have changed. */
  onDidChangeStanding: () => void = () => {};
  /** Tells apart the states of the file on disk when it was proposed; undefined where it is not known. */
  fileState: string | undefined;
  /** What was found of its file in this moment; undefined once that is not now any more. */
  checked: CheckedFile | undefined;
  /** The user's accept while its text is still being worked out: whatever else comes meanwhile came second. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- Never rejects, and is forgotten when the decision is made.
  deciding: Promise<boolean> | undefined;
  /** The user's accept waits for what was accepted for the file before. */
  isWaiting = false;
  /** See `needsWarning`. */
  isWarned = false;
  /** The outcome on its way to the owner, until the owner has it. */
  undelivered: DiffOutcome | undefined;
  /** The event id under which the outcome was sent; 0 where it was not, or where that is not known yet. */
  sentAs = 0;
  #settled: DiffOutcome | undefined;
  #touched = false;
  #textVersion = 0;
  #isResting = false;
  #standing: FileStanding = "unchanged";
  #settle: (outcome: DiffOutcome) => void;

  constructor(facts: ProposalFacts, draft?: string) {
    this.#facts = facts;
    this.filePlace = facts.real === undefined ? undefined : { path: facts.input.path, real: facts.real };
    this.draft = draft;
    this.#touched = draft !== undefined;
    let settle: (outcome: DiffOutcome) => void = () => {};
    this.#outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
  }

  get facts(): ProposalFacts {
    return this.#facts;
  }

  get outcome(): Promise<DiffOutcome> {
    return this.#outcome;
  }

  get id(): string {
    return this.facts.id;
  }

  /** It is also asked in the editor itself, or in a terminal that can be answered as well. */
  get isAskedElsewhere(): boolean {
    const { conversationId, isAskedElsewhere = false } = this.facts.owner;
    return conversationId !== undefined || isAskedElsewhere;
  }

  /** Nothing of it is kept, and nobody writes it. */
  get isTrial(): boolean {
    return this.facts.owner.isTrial === true;
  }

  /** The proposal without its byte order mark. */
  get body(): string {
    return splitByteOrderMark(this.facts.input.text).body;
  }

  /** What the view shows as long as nobody has touched it: the proposal, rebased where the file has changed since. */
  get shownText(): string {
    return this.base?.shown ?? this.body;
  }

  /** What the view compares with: the file, with the hunks in it that the user has accepted. */
  get leftText(): string {
    return this.base?.hunks?.left ?? this.base?.file.text ?? "";
  }

  /** What stands between the proposal and the file, by the last text known. */
  get standing(): FileStanding {
    return this.#standing;
  }

  /** The file was read, or has changed: `text` is what the right side holds from now on. */
  rebase(base: ProposalBase, text: string): void {
    this.base = base;
    this.#textVersion += 1;
    this.noteText(text);
  }

  /** Another one whenever one of both sides may have changed. */
  get textVersion(): number {
    return this.#textVersion;
  }

  /** Its texts are on disk only: whoever wants one wakes it first. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** How long the texts are that it holds, UTF-16 units. */
  get textUnits(): number {
    const { base, draft, facts, undelivered } = this;
    const told = undelivered?.kind === "accepted" ? undelivered.text.length : 0;
    const compared =
      base === undefined ? 0 : (base.file.readable ? base.file.text.length : 0) + (base.shown ?? "").length;
    return facts.input.text.length + (draft ?? "").length + told + compared;
  }

  /** Lets go of the texts of a settled proposal, all of which are on disk. */
  rest(): void {
    if (this.#settled === undefined) return;
    this.#isResting = true;
    this.#facts = { ...this.#facts, input: { ...this.#facts.input, text: "" } };
    this.base = undefined;
    this.draft = undefined;
    this.undelivered = this.undelivered === undefined ? undefined : withoutText(this.undelivered);
    this.#settled = withoutText(this.#settled);
    this.#outcome = Promise.resolve(this.#settled);
    // It holds the promise that was settled, and that holds the text.
    this.#settle = () => {};
  }

  /** Has its texts again, as they are on disk. */
  wake({ facts, base, draft, outcome }: WrittenTexts): void {
    this.#isResting = false;
    this.#facts = { ...facts, owner: this.#facts.owner };
    this.base = base;
    this.draft = draft;
    if (outcome === undefined || this.undelivered === undefined) return;
    this.undelivered = outcome;
    this.#settled = outcome;
    this.#outcome = Promise.resolve(outcome);
  }

  get settled(): DiffOutcome | undefined {
    return this.#settled;
  }

  /** The agent has its outcome, but the view stays with text the user typed. */
  detached = false;
  /** Its question died with an earlier run: the agent's own terminal still asks, and nothing that is decided here reaches it. */
  terminalOnly = false;
  /** Its agent was seen to write what was accepted: that it has the answer is beyond doubt, whatever becomes of the file. */
  isWritten = false;
  /** What was accepted and is on its way to the file, once that takes long enough to be worth keeping for a next run. */
  awaited: { readonly text: string; readonly since: number } | undefined;
  /** Its agent had no answer when the user accepted: its write is waited for from when it has one. */
  isAnsweredLater = false;
  /** Set together with `detached`. */
  kept: KeptFacts | undefined;

  get isOpen(): boolean {
    return this.#settled === undefined;
  }

  /** Whether the user has changed the text at any time. */
  get isEdited(): boolean {
    return this.#touched;
  }

  /** Takes the text of the view; an unchanged one takes the mark of an edit back. */
  noteText(documentText: string): void {
    const changed = !sameLines(documentText, this.shownText);
    const draft = changed ? documentText : undefined;
    if (draft !== this.draft) this.#textVersion += 1;
    this.#touched = changed;
    this.draft = draft;
    this.#noteStanding(documentText);
  }

  #noteStanding(text: string): void {
    const before = this.#standing;
    if (this.base?.isRebased !== true) this.#standing = "unchanged";
    else this.#standing = this.base.conflict !== undefined && hasConflict(text) ? "conflict" : "merged";
    if (this.#standing !== before) this.onDidChangeStanding();
  }

  /** What the right side holds is not what the agent will write, since the file has changed, and the user was not warned of that. */
  needsWarning(text: string): boolean {
    return this.facts.isReadOnly === true && !this.isWarned && !sameLines(text, this.body);
  }

  /** The user typed; the text is read later. */
  noteEdit(): void {
    this.#touched = true;
  }

  /** Ends the proposal; false when it has ended before. */
  settle(outcome: DiffOutcome): boolean {
    if (this.#settled !== undefined) return false;
    this.#settled = outcome;
    this.#settle(outcome);
    return true;
  }

  /**
   * What the agent is to write for a text of the view: line ends as proposed, the byte order mark where it belongs, and
   * for an emptied proposal what the agent can take (docs/protocols/gemini.md: an empty content means the original proposal).
   */
  finalText(documentText: string, diskHasMark: boolean, clock: Clock): FinalText | Promise<FinalText> {
    const { mark, body } = splitByteOrderMark(this.facts.input.text);
    const plain = splitByteOrderMark(documentText).body;
    const edited = !sameLines(plain, this.shownText);
    const finished = (restored: string): FinalText => {
      const final = restored === "" && body !== "" ? this.facts.owner.emptiedText : restored;
      const needsMark = mark !== "" || (this.facts.owner.byteOrderMark === "as-on-disk" && diskHasMark);
      return { text: (needsMark ? "\ufeff" : "") + final, edited };
    };
    const restoring = restoreLineEnds(plain, body, clock);
    return typeof restoring === "string" ? finished(restoring) : restoring.then(finished);
  }

  get #state(): ProposalInfo["state"] {
    if (this.detached) return "kept";
    if (this.terminalOnly) return "terminal";
    if (!this.agentPresent) return "away";
    return this.place === "hidden" && this.aside === "listed" ? "listed" : this.place;
  }

  info(lines?: ChangedLines): ProposalInfo {
    const { owner } = this.facts;
    return {
      id: this.id,
      sessionId: owner.sessionId,
      ...(owner.conversationId === undefined ? {} : { conversationId: owner.conversationId }),
      agentName: owner.agentName,
      path: this.facts.input.path,
      kind: this.facts.kind,
      edited: this.#touched,
      state: this.#state,
      standing: this.#standing,
      isHeld: this.isOpen && this.aside === "held",
      createdAt: this.facts.createdAt,
      lines,
      sessionTitle: undefined,
      ...(this.isOpen && (owner.isOfHook === true || owner.readsReasons === true) ? { readsReasons: true } : {}),
      ...(this.kept === undefined ? {} : { keptReason: this.kept.reason }),
      ...(this.base?.hunks === undefined ? {} : { hunks: hunkCounts(this.base.hunks) }),
    };
  }
}

function withoutText(outcome: DiffOutcome): DiffOutcome {
  if (!("text" in outcome)) return outcome;
  return "told" in outcome ? { ...outcome, text: "", told: "" } : { ...outcome, text: "" };
}
