import type { Dialect } from "../agents/dialect.ts";
import type { ServiceDesk } from "../agents/service.ts";
import type { SessionInfo } from "../companion.ts";
import { type ProposalInfo, proposalKeyPrefix } from "../diff/model.ts";
import type { HookAcceptor, HookCall, NewConnection, SessionAcceptor } from "../endpoint/endpoint.ts";
import type { GuardedRun } from "../port-holder/guardian.ts";
import { type EarlierNote, holderNoteKey } from "../port-holder/order.ts";
import type { PrivateStorage } from "../storage/private-storage.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { AgentSide, AgentSideOptions } from "./agent-side.ts";
import { onAbort } from "../support/disposable.ts";

export interface AgentsOnDemandOptions extends Omit<AgentSideOptions, "storage" | "guarded"> {
  /** Undefined: nothing is kept for the next run. */
  readonly storage: PrivateStorage | undefined;
  readonly listening: GuardedRun["listening"];
  /** Aborted once the end has begun: nothing is loaded any more, and nobody waits for what an earlier run left. */
  readonly ending: AbortSignal;
  /** The agents' side is there from now on. */
  readonly onDidLoad: (side: AgentSide) => void;
  /** An agent has been let in. */
  readonly onDidAccept: () => void;
  /** See `Companion.excludeProcesses`; absent or undefined: nobody is kept out. */
  readonly isExcluded?: () => ((pid: number) => boolean) | undefined;
}

/**
 * What the endpoint asks. The side that answers is loaded with the first agent, or with the first proposal that an earlier
 * run left: an editor without any does not pay for it.
 */
export class AgentsOnDemand implements SessionAcceptor, HookAcceptor {
  readonly #options: AgentsOnDemandOptions;
  readonly #side: LoadOnce<AgentSide> = new LoadOnce(async () => {
    const { createAgentSide } = await import("./agent-side.ts");
    const { storage, listening } = this.#options;
    const guarded = storage === undefined ? undefined : { storage, listening, ready: this.#read };
    const side = createAgentSide({ ...this.#options, guarded });
    this.#options.onDidLoad(side);
    return side;
  });
  readonly #restored: LoadOnce<void> = new LoadOnce(() => this.#restore());
  #earlier: EarlierNote | undefined;
  #announceRead: () => void = () => {};
  /** Resolves when agents of an earlier run can be answered about what they left. */
  readonly #read: Promise<void> = new Promise((resolve) => {
    this.#announceRead = resolve;
  });

  constructor(options: AgentsOnDemandOptions) {
    this.#options = options;
    // oxlint-disable-next-line patchbay/let-go-of-signals -- Both live as long as the run.
    onAbort(options.ending, () => this.#announceRead());
  }

  /** Undefined until the first agent came. */
  get side(): AgentSide | undefined {
    return this.#side.loaded;
  }

  /** What the earlier run said of the agents that it left to a port holder. */
  get earlier(): EarlierNote | undefined {
    return this.#earlier;
  }

  get sessionInfos(): readonly SessionInfo[] {
    return this.side?.sessionInfos() ?? [];
  }

  get proposalInfos(): readonly ProposalInfo[] {
    return this.side?.proposalInfos() ?? [];
  }

  async recognise(facts: Parameters<SessionAcceptor["recognise"]>[0]): Promise<string> {
    const { sessions, conversations } = await this.#load();
    const isExcluded = this.#options.isExcluded?.();
    if (isExcluded !== undefined && (await conversations.isBehind(facts.ports, isExcluded))) {
      this.#options.logger.info("An agent of a conversation was not let in");
      throw new PatchbayError("excluded", "The editor runs this agent itself.");
    }
    return sessions.recognise(facts);
  }

  async accept(connection: NewConnection): Promise<void> {
    // One that comes back by its id may ask at once for what the user decided meanwhile.
    if (connection.initialize === undefined) {
      await this.#read;
      // What an earlier run left may not have been read: whoever has events of this run would count as having that as well.
      if (this.#options.ending.aborted) throw new PatchbayError("stopped", "The editor is closing.");
    }
    await (await this.#load()).sessions.accept(connection);
    this.#options.onDidAccept();
  }

  async answerHook(call: HookCall): Promise<string | undefined> {
    return await (await this.#hooksFor(call))?.answerHook(call);
  }

  async answerUnreadable(call: Pick<HookCall, "tokenName" | "agent" | "pid" | "ports">): Promise<string | undefined> {
    return await (await this.#hooksFor(call))?.answerUnreadable(call);
  }

  /** Undefined for an agent that the editor runs: its changes are reviewed where the user talks with it. */
  async #hooksFor({ ports, pid }: Pick<HookCall, "pid" | "ports">): Promise<AgentSide["hooks"] | undefined> {
    const { conversations, hooks } = await this.#load();
    const isExcluded = this.#options.isExcluded?.();
    if (isExcluded !== undefined && (await conversations.isBehind(ports, isExcluded, pid))) return undefined;
    await this.#read;
    return hooks;
  }

  ended(sessionId: string, why: Parameters<SessionAcceptor["ended"]>[1]): void {
    this.side?.sessions.ended(sessionId, why);
  }

  mayForget(sessionId: string): boolean {
    return this.side?.sessions.mayForget(sessionId) ?? true;
  }

  /** Takes back the proposals of an earlier run, once. Resolves, never rejects, when the editor has them. */
  restore(): Promise<void> {
    return this.#restored.get();
  }

  async #restore(): Promise<void> {
    const { storage, logger } = this.#options;
    try {
      const kept = (await storage?.list(proposalKeyPrefix)) ?? [];
      const isAny = kept.length > 0 && !this.#options.ending.aborted;
      const restored = isAny ? await (await this.#load()).diffs.restore() : undefined;
      this.side?.sessions.watchOwners();
      const text = await storage?.read(holderNoteKey);
      if (text !== undefined) this.#earlier = { text, readAtMs: this.#options.platform.clock.monotonic() };
      // A port holder of the earlier run that finds its note gone has nothing to do any more. Once the end has begun, the note is this run's.
      if (!this.#options.ending.aborted) await storage?.remove(holderNoteKey);
      this.#announceRead();
      await restored?.shown;
    } catch (error) {
      logger.warn("Proposals of an earlier run could not be restored", { reason: messageOf(error) });
    }
    this.#announceRead();
  }

  /** See `HookDesk.serviceDesk`; once proposals of an earlier run are back. */
  async serviceDesk(dialect: Dialect): Promise<ServiceDesk> {
    await this.#read;
    return await (await this.#load()).hooks.serviceDesk(dialect);
  }

  /** Reviews of what conversations ask for, once proposals of an earlier run are back. */
  async conversations(): Promise<AgentSide["conversations"]> {
    await this.#read;
    return (await this.#load()).conversations;
  }

  /** The agents' side once what is being loaded is there; undefined where no agent came. */
  async loaded(): Promise<AgentSide | undefined> {
    return this.#side.settled();
  }

  async #load(): Promise<AgentSide> {
    if (this.#options.ending.aborted && this.side === undefined)
      throw new PatchbayError("stopped", "The editor is closing.");
    return this.#side.get();
  }
}
