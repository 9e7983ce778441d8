import { createMemoryEditor, createMemoryPlatform, type MemoryDiffView, type MemoryEditor } from "@patchbay/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiffRegistry } from "../../src/diff/diff-registry.ts";
import type { DiffOutcome, CarriedTo } from "../../src/diff/model.ts";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import type { ProposalStore, StoredProposal } from "../../src/diff/stored-proposals.ts";
import { nullLogger } from "../../src/support/logger.ts";

type SessionName = "gemini-one" | "gemini-two" | "claude";
const sessionNames: readonly SessionName[] = ["gemini-one", "gemini-two", "claude"];
const paths: readonly string[] = ["/ws/a.ts", "/ws/b.ts"];

type Happening =
  | { readonly kind: "open"; readonly session: SessionName; readonly path: string; readonly again: boolean }
  | { readonly kind: "agent-close"; readonly session: SessionName; readonly path: string; readonly notify: boolean }
  /** A tool of Claude's alone, which drops the texts: they are handed to the user. */
  | { readonly kind: "close-all" }
  | { readonly kind: "lose" | "return" | "end"; readonly session: SessionName }
  | { readonly kind: "type" | "accept" | "reject" | "close" | "late"; readonly view: number }
  | { readonly kind: "command"; readonly proposal: number; readonly verdict: "accept" | "reject" | "reveal" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "break"; readonly call: "diffs.open" | "view.close" }
  | { readonly kind: "reload" }
  /** The next happening comes before anything of this one was worked off. */
  | { readonly kind: "at-once" };

