import { Emitter, type Event } from "../support/emitter.ts";
import { type Logger, reportListenerFailure } from "../support/logger.ts";
import type { ChangedLines, ProposalInfo, ProposalInput } from "./model.ts";
import type { Proposal, ProposalOwner } from "./proposal.ts";

/** Proposals one session may have open at once; more is a runaway agent. */
const maximumOpenPerSession = 200;

/** Open proposals hold this much text at most, UTF-16 units; one alone may always be open. The editor holds each several times over. */
const maximumOpenUnits = 256 * 1024 * 1024;

/** The proposals under review in this run: those that wait for a decision, and those of which only text the user typed is left. */
export class OpenProposals {
  readonly #byId: Map<string, Proposal> = new Map();
  /** The same by who asked, each in the order in which it came: asked several times for each call of an agent, whatever the others have open. */
  readonly #bySession: Map<string, Set<Proposal>> = new Map();
  readonly #change: Emitter<void>;
  /** Set from the moment the run ends: `keep` leaves what is open to the next run, `settle` ends it. */
  ending: "keep" | "settle" | undefined;

  constructor(logger: Logger) {
    this.#change = new Emitter(reportListenerFailure(logger));
  }

  get onDidChange(): Event<void> {
    return this.#change.event;
  }

  get all(): readonly Proposal[] {
    return [...this.#byId.values()];
  }

  infos(linesOf: (proposal: Proposal) => ChangedLines | undefined): readonly ProposalInfo[] {
    return this.all.map((proposal) => proposal.info(linesOf(proposal)));
  }

  get(id: string): Proposal | undefined {
    return this.#byId.get(id);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** What a session waits for, in the order in which it asked. */
  ofSession(sessionId: string): readonly Proposal[] {
    return Array.from(this.#bySession.get(sessionId) ?? []).filter(({ isOpen }) => isOpen);
  }

  /** The proposal a session means by its handle; undefined where it waits for none. */
  find(sessionId: string, handle: string): Proposal | undefined {
    return this.ofSession(sessionId).find((proposal) => proposal.facts.input.handle === handle);
  }

  /**
   * What an earlier run has left to the terminal of this agent, which has connected anew since. By a handle also where the system
   * does not tell the processes of two terminals apart: handles hardly ever meet.
   */
  leftTo(owner: ProposalOwner, handle?: string): readonly Proposal[] {
    return this.all.filter(({ isOpen, terminalOnly, facts }) => {
      if (!isOpen || !terminalOnly || facts.owner.dialect !== owner.dialect) return false;
      if (handle !== undefined && facts.input.handle !== handle) return false;
      const [one, other] = [facts.owner.process, owner.process];
      if (one === undefined || other === undefined) return handle !== undefined;
      return one.pid === other.pid && one.mark === other.mark;
    });
  }

  /** What an agent is told whose proposal is one too many; undefined where there is room for it. */
  whyNoRoom({ sessionId }: ProposalOwner, input: Pick<ProposalInput, "text">): string | undefined {
    if (this.ofSession(sessionId).length >= maximumOpenPerSession) {
      return `${maximumOpenPerSession} proposals of this agent are already open. Accept or reject some of them first.`;
    }
    const open = this.all.filter(({ isOpen }) => isOpen);
    const units = open.reduce((sum, { facts }) => sum + facts.input.text.length, input.text.length);
    if (open.length === 0 || units <= maximumOpenUnits) return undefined;
    return "The open proposals already use the memory reserved for them. Accept or reject some of them first.";
  }

  /** The ids of those that "Accept All" means: neither what only a terminal can answer, nor what the user holds. */
  get acceptable(): readonly string[] {
    const open = this.all.filter(({ isOpen, terminalOnly, aside }) => isOpen && !terminalOnly && aside !== "held");
    return open.map(({ id }) => id);
  }

  /** Takes a proposal in; `changed` is said when it is complete. */
  add(proposal: Proposal): void {
    const { sessionId } = proposal.facts.owner;
    this.#byId.set(proposal.id, proposal);
    const own = this.#bySession.get(sessionId) ?? new Set();
    this.#bySession.set(sessionId, own.add(proposal));
    proposal.onDidChangeStanding = () => {
      proposal.view?.setStanding(proposal.standing);
      this.changed();
    };
  }

  remove(proposal: Proposal): void {
    const { sessionId } = proposal.facts.owner;
    this.#byId.delete(proposal.id);
    const own = this.#bySession.get(sessionId);
    own?.delete(proposal);
    if (own?.size === 0) this.#bySession.delete(sessionId);
  }

  clear(): void {
    this.#byId.clear();
    this.#bySession.clear();
  }

  /** Says that the set, or what is told of one in it, has changed. */
  changed(): void {
    this.#change.fire();
  }
}
