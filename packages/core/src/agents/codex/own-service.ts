import { type HookChange, memberOf, textOf } from "../hook.ts";
import type { AgentService, ServiceAnswer, ServiceDesk, ServiceSource, ServiceTalk, ServiceWire } from "../service.ts";
import { chosenDirectory } from "../settings.ts";

/** The service that Codex CLI's terminals share: docs/protocols/codex.md, "The background service". */
export const codexService: AgentService = {
  place: (place) => {
    const { process } = place.platform;
    // Its pipe on Windows was not seen.
    if (process.platform === "win32") return undefined;
    const [directory, name] = ["app-server-control", "app-server-control.sock"];
    const chosen = chosenDirectory(place, "CODEX_HOME");
    return chosen === undefined
      ? { root: process.homeDirectory, directories: [".codex", directory], name }
      : { root: chosen.endsWith("/") ? chosen.slice(0, -1) : chosen, directories: [directory], name };
  },
  join: (wire, desk) => new CodexTalk(wire, desk),
};

/** What is asked of it, and nothing else (docs/security.md). */
type Method =
  | "initialize"
  | "thread/loaded/list"
  | "thread/read"
  | "thread/resume"
  | "thread/turns/list"
  | "thread/unsubscribe"
  | "turn/steer";

/** A conversation in a folder of this editor's. */
interface Conversation extends ServiceSource {
  title: string | undefined;
  /** Whether its events come. */
  isJoined: boolean;
  isJoining: boolean;
  /** It has told of its status since we asked to join it. */
  hasMoved: boolean;
  /** Something was told of it. */
  hasBegun: boolean;
  /** The turn that it works at. */
  turn: string | undefined;
  /** Its turns are being read; who wants to know meanwhile waits for the same. Never rejects. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- It is forgotten as soon as it is there.
  reading: Promise<unknown> | undefined;
  /** What its patches change that were begun and have not ended. */
  readonly patches: Map<string, unknown>;
  /** Commands that were begun and have not ended. */
  readonly commands: Set<string>;
  /** Patches about which somebody was asked. */
  readonly asked: Set<string>;
}

/** A conversation that is none of ours; `cwd`: unless its folder is opened. */
interface Other {
  readonly cwd: string | undefined;
  readonly session?: undefined;
}

/** Of one conversation: it has one patch in hand, or a few. */
const mostPatches = 32;

/** So many are remembered, and those of ours that have begun. */
const mostConversations = 256;

class CodexTalk implements ServiceTalk {
  readonly #wire: ServiceWire;
  readonly #desk: ServiceDesk;
  readonly #waiting: Map<number, (result: unknown) => void> = new Map();
  readonly #conversations: Map<string, Conversation | Other> = new Map();
  /** What is asked of the user now, by the service's own number. */
  readonly #questions: Map<string, AbortController> = new Map();
  #lastId = 0;
  #hasEnded = false;

  constructor(wire: ServiceWire, desk: ServiceDesk) {
    this.#wire = wire;
    this.#desk = desk;
    void this.#begin();
  }

  heard(message: unknown): void {
    const [id, method] = [memberOf(message, "id"), textOf(message, "method")];
    const params = memberOf(message, "params");
    if (method === undefined) {
      const settle = typeof id === "number" ? this.#waiting.get(id) : undefined;
      if (typeof id !== "number" || settle === undefined) return;
      this.#waiting.delete(id);
      settle(memberOf(message, "result"));
    } else if (typeof id === "number" || typeof id === "string") void this.#question(method, id, params);
    else this.#event(method, params);
  }

