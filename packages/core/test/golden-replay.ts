import WebSocket from "ws";

/** A JSON-RPC message as far as a replay looks into it. */
interface RecordedMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly content?: string;
  };
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

export interface TranscriptLine {
  readonly dir: "in" | "out";
  readonly http?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly status?: number;
  };
  readonly ws?: true;
  readonly body?: RecordedMessage;
}

export interface Where {
  readonly port: number;
  readonly token: string;
}

/** Sends what a client had sent, and finds what is answered. */
export interface Replay {
  send(line: TranscriptLine): Promise<void>;
  /** The message that answers as the recorded one did: with its id, or the first unread one with its method. */
  answerLike(recorded: RecordedMessage): Promise<unknown>;
  sawMethod(method: string): Promise<void>;
  end(): void;
}

/** Longest wait for an answer, ms. */
const patienceMs = 5_000;

abstract class Mailbox {
  readonly #messages: RecordedMessage[] = [];
  readonly #read: Set<RecordedMessage> = new Set();
  readonly #waiting: Set<() => void> = new Set();

  protected received(text: string): void {
    this.#messages.push(JSON.parse(text));
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async answerLike(recorded: RecordedMessage): Promise<unknown> {
    const answer = await this.#next((message) =>
      recorded.id === undefined
        ? message.method === recorded.method && !this.#read.has(message)
        : message.id === recorded.id && message.method === undefined,
    );
    this.#read.add(answer);
    return answer;
  }

  async sawMethod(method: string): Promise<void> {
    await this.#next((message) => message.method === method);
  }

  async #next(matches: (message: RecordedMessage) => boolean): Promise<RecordedMessage> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = this.#messages.find(matches);
      if (found !== undefined) return found;
      if (performance.now() > until) throw new Error("The recorded answer did not come.");
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        setTimeout(resolve, until - performance.now()).unref();
      });
    }
  }
}

/** Streamable HTTP: each recorded request again, with this run's token and session. */
export class HttpReplay extends Mailbox implements Replay {
  readonly #where: Where;
  readonly #ended: AbortController = new AbortController();
  #session: string | undefined;

  constructor(where: Where) {
    super();
    this.#where = where;
  }

  async send(line: TranscriptLine): Promise<void> {
    const method = line.http?.method ?? "POST";
    const headers: Record<string, string> = { ...line.http?.headers, authorization: `Bearer ${this.#where.token}` };
    delete headers["host"];
    if (headers["mcp-session-id"] !== undefined) headers["mcp-session-id"] = this.#session ?? "";
    const response = await fetch(`http://127.0.0.1:${this.#where.port}/mcp`, {
      method,
      headers,
      signal: this.#ended.signal,
      ...(line.body === undefined ? {} : { body: JSON.stringify(line.body) }),
    });
    this.#session ??= response.headers.get("mcp-session-id") ?? undefined;
    if (!response.ok) throw new Error(`The companion answered ${response.status}.`);
    if (method === "GET") void this.#read(response);
    else if (response.status === 200) this.received(await response.text());
  }

  end(): void {
    this.#ended.abort();
  }

  async #read(response: Response): Promise<void> {
    let rest = "";
    try {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const events = (rest + chunk).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) {
          const data = /^data: ?(.+)$/mu.exec(event)?.[1];
          if (data !== undefined) this.received(data);
        }
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) throw error;
    }
  }
}

/** WebSocket: the recorded handshake and messages again. */
export class WebSocketReplay extends Mailbox implements Replay {
  readonly #where: Where;
  #socket: WebSocket | undefined;

  constructor(where: Where) {
    super();
    this.#where = where;
  }

  async send(line: TranscriptLine): Promise<void> {
    if (line.ws === true) {
      this.#socket?.send(JSON.stringify(line.body));
      return;
    }
    const recorded = line.http?.headers ?? {};
    const socket = new WebSocket(
      `ws://127.0.0.1:${this.#where.port}/`,
      recorded["sec-websocket-protocol"]?.split(", ") ?? [],
      {
        headers: { "user-agent": recorded["user-agent"] ?? "", "x-claude-code-ide-authorization": this.#where.token },
      },
    );
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.received(data.toString("utf8")));
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => resolve());
      socket.once("error", reject);
    });
  }

  end(): void {
    this.#socket?.terminate();
  }
}
