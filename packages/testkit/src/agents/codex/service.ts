import { chmodSync, existsSync, lutimesSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { createHash, randomUUID } from "node:crypto";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod";

/** Where a scripted service runs. */
export interface CodexServiceOptions {
  /** `$CODEX_HOME`. */
  readonly home: string;
  readonly temporaryDirectory: string;
  /** What it says to `initialize`; default: what version 0.171.0 says. */
  readonly greeting?: unknown;
  /** Since when it listens; default: a minute ago. */
  readonly since?: Date;
  /** Takes connections and answers nothing. */
  readonly isSilent?: boolean;
  /** Leaves the link of the service before it as it is. */
  readonly keepsLink?: boolean;
}

/** One file of a patch, as the service tells it. */
export interface CodexFileChange {
  readonly path: string;
  readonly kind: { readonly type: "add" | "delete" } | { readonly type: "update"; readonly move_path: string | null };
  readonly diff: string;
}

type Json = Readonly<Record<string, unknown>>;

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.object({ decision: z.string() }).optional(),
});

/** What somebody has answered, and how. */
export interface CodexDecision {
  readonly by: "editor" | "terminal";
  readonly decision: string;
}

interface Pending {
  readonly request: Json & { readonly id: number };
  readonly settle: (decision: CodexDecision) => void;
}

/** The service in the background that the terminals of Codex CLI 0.171.0 share, without a model, as docs/protocols/codex.md has it. */
export class CodexService {
  readonly #options: CodexServiceOptions;
  readonly #clients: Set<WebSocket> = new Set();
  readonly #conversations: Map<string, CodexConversation> = new Map();
  readonly #server: Server = createServer();
  /** What clients have asked for, in order. */
  readonly asked: string[] = [];
  #place = "";

  constructor(options: CodexServiceOptions) {
    this.#options = options;
  }