  ended(): void {
    this.#hasEnded = true;
    for (const settle of this.#waiting.values()) settle(undefined);
    this.#waiting.clear();
    for (const question of this.#questions.values()) question.abort();
    this.#questions.clear();
    for (const conversation of this.#conversations.values()) this.#gone(conversation);
    this.#conversations.clear();
  }

  async #begin(): Promise<void> {
    const clientInfo = { name: "patchbay", title: "Patchbay", version: this.#wire.clientVersion };
    const about = await this.#ask("initialize", { clientInfo, capabilities: null });
    if (this.#hasEnded) return;
    if (textOf(about, "codexHome") === undefined) {
      this.#wire.leave("It does not say what it is.");
      return;
    }
    this.#wire.send({ method: "initialized" });
    this.#wire.understood();
    let cursor: string | undefined;
    let left = mostConversations;
    do {
      const page = await this.#ask("thread/loaded/list", cursor === undefined ? {} : { cursor });
      const ids = memberOf(page, "data");
      if (!Array.isArray(ids)) return;
      for (const id of ids.slice(0, left)) if (typeof id === "string") await this.#conversationOf(id);
      left -= ids.length;
      cursor = textOf(page, "nextCursor");
    } while (cursor !== undefined && left > 0);
  }

  /** Undefined: it was refused, or the connection has ended. */
  #ask(method: Method, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#wire.send({ id, method, params });
    });
  }

  #event(method: string, params: unknown): void {
    if (method === "thread/started") {
      void this.#meet(memberOf(params, "thread"));
      return;
    }
    const id = textOf(params, "threadId");
    if (id === undefined) return;
    if (method === "thread/status/changed") {
      void this.#statusChanged(id, memberOf(params, "status"));
      return;
    }
    if (method === "serverRequest/resolved") {
      this.#resolved(memberOf(params, "requestId"));
      return;
    }
    const conversation = this.#conversations.get(id);
    if (method === "thread/closed") this.#conversations.delete(id);
    if (conversation?.session === undefined) return;
    const item = memberOf(params, "item");
    switch (method) {
      case "thread/name/updated":
        conversation.title = textOf(params, "threadName") ?? conversation.title;
        return;
      case "thread/closed":
        this.#gone(conversation);
        return;
      case "item/started":
        this.#itemStarted(conversation, item, textOf(params, "turnId"));
        return;
      case "item/completed":
        this.#itemCompleted(conversation, item);
        return;
      case "turn/completed":
        this.#turnEnded(conversation);
        return;
    }
  }

