import { Emitter, type Event } from "../support/emitter.ts";
import { type Logger, reportListenerFailure } from "../support/logger.ts";
import type { ChangedLines, ProposalInfo } from "./model.ts";
import type { Proposal, ProposalOwner } from "./proposal.ts";

/** The proposals under review in this run: those that wait for a decision, and those of which only text the user typed is left. */
export class OpenProposals {
  readonly #byId: Map<string, Proposal> = new Map();
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
    const own: Proposal[] = [];
    // Asked several times for each call of an agent, whatever the others have open.
    for (const proposal of this.#byId.values()) {
      if (proposal.isOpen && proposal.facts.owner.sessionId === sessionId) own.push(proposal);
    }
    return own;
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

  /** Takes a proposal in; `changed` is said when it is complete. */
  add(proposal: Proposal): void {
    this.#byId.set(proposal.id, proposal);
    proposal.onDidChangeStanding = () => {
      proposal.view?.setStanding(proposal.standing);
      this.changed();
    };
  }

  remove(proposal: Proposal): void {
    this.#byId.delete(proposal.id);
  }

  clear(): void {
    this.#byId.clear();
  }

  /** Says that the set, or what is told of one in it, has changed. */
  changed(): void {
    this.#change.fire();
  }
}