const session = fc.constantFrom(...sessionNames);
const path = fc.constantFrom(...paths);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("open"), session, path, again: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("agent-close"), session, path, notify: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("close-all") }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("lose", "return", "end"), session }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("type", "type", "accept", "reject", "close", "late"),
      view: fc.nat(7),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("command"),
      proposal: fc.nat(5),
      verdict: fc.constantFrom("accept", "reject", "reveal"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(50, 250, 1_600, 11_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("break"), call: fc.constantFrom("diffs.open", "view.close") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reload") }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("at-once") }) },
);

function ownerOf(name: SessionName): ProposalOwner {
  const isClaude = name === "claude";
  return {
    sessionId: name,
    dialect: isClaude ? "claude" : "gemini",
    agentName: name,
    byteOrderMark: "as-proposed",
    emptiedText: isClaude ? "" : "\n",
    writes: isClaude ? "edits" : "text",
    outlivesConnection: !isClaude,
  };
}

/** One world: an editor with its user, three agents, a disk. Texts say whose they are and which proposal they belong to. */
class World {
  readonly #kept: Map<string, StoredProposal> = new Map();
  readonly #reachable: Set<string> = new Set(sessionNames);
  readonly #platform = createMemoryPlatform();
  #editor: MemoryEditor = createMemoryEditor();
  #registry: DiffRegistry = this.#begin();
  #count = 0;
  /** The last proposal of each session for each path. */
  readonly #texts: Map<string, string> = new Map();
  readonly told: { readonly session: string; readonly path: string; readonly outcome: DiffOutcome }[] = [];
  /** Final texts that agents fetched by closing. */
  readonly fetched: { readonly session: string; readonly text: string }[] = [];
  /** Proposals of this run with how they ended, once they have. */
  readonly opened: Map<string, { readonly session: SessionName; readonly path: string; ends: DiffOutcome[] }> =
    new Map();
  /** Last text typed into each view, until the user himself throws it away. */
  readonly typed: Map<string, string> = new Map();
  /** Where earlier runs have left texts: in answers, in documents of their own, in views that the editor could not close. */
  readonly #left: string[] = [];

  #begin(): DiffRegistry {
    this.#editor = createMemoryEditor({ folders: ["/ws"] });
    for (const code of ["kept-until-return", "edits-not-used", "answer-not-used", "answer-kept"]) {
      this.#editor.messages.answerWith(code, "Open Text");
    }
    const store: ProposalStore = {
      save: async (record) => void this.#kept.set(record.facts.id, record),
      remove: async (id) => void this.#kept.delete(id),
      load: async () => Array.from(this.#kept.values()),
    };
    let eventId = 0;
    const { clock, files, random } = this.#platform;
    return new DiffRegistry({
      host: this.#editor,
      clock,
      files,
      random,
      logger: nullLogger,
      store,
      carrier: {
        isReachable: (id) => this.#reachable.has(id),
        awaySince: () => undefined,
        carry: ({ sessionId, path: told }: CarriedTo, outcome, onDelivered) => {
          if (!this.#reachable.has(sessionId)) return undefined;
          // Claude is answered by openDiff itself, which is told by the outcome.
          if (sessionId !== "claude") this.told.push({ session: sessionId, path: told, outcome });
          onDelivered();
          eventId += 1;
          return { eventId, isTaken: true, dispose: () => {} };
        },
      },
    });
  }

  async happen(event: Happening): Promise<void> {
    const registry = this.#registry;
    switch (event.kind) {
      case "open":
        this.#open(event.session, event.path, event.again);
        break;
      case "agent-close":
        void this.#fetch(
          event.session,
          registry.closeByAgent(ownerOf(event.session), event.path, { notify: event.notify }),
        );
        break;
      case "close-all":
        void registry.closeAllOfSession(ownerOf("claude"));
        break;
      case "lose":
        this.#reachable.delete(event.session);
        if (event.session === "claude") registry.sessionEnded("claude");
        else registry.setAgentPresent(event.session, false);
        break;
      case "return":
        this.#reachable.add(event.session);
        registry.setAgentPresent(event.session, true);
        break;
      case "end":
        this.#reachable.delete(event.session);
        registry.sessionEnded(event.session);
        break;
      case "command": {
        const { proposals } = registry;
        const proposal = proposals[event.proposal % Math.max(1, proposals.length)];
        if (proposal === undefined) break;
        if (event.verdict === "reject") this.typed.delete(proposal.id);
        void registry[event.verdict](proposal.id).catch(() => {});
        break;
      }
      case "wait":
        this.#platform.clock.advance(event.ms);
        break;
      case "break":
        this.#editor.fail(event.call);
        break;
      case "reload":
        await this.#reload();
        break;
      case "at-once":
        return;
      default:
        this.#byHand(event.kind, event.view);
    }
  }

  /** Everybody comes back, and the editor ends for good. */
  async end(): Promise<void> {
    await drain();
    for (const name of sessionNames) await this.happen({ kind: "return", session: name });
    await drain();
    await this.#over({ keep: false });
  }

  /** Every place where a text that the user typed may be found again. */
  holds(text: string): boolean {
    const kept = Array.from(this.#kept.values()).flatMap(({ draft, outcome }) => [
      draft,
      outcome?.kind === "accepted" ? outcome.text : undefined,
    ]);
    const told = this.told.map(({ outcome }) => ("text" in outcome ? outcome.text : undefined));
    // In a conflict it stands between markers.
    const all = [...kept, ...told, ...this.fetched.map((one) => one.text), ...this.#left];
    return all.some((one) => one?.includes(text) === true);
  }

  #open(name: SessionName, where: string, again: boolean): void {
    // What was accepted and is not on the disk is listed, too, and no question any more.
    const isOpen = this.#registry.proposals.some(
      (one) => one.sessionId === name && one.path === where && one.state !== "kept",
    );
    this.#count += 1;
    const key = `${name} ${where}`;
    const text = again && isOpen ? (this.#texts.get(key) ?? "") : `${key} ${this.#count}\n`;
    this.#texts.set(key, text);
    try {
      const { id, outcome, shown } = this.#registry.open(
        ownerOf(name),
        { path: where, text, handle: where },
        { inside: true, kind: "change" },
      );
      shown.catch(() => {});
      if (this.opened.has(id)) return;
      const entry = { session: name, path: where, ends: [] as DiffOutcome[] };
      this.opened.set(id, entry);
      void outcome.then((end) => entry.ends.push(end));
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/too-large|stopped/u) });
    }
  }

  async #fetch(name: string, closing: Promise<{ readonly text: string } | undefined>): Promise<void> {
    const final = await closing;
    if (final !== undefined) this.fetched.push({ session: name, text: final.text });
  }

  #byHand(kind: "type" | "accept" | "reject" | "close" | "late", index: number): void {
    const views = kind === "late" ? this.#editor.views : this.#editor.openViews;
    const view: MemoryDiffView | undefined = views[index % Math.max(1, views.length)];
    if (view === undefined) return;
    const { id } = view.request;
    if (kind === "type") {
      this.#count += 1;
      const text = `${view.request.proposedText.trimEnd()} typed ${this.#count}\n`;
      view.type(text);
      // A view that was accepted takes no more keys.
      if (view.text === text) this.typed.set(id, text);
    } else if (kind === "accept") view.accept();
    else if (kind === "late") {
      // A view that is gone says everything once more.
      if (view.isOpen) return;
      view.events.edited();
      view.events.accepted(view.text);
      view.events.closed();
    } else {
      this.typed.delete(id);
      if (kind === "reject") view.reject();
      else view.closeByUser();
    }
  }

  async #reload(): Promise<void> {
    await drain();
    await this.#over({ keep: true });
    this.opened.clear();
    // A socket does not outlive its process.
    this.#reachable.delete("claude");
    this.#registry = this.#begin();
    await this.#registry.restore();
    await drain();
  }

  async #over(options: { readonly keep: boolean }): Promise<void> {
    await this.#registry.stop(options);
    await this.#registry.settled();
    await drain();
    this.#left.push(
      ...this.#editor.untitled.map(({ text }) => text),
      ...this.#editor.openViews.map(({ text }) => text),
      ...Array.from(this.opened.values()).flatMap(({ ends }) =>
        ends.flatMap((end) => ("text" in end ? [end.text] : [])),
      ),
    );
  }
}

async function drain(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("any order of what agents, users and editors do", () => {
  it("ends every proposal once, tells nobody but its owner, and loses no text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 30 }), async (happenings) => {
        const world = new World();
        for (const [index, event] of happenings.entries()) {
          await world.happen(event);
          if (happenings[index + 1]?.kind !== "at-once") await drain();
        }
        await world.end();

        for (const { ends } of world.opened.values()) expect(ends).toHaveLength(1);
        for (const { session: to, path: where, outcome } of world.told) {
          if ("text" in outcome) expect(outcome.text.startsWith(`${to} ${where} `)).toBe(true);
        }
        const accepted = world.told.flatMap(({ outcome }) => (outcome.kind === "accepted" ? [outcome.text] : []));
        expect(new Set(accepted).size).toBe(accepted.length);
        for (const { session: by, text } of world.fetched) {
          // Another session of the same agent may fetch what its owner has left behind; nobody else's.
          expect(text.startsWith(by === "claude" ? "claude " : "gemini-")).toBe(true);
          expect(accepted).not.toContain(text);
        }
        for (const text of world.typed.values()) expect(world.holds(text), text).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