  #itemStarted(conversation: Conversation, item: unknown, turn: string | undefined): void {
    const id = textOf(item, "id") ?? "";
    switch (textOf(item, "type")) {
      case "userMessage":
        this.#turnBegan(conversation, turn, promptOf(item));
        return;
      case "fileChange":
        if (conversation.patches.size < mostPatches) conversation.patches.set(id, memberOf(item, "changes"));
        return;
      case "commandExecution":
        this.#commandBegan(conversation, id, item);
        return;
    }
  }

  /** Once, by its begin or by the question about it: whoever joins late hears of that alone. */
  #commandBegan(conversation: Conversation, item: string, told: unknown): void {
    if (conversation.commands.has(item)) return;
    conversation.commands.add(item);
    this.#desk.tell({ ...sourceOf(conversation), kind: "command", isPaused: false, ...commandOf(told), asks: true });
  }

  #itemCompleted(conversation: Conversation, item: unknown): void {
    const id = textOf(item, "id") ?? "";
    const [type, status] = [textOf(item, "type"), textOf(item, "status")];
    if (type !== "fileChange" && type !== "commandExecution") return;
    conversation.patches.delete(id);
    conversation.commands.delete(id);
    const wasAsked = conversation.asked.delete(id);
    if (status === "declined") return;
    const source = sourceOf(conversation);
    // Of what nobody was asked about, it is only known that it has been written.
    if (type === "fileChange" && !wasAsked) {
      const command = { command: "apply_patch", directory: undefined, asks: true };
      this.#desk.tell({ ...source, kind: "command", isPaused: false, ...command });
    }
    this.#desk.tell({ ...source, kind: "wrote", files: [] });
  }

  #turnBegan(conversation: Conversation, turn: string | undefined, prompt: string): void {
    // What is said in the middle of a turn begins none.
    if (turn === undefined || turn === conversation.turn) return;
    conversation.turn = turn;
    conversation.hasBegun = true;
    const title = conversation.title ?? prompt;
    this.#desk.tell({ ...sourceOf(conversation), kind: "turn-began", prompt }, title);
  }

  #turnEnded(conversation: Conversation): void {
    if (conversation.turn === undefined) return;
    conversation.turn = undefined;
    conversation.patches.clear();
    conversation.commands.clear();
    conversation.asked.clear();
    this.#desk.tell({ ...sourceOf(conversation), kind: "turn-ended" });
  }

  async #statusChanged(id: string, status: unknown): Promise<void> {
    const conversation = await this.#conversationOf(id);
    if (conversation === undefined) return;
    if (isAtWork(status)) await this.#join(conversation);
    else if (conversation.isJoined) await this.#leave(conversation);
  }

  /** It need not be kept in memory for us. */
  async #leave(conversation: Conversation): Promise<void> {
    conversation.isJoined = false;
    this.#turnEnded(conversation);
    await this.#ask("thread/unsubscribe", { threadId: conversation.session });
  }

  /** Undefined: it is none of ours, or cannot be looked at now. */
  async #conversationOf(id: string): Promise<Conversation | undefined> {
    const known = this.#conversations.get(id);
    if (known?.session !== undefined) return known;
    if (known === undefined)
      return await this.#meet(memberOf(await this.#ask("thread/read", { threadId: id }), "thread"));
    if (known.cwd === undefined || !(await this.#desk.isOurs(known.cwd))) return undefined;
    // Its folder has been opened since.
    if (this.#conversations.get(id) === known) this.#conversations.delete(id);
    return await this.#conversationOf(id);
  }

  async #meet(thread: unknown): Promise<Conversation | undefined> {
    const [id, cwd] = [textOf(thread, "id"), textOf(thread, "cwd")];
    if (id === undefined || cwd === undefined) return undefined;
    // Its own errands, such as a title for a conversation, are nobody's.
    const isErrand = memberOf(thread, "ephemeral") === true;
    const isOurs = !isErrand && (await this.#desk.isOurs(cwd));
    const known = this.#conversations.get(id);
    if (this.#hasEnded || known !== undefined) return known?.session === undefined ? undefined : known;
    this.#makeRoom();
    if (!isOurs) {
      this.#conversations.set(id, { cwd: isErrand ? undefined : cwd });
      return undefined;
    }
    const conversation: Conversation = {
      session: id,
      cwd,
      title: titleOf(thread),
      isJoined: false,
      isJoining: false,
      hasMoved: false,
      hasBegun: false,
      turn: undefined,
      reading: undefined,
      patches: new Map(),
      commands: new Set(),
      asked: new Set(),
    };
    this.#conversations.set(id, conversation);
    if (isAtWork(memberOf(thread, "status"))) await this.#join(conversation);
    return conversation;
  }

  /** What is forgotten is asked for once it is heard of again. */
  #makeRoom(): void {
    if (this.#conversations.size < mostConversations) return;
    for (const [id, one] of this.#conversations) {
      if (one.session !== undefined && (one.isJoined || one.isJoining || one.hasBegun)) continue;
      this.#conversations.delete(id);
      return;
    }
  }

  /** From now on its events and questions come; those that wait already, too. */
  async #join(conversation: Conversation): Promise<void> {
    if (conversation.isJoined || conversation.isJoining) {
      conversation.hasMoved = true;
      return;
    }
    conversation.isJoining = true;
    let thread: unknown;
    do {
      conversation.hasMoved = false;
      const resumed = await this.#ask("thread/resume", { threadId: conversation.session, excludeTurns: true });
      thread = memberOf(resumed, "thread");
      // One that has just begun is not there yet: its next word comes soon, or has come.
    } while (thread === undefined && conversation.hasMoved && !this.#hasEnded);
    conversation.isJoining = false;
    if (thread === undefined || this.#hasEnded) return;
    conversation.isJoined = true;
    conversation.title = titleOf(thread) ?? conversation.title;
    // It may have become idle meanwhile.
    if (isAtWork(memberOf(thread, "status"))) await this.#findTurn(conversation);
    else await this.#leave(conversation);
  }

  /** Its turn may have begun before we came. */
  async #findTurn(conversation: Conversation): Promise<void> {
    const asked = { threadId: conversation.session, limit: 1, sortDirection: "desc" };
    const turns = memberOf(await this.#ask("thread/turns/list", asked), "data");
    const [turn] = Array.isArray(turns) ? turns : [];
    if (textOf(turn, "status") !== "inProgress" || !conversation.isJoined) return;
    const items = memberOf(turn, "items");
    const first = Array.isArray(items) ? items.find((item) => textOf(item, "type") === "userMessage") : undefined;
    if (first !== undefined) this.#turnBegan(conversation, textOf(turn, "id"), promptOf(first));
  }

  #resolved(requestId: unknown): void {
    const key = keyOf(requestId);
    this.#questions.get(key)?.abort();
    this.#questions.delete(key);
  }

  async #question(method: string, id: number | string, params: unknown): Promise<void> {
    const key = keyOf(id);
    const conversation = this.#conversations.get(textOf(params, "threadId") ?? "");
    const item = textOf(params, "itemId");
    // What it asks besides is answered in its terminal; what it asks again is answered already, or being asked.
    if (conversation?.session === undefined || item === undefined || this.#questions.has(key)) return;
    const asking = new AbortController();
    this.#questions.set(key, asking);
    const { signal } = asking;
    let answer: ServiceAnswer = { kind: "leave" };
    if (method === "item/fileChange/requestApproval" && (memberOf(params, "grantRoot") ?? null) === null) {
      const changes = await this.#changesOf(conversation, item);
      if (changes !== undefined && !signal.aborted) {
        conversation.asked.add(item);
        answer = await this.#desk.askAboutPatch({ ...sourceOf(conversation), changes, signal });
      }
    } else if (method === "item/commandExecution/requestApproval" && isAboutCommand(params)) {
      this.#commandBegan(conversation, item, params);
      answer = await this.#desk.askAboutCommand({ ...sourceOf(conversation), ...commandOf(params), signal });
    }
    if (answer.kind === "leave" || signal.aborted || this.#hasEnded) return;
    if (answer.kind === "decline" && answer.reason !== undefined) {
      await this.#tellReason(conversation, params, answer.reason);
    }
    this.#wire.send({ id, result: { decision: answer.kind } });
  }

  /** Before the no: so its model reads both in one turn. */
  async #tellReason({ session }: Conversation, params: unknown, text: string): Promise<void> {
    const expectedTurnId = textOf(params, "turnId");
    if (expectedTurnId === undefined) return;
    const input = [{ type: "text", text, text_elements: [] }];
    await this.#ask("turn/steer", { threadId: session, expectedTurnId, input });
  }

  /** What a patch changes; of one that has been asked about before we came, the conversation itself tells. */
  async #changesOf(conversation: Conversation, item: string): Promise<readonly HookChange[] | undefined> {
    const { changesOf } = await import("./service-changes.ts");
    const known = conversation.patches.get(item);
    if (known !== undefined) return changesOf(known);
    const turns = await this.#turnsOf(conversation);
    for (const turn of Array.isArray(turns) ? turns.toReversed() : []) {
      const items = memberOf(turn, "items");
      const found = Array.isArray(items) ? items.find((one) => textOf(one, "id") === item) : undefined;
      if (found !== undefined) return changesOf(memberOf(found, "changes"));
    }
    return undefined;
  }

  /** The whole conversation: it may be long. */
  async #turnsOf(conversation: Conversation): Promise<unknown> {
    const { session } = conversation;
    const { expected } = this.#wire;
    if (conversation.reading === undefined) {
      if (expected.has(session)) return undefined;
      expected.add(session);
      conversation.reading = this.#ask("thread/resume", { threadId: session, excludeTurns: false });
    }
    const whole = await conversation.reading;
    conversation.reading = undefined;
    if (!this.#hasEnded) expected.delete(session);
    return memberOf(memberOf(whole, "thread"), "turns");
  }

  #gone(conversation: Conversation | Other): void {
    if (conversation.session === undefined || !conversation.hasBegun) return;
    this.#desk.tell({ ...sourceOf(conversation), kind: "session-ended" });
  }
}