  /** Where clients look for it: a link to the socket. */
  get link(): string {
    return join(this.#options.home, "app-server-control", "app-server-control.sock");
  }

  /** The socket itself. */
  get place(): string {
    return this.#place;
  }

  /** How many are connected. */
  get clients(): number {
    return this.#clients.size;
  }

  async listen(): Promise<void> {
    const directory = join(this.#options.temporaryDirectory, "codex-daemon");
    for (const one of [directory, dirname(this.link)]) mkdirSync(one, { recursive: true, mode: 0o700 });
    this.#place = join(directory, createHash("sha256").update(this.link).digest("hex"));
    rmSync(this.#place, { force: true });
    const sockets = new WebSocketServer({ server: this.#server, perMessageDeflate: false });
    sockets.on("connection", (client) => {
      this.#clients.add(client);
      client.on("close", () => this.#left(client));
      client.on("error", () => {});
      client.on("message", (data) => {
        if (Buffer.isBuffer(data)) this.#heard(client, messageSchema.parse(JSON.parse(data.toString("utf8"))));
      });
    });
    await new Promise<void>((resolve) => this.#server.listen(this.#place, resolve));
    chmodSync(this.#place, 0o600);
    const since = this.#options.since ?? new Date(Date.now() - 60_000);
    lutimesSync(this.#place, since, since);
    if (this.#options.keepsLink === true) return;
    rmSync(this.link, { force: true });
    symlinkSync(this.#place, this.link);
    lutimesSync(this.link, since, since);
  }

  /** It ends as a program that is killed does: what is there of it stays. */
  async kill(): Promise<void> {
    for (const client of this.#clients) client.terminate();
    if (!this.#server.listening) return;
    // Whoever closes a server takes its socket away.
    const kept = `${this.#place}.kept`;
    const isThere = existsSync(this.#place);
    if (isThere) renameSync(this.#place, kept);
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    if (isThere) renameSync(kept, this.#place);
  }

  /** The user begins a conversation in a terminal. */
  begin(cwd: string): CodexConversation {
    const conversation = new CodexConversation(cwd, (message, to) => {
      for (const client of to ?? this.#clients) client.send(JSON.stringify(message));
    });
    this.#conversations.set(conversation.id, conversation);
    conversation.told();
    return conversation;
  }

  #left(client: WebSocket): void {
    this.#clients.delete(client);
    for (const conversation of this.#conversations.values()) conversation.subscribers.delete(client);
  }

  #heard(client: WebSocket, { id, method, params = {}, result }: z.infer<typeof messageSchema>): void {
    if (method === undefined) {
      if (typeof id !== "number" || result === undefined) return;
      for (const one of this.#conversations.values()) one.answer(id, { by: "editor", decision: result.decision });
      return;
    }
    this.asked.push(method);
    if (id === undefined || this.#options.isSilent === true) return;
    const reply = this.#reply(client, method, params);
    const error = { code: -32600, message: "no rollout found for thread id" };
    client.send(JSON.stringify(reply === undefined ? { id, error } : { id, result: reply.result }));
    reply?.after?.();
  }

  #reply(
    client: WebSocket,
    method: string,
    params: Json,
  ): { readonly result: unknown; readonly after?: () => void } | undefined {
    if (method === "initialize") {
      const told = { userAgent: "codex-tui/0.171.0", codexHome: this.#options.home, platformFamily: "unix" };
      return { result: this.#options.greeting ?? told };
    }
    if (method === "thread/loaded/list") {
      return { result: { data: Array.from(this.#conversations.keys()), nextCursor: null } };
    }
    const conversation = this.#conversations.get(String(params["threadId"]));
    if (conversation === undefined) return undefined;
    switch (method) {
      case "thread/read":
        return { result: { thread: conversation.facts([]) } };
      case "thread/resume": {
        if (!conversation.hasBegun) return undefined;
        conversation.subscribers.add(client);
        const turns = params["excludeTurns"] === true ? [] : conversation.turns;
        // What waits is asked once more, under its number.
        const after = (): void => conversation.askAgain(client);
        return { result: { thread: conversation.facts(turns), cwd: conversation.cwd }, after };
      }
      case "thread/turns/list":
        return { result: { data: conversation.turns.slice(-1), nextCursor: null } };
      case "thread/unsubscribe":
        conversation.subscribers.delete(client);
        return { result: { status: "unsubscribed" } };
      case "turn/steer":
        return conversation.steer(params) ? { result: { turnId: params["expectedTurnId"] } } : undefined;
      default:
        throw new Error(`Nobody is to ask for ${method}.`);
    }
  }
}

/** One conversation of a scripted service. */
export class CodexConversation {
  readonly id: string = randomUUID();
  readonly cwd: string;
  readonly subscribers: Set<WebSocket> = new Set();
  /** What was put into its turns by `turn/steer`. */
  readonly steered: string[] = [];
  readonly #send: (message: Json, to?: ReadonlySet<WebSocket>) => void;
  readonly #pending: Map<number, Pending> = new Map();
  #turn: { readonly id: string; readonly prompt: string; readonly items: Json[] } | undefined;
  #title = "";
  static #lastRequest = 0;

  constructor(cwd: string, send: (message: Json, to?: ReadonlySet<WebSocket>) => void) {
    this.cwd = cwd;
    this.#send = send;
  }

  get hasBegun(): boolean {
    return this.#title !== "";
  }

  get turns(): readonly Json[] {
    if (this.#turn === undefined) return [];
    const { id, items } = this.#turn;
    return [{ id, status: "inProgress", items }];
  }

  facts(turns: readonly Json[]): Json {
    const { id, cwd } = this;
    return { id, cwd, ephemeral: false, name: null, preview: this.#title, status: this.#status, turns };
  }

  /** All clients hear of a new one, before it can be joined. */
  told(): void {
    this.#send({ method: "thread/started", params: { thread: this.facts([]) } });
  }

  /** The user gives a prompt. */
  prompt(prompt: string): void {
    this.#title ||= prompt;
    const message = { type: "userMessage", id: randomUUID(), content: [{ type: "text", text: prompt }] };
    this.#turn = { id: randomUUID(), prompt, items: [] };
    this.#tellStatus();
    this.#tell("turn/started", { turn: { id: this.#turn.id, items: [], status: "inProgress" } });
    this.#turn.items.push(message);
    this.#tell("item/started", { turnId: this.#turn.id, item: message });
  }

  /** The turn ends. */
  end(status: "completed" | "interrupted" = "completed"): void {
    const id = this.#turn?.id;
    this.#turn = undefined;
    this.#tellStatus();
    this.#tell("turn/completed", { turn: { id, status } });
  }

  /** The model applies a patch about which its user is asked. `write`: what the patch does. */
  async patch(changes: readonly CodexFileChange[], write: () => void): Promise<CodexDecision> {
    const item = this.#begin({ type: "fileChange", changes });
    const decided = await this.#ask("item/fileChange/requestApproval", item.id, {});
    const isYes = decided.decision.startsWith("accept");
    if (isYes) write();
    this.#complete({ ...item, status: isYes ? "completed" : "declined" });
    return decided;
  }

  /** The model applies a patch, and nobody is asked. */
  patchUnasked(changes: readonly CodexFileChange[], write: () => void): void {
    const item = this.#begin({ type: "fileChange", changes });
    write();
    this.#complete({ ...item, status: "completed" });
  }

  /** The model runs a command about which its user is asked. `more`: what else the question says. */
  async command(command: string, more: Json = {}): Promise<CodexDecision> {
    const told = {
      command: `/bin/bash -lc '${command}'`,
      cwd: this.cwd,
      commandActions: [{ type: "unknown", command }],
    };
    const item = this.#begin({ type: "commandExecution", ...told });
    const decided = await this.#ask("item/commandExecution/requestApproval", item.id, {
      kind: "command",
      ...told,
      ...more,
    });
    const isYes = decided.decision.startsWith("accept");
    this.#complete({ ...item, status: isYes ? "completed" : "declined" });
    return decided;
  }

  /** The user answers in the terminal. */
  answerInTerminal(decision: "accept" | "decline"): void {
    for (const id of this.#pending.keys()) this.answer(id, { by: "terminal", decision });
  }

  /** Whoever is first. */
  answer(id: number, decision: CodexDecision): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#tell("serverRequest/resolved", { requestId: id });
    this.#tellStatus();
    pending.settle(decision);
  }

  askAgain(client: WebSocket): void {
    for (const { request } of this.#pending.values()) this.#send(request, new Set([client]));
  }

  steer({ expectedTurnId, input }: Json): boolean {
    if (this.#turn === undefined || expectedTurnId !== this.#turn.id) return false;
    const { text } = z.tuple([z.object({ type: z.literal("text"), text: z.string() })]).parse(input)[0];
    this.steered.push(text);
    const message = { type: "userMessage", id: randomUUID(), content: [{ type: "text", text }] };
    this.#tell("item/started", { turnId: this.#turn.id, item: message });
    return true;
  }

  get #status(): Json {
    if (this.#turn === undefined) return { type: "idle" };
    return { type: "active", activeFlags: this.#pending.size === 0 ? [] : ["waitingOnApproval"] };
  }

  /** All clients hear of it. */
  #tellStatus(): void {
    this.#send({ method: "thread/status/changed", params: { threadId: this.id, status: this.#status } });
  }

  #tell(method: string, params: Json): void {
    this.#send({ method, params: { threadId: this.id, ...params } }, this.subscribers);
  }

  #begin(given: Json): Json & { readonly id: string } {
    const item = { ...given, id: randomUUID(), status: "inProgress" };
    this.#turn?.items.push(item);
    this.#tell("item/started", { turnId: this.#turn?.id, item });
    return item;
  }

  #complete(item: Json): void {
    this.#tell("item/completed", { turnId: this.#turn?.id, item });
  }

  async #ask(method: string, itemId: string, more: Json): Promise<CodexDecision> {
    const id = CodexConversation.#lastRequest++;
    const params = { threadId: this.id, turnId: this.#turn?.id, itemId, reason: null, ...more };
    const decided = new Promise<CodexDecision>((settle) => {
      this.#pending.set(id, { request: { id, method, params }, settle });
    });
    this.#tellStatus();
    this.#send({ id, method, params }, this.subscribers);
    return await decided;
  }
}
