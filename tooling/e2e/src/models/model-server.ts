import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";

/** What the scripted model says when it is asked next. */
export type Turn =
  | { readonly kind: "text"; readonly text: string }
  | ({ readonly kind: "tool" } & ToolCall)
  /** Several calls in one answer. */
  | { readonly kind: "tools"; readonly calls: readonly ToolCall[] }
  /** A text in pieces, as they come. */
  | { readonly kind: "stream"; readonly pieces: AsyncIterable<string> };

/** What the model asks its agent to do. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One request as the model service received it. */
export interface ModelRequest {
  readonly path: string;
  readonly text: string;
  /** The conversation itself, not one of the side errands (titles, routing, counting) on which agents send their model. */
  readonly isConversation: boolean;
}

/** How one vendor's service speaks. */
export interface ModelProtocol {
  /** Whether a request is a turn of the conversation; side errands get {@link answerErrand}. */
  isConversation(path: string, body: Readonly<Record<string, unknown>>): boolean;
  answer(reply: ServerResponse, turn: Turn, call: number): void | Promise<void>;
  answerErrand(reply: ServerResponse, path: string, body: Readonly<Record<string, unknown>>): void | Promise<void>;
}

/** A model service on loopback that says what the script tells it to and remembers what it was asked. */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  #turns: Turn[] = [];
  #calls = 0;
  #held: Promise<void> = Promise.resolve();
  readonly #asked: Set<() => void> = new Set();
  readonly #server = createServer((request, reply) => {
    this.#serve(request, reply).catch((error: unknown) => {
      reply.writeHead(500).end(String(error));
    });
  });
  readonly #protocol: ModelProtocol;

  constructor(protocol: ModelProtocol) {
    this.#protocol = protocol;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the model server does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Puts turns at the end of the script. When it is used up, the model says that it is done. */
  play(...turns: readonly Turn[]): void {
    this.#turns.push(...turns);
  }

  /** From now on the model thinks, until the function that comes back is called. */
  hold(): () => void {
    let release = (): void => {};
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  /** Resolves when the conversation asks the next time, before it is answered. */
  async untilAsked(): Promise<void> {
    await new Promise<void>((resolve) => this.#asked.add(resolve));
  }

  /** Bodies of the conversation's requests, oldest first. */
  get conversation(): readonly string[] {
    return this.requests.filter((request) => request.isConversation).map((request) => request.text);
  }

  /** The number of requests of the conversation so far. */
  get turnsAsked(): number {
    return this.conversation.length;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const text = await readText(request);
    const body = parseObject(text);
    if (request.method !== "POST") {
      reply.writeHead(200, { "content-type": "application/json" }).end("{}");
      return;
    }
    const isConversation = this.#protocol.isConversation(path, body);
    if (isConversation) {
      for (const wake of this.#asked) wake();
      this.#asked.clear();
      await this.#held;
    }
    this.requests.push({ path, text, isConversation });
    if (!isConversation) {
      await this.#protocol.answerErrand(reply, path, body);
      return;
    }
    this.#calls += 1;
    await this.#protocol.answer(reply, this.#turns.shift() ?? { kind: "text", text: "All done." }, this.#calls);
  }
}

/** Starts a model server. */
export async function listenModelServer(protocol: ModelProtocol): Promise<ModelServer> {
  const server = new ModelServer(protocol);
  await server.listen();
  return server;
}

/** What a turn asks its agent to do, with an id for each call. */
export function toolCalls(turn: Turn, answer: number): readonly (ToolCall & { readonly id: string })[] {
  if (turn.kind === "text" || turn.kind === "stream") return [];
  const calls = turn.kind === "tool" ? [turn] : turn.calls;
  return calls.map(({ name, input }, index) => ({ name, input, id: index === 0 ? `${answer}` : `${answer}_${index}` }));
}

/** An answer that the model gives piece by piece, as a scenario says them. */
export class SpokenAnswer {
  readonly #pieces: string[] = [];
  #isOver = false;
  #wake: () => void = () => {};

  get turn(): Turn {
    return { kind: "stream", pieces: this.#spoken() };
  }

  say(text: string): void {
    this.#pieces.push(text);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *#spoken(): AsyncGenerator<string, void> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** Writes one event of a stream. */
export function writeEvent(reply: ServerResponse, data: unknown, event?: string): void {
  if (!reply.headersSent) {
    reply.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  }
  reply.write(
    `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
  );
}

/** Answers with one JSON document. */
export function writeJson(reply: ServerResponse, document: unknown): void {
  reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // Some errands have no body; the path says enough.
    return {};
  }
}

/** Whether a value is an object with string keys. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a request offers tools to the model: that is what tells a conversation from an errand. */
export function offersTools(body: Readonly<Record<string, unknown>>): boolean {
  const tools = body["tools"];
  return Array.isArray(tools) && tools.length > 0;
}