function sourceOf({ session, cwd }: Conversation): ServiceSource {
  return { session, cwd };
}

/** Numbers and texts are told apart. */
function keyOf(requestId: unknown): string {
  return JSON.stringify(requestId) ?? "";
}

/** Input for a running command, access to a host and what its user is to run by themselves are asked about with other words. */
function isAboutCommand(params: unknown): boolean {
  const [kind, access] = [textOf(params, "kind") ?? "command", memberOf(params, "networkApprovalContext")];
  return kind === "command" && textOf(params, "command") !== undefined && (access === undefined || access === null);
}

function isAtWork(status: unknown): boolean {
  return textOf(status, "type") === "active";
}

function titleOf(thread: unknown): string | undefined {
  return [textOf(thread, "name"), textOf(thread, "preview")].find((text) => text !== undefined && text !== "");
}

function promptOf(item: unknown): string {
  const content = memberOf(item, "content");
  const texts = Array.isArray(content) ? content.flatMap((part) => textOf(part, "text") ?? []) : [];
  return texts.join("\n");
}

/** As its model said it, without the shell around it, where that is told. */
function commandOf(told: unknown): { readonly command: string; readonly directory: string | undefined } {
  const whole = textOf(told, "command") ?? "";
  const actions = memberOf(told, "commandActions");
  const only = Array.isArray(actions) && actions.length === 1 ? textOf(actions[0], "command") : undefined;
  // What is shown is what runs: only where the whole says just that.
  const isWhole = only !== undefined && whole.endsWith(`-lc '${only}'`);
  return { command: isWhole ? only : whole, directory: textOf(told, "cwd") };
}
