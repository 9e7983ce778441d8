import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { answerEmpty, answerJson, answerLastStream, refuse, rpcCodes, rpcError } from "./answers.ts";
import type { ConnectionContext, SessionIds, ConnectionTable, TableEntry } from "./connection-table.ts";
import type { SessionAcceptor } from "./endpoint.ts";
import { portsOf } from "./event-stream.ts";
import { type IncomingRpc, readRpc } from "./json-rpc.ts";
import { type BodyResult, collectBody } from "./request-body.ts";
import { clientHeaders } from "./request-guard.ts";
import { StreamableHttpTransport } from "./streamable-http-transport.ts";

/** The MCP revisions that have sessions and a stream (seen on the wire: 2025-06-18 and 2025-11-25). */
const protocolVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

type ReadableRpc = Exclude<IncomingRpc, { kind: "invalid" }>;

/**
 * So many requests of one connection are answered at the same time. Agents ask one thing at a time on each; a client that pipelines
 * could otherwise have any number of answers made that it does not read.
 */
const mostUnanswered = 4;

/** The requests of one connection. */
interface RequestLine {
  unanswered: number;
  readonly waiting: (() => void)[];
}

export interface McpRouteOptions {
  readonly context: ConnectionContext;
  readonly acceptor: SessionAcceptor;
  readonly ids: SessionIds;
  readonly table: ConnectionTable<TableEntry>;
}

/** What `/mcp` answers to requests that the guard has let in. */
export class McpRoute {
  readonly #context: ConnectionContext;
  readonly #acceptor: SessionAcceptor;
  readonly #ids: SessionIds;
  readonly #table: ConnectionTable<TableEntry>;
  /** Sessions whose engine is not connected yet. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the engine is connected or is not.
  readonly #connecting: Map<string, Promise<void>> = new Map();
  readonly #lines: WeakMap<Socket, RequestLine> = new WeakMap();

  constructor(options: McpRouteOptions) {
    this.#context = options.context;
    this.#acceptor = options.acceptor;
    this.#ids = options.ids;
    this.#table = options.table;
  }

  handle(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    const { headers, method } = request;
    const version = headers["mcp-protocol-version"];
    if (version !== undefined && (typeof version !== "string" || !protocolVersions.includes(version))) {
      this.#refuse(request, response, 400, "The protocol version is not supported.", { supported: protocolVersions });
      return;
    }
    const told = headers["mcp-session-id"];
    const sessionId = typeof told === "string" && told !== "" ? told : undefined;
    if (method === "POST") this.#inTurn(request, response, () => this.#post(request, response, sessionId, tokenName));
    else if (sessionId === undefined) this.#refuse(request, response, 400, "The header mcp-session-id is missing.");
    else if (method === "GET") this.#get(request, response, sessionId, tokenName);
    else this.#delete(request, response, sessionId);
  }

  /** A further request of a connection waits, unread, while its client does not take the answers to those before it. */
  #inTurn({ socket }: IncomingMessage, response: ServerResponse, go: () => void): void {
    const line = this.#lines.get(socket) ?? { unanswered: 0, waiting: [] };
    this.#lines.set(socket, line);
    const begin = (): void => {
      line.unanswered += 1;
      response.once("close", () => {
        line.unanswered -= 1;
        line.waiting.shift()?.();
      });
      if (!response.destroyed) go();
    };
    if (line.unanswered < mostUnanswered) begin();
    else line.waiting.push(begin);
  }

  #get(request: IncomingMessage, response: ServerResponse, sessionId: string, tokenName: string): void {
    this.#withSession(request, response, sessionId, tokenName, (transport) => {
      if (!response.destroyed) transport.openStream(request, response);
    });
  }

  #delete(request: IncomingMessage, response: ServerResponse, sessionId: string): void {
    const transport = this.#table.find(sessionId);
    if (!(transport instanceof StreamableHttpTransport)) {
      // Also one that is only known by its MAC: it has nothing to end but must not be revived later.
      if (transport !== undefined || this.#ids.verify(sessionId) === undefined || this.#table.hasEnded(sessionId)) {
        this.#refuse(request, response, 404, "Unknown session.");
        return;
      }
      this.#table.remember(sessionId);
    } else if (this.#table.remove(transport, "deleted")) transport.shut();
    answerEmpty(response, 204);
  }

  #post(request: IncomingMessage, response: ServerResponse, sessionId: string | undefined, tokenName: string): void {
    const { headers } = request;
    if (!isJson(headers["content-type"]) || headers["content-encoding"] !== undefined) {
      this.#refuse(request, response, 415, "The body must be application/json.");
      return;
    }
    if (headers.expect !== undefined) response.writeContinue();
    collectBody(request, this.#context.limits.maximumMessageBytes, (result) => {
      const incoming = this.#read(request, response, result);
      if (incoming !== undefined) this.#take(request, response, sessionId, tokenName, incoming);
    });
  }

  /** The message of a body, or undefined after an answer that says why there is none. */
  #read(request: IncomingMessage, response: ServerResponse, result: BodyResult): ReadableRpc | undefined {
    if (result.kind === "cut") return undefined;
    if (result.kind === "too-large") {
      this.#refuse(request, response, 413, "The message is too large.");
      return undefined;
    }
    if (result.kind === "too-deep") {
      this.#refuse(request, response, 400, "The message is nested too deeply.", undefined, rpcCodes.invalidRequest);
      return undefined;
    }
    if (result.kind === "too-many-members") {
      this.#refuse(request, response, 400, "The message has too many members.", undefined, rpcCodes.invalidRequest);
      return undefined;
    }
    if (result.kind === "not-utf8") {
      this.#refuse(request, response, 400, "The message is not valid UTF-8.", undefined, rpcCodes.parseError);
      return undefined;
    }
    const incoming = readRpc(result.text);
    if (incoming.kind !== "invalid") return incoming;
    answerJson(response, 400, rpcError(incoming.id, incoming.code, incoming.reason));
    return undefined;
  }

  #take(
    request: IncomingMessage,
    response: ServerResponse,
    sessionId: string | undefined,
    tokenName: string,
    incoming: ReadableRpc,
  ): void {
    const live = sessionId === undefined ? undefined : this.#table.find(sessionId);
    if (incoming.kind === "request" && incoming.message.method === "initialize") {
      if (live === undefined) void this.#startSession(request, response, tokenName, incoming);
      else
        answerJson(
          response,
          400,
          rpcError(incoming.message.id, rpcCodes.invalidRequest, "The session is already initialized."),
        );
    } else if (sessionId === undefined) {
      const id = incoming.kind === "request" ? incoming.message.id : null;
      answerJson(response, 400, rpcError(id, rpcCodes.refused, "The header mcp-session-id is missing."));
    } else {
      this.#withSession(request, response, sessionId, tokenName, (transport) => transport.receive(incoming, response));
    }
  }

  async #startSession(
    request: IncomingMessage,
    response: ServerResponse,
    tokenName: string,
    incoming: ReadableRpc & { readonly kind: "request" },
  ): Promise<void> {
    const facts = {
      transport: "streamable-http",
      headers: clientHeaders(request.headers),
      initialize: incoming.message.params,
      tokenName,
    } as const;
    const { id } = incoming.message;
    try {
      const ports = portsOf(request.socket);
      const sessionId = this.#ids.issue(await this.#acceptor.recognise({ ...facts, ports }));
      const transport = new StreamableHttpTransport(sessionId, this.#context);
      if (!this.#table.add(transport)) {
        answerJson(response, 503, rpcError(id, rpcCodes.refused, "Too many agents are connected."));
        return;
      }
      await this.#connect(transport, { ...facts, sessionId, transport, dialectHint: undefined });
      transport.receive(incoming, response);
    } catch (error) {
      this.#failed(response, error);
    }
  }

  /** Finds the session, or revives one that an earlier endpoint or an idle end has left behind, and goes on when its engine is connected. */
  #withSession(
    request: IncomingMessage,
    response: ServerResponse,
    sessionId: string,
    tokenName: string,
    go: (transport: StreamableHttpTransport) => void,
  ): void {
    const transport = this.#table.find(sessionId) ?? this.#revive(request, sessionId, tokenName);
    if (transport === "full") {
      // Not 404: by that an agent would take its session for lost.
      this.#refuse(request, response, 503, "Too many agents are connected.");
      return;
    }
    if (!(transport instanceof StreamableHttpTransport)) {
      this.#refuse(request, response, 404, "Unknown session.");
      return;
    }
    const connecting = this.#connecting.get(sessionId);
    if (connecting === undefined) go(transport);
    else {
      connecting
        .then(() => go(transport))
        .catch((error: unknown) => {
          // The editor goes: an error would end the agent's attempts to come back.
          const isLeaving = error instanceof PatchbayError && error.code === "stopped" && request.method === "GET";
          if (isLeaving && !this.#table.hasEnded(sessionId) && !response.headersSent)
            answerLastStream(request, response, undefined);
          else this.#failed(response, error);
        });
    }
  }

  #revive(request: IncomingMessage, sessionId: string, tokenName: string): TableEntry | "full" | undefined {
    if (this.#table.hasEnded(sessionId)) return undefined;
    const dialectHint = this.#ids.verify(sessionId);
    if (dialectHint === undefined) return undefined;
    const transport = new StreamableHttpTransport(sessionId, this.#context);
    if (!this.#table.add(transport)) return "full";
    this.#connect(transport, {
      sessionId,
      transport,
      headers: clientHeaders(request.headers),
      initialize: undefined,
      dialectHint,
      tokenName,
    }).catch((error: unknown) => this.#context.logger.debug("A session was not revived.", { cause: messageOf(error) }));
    return transport;
  }

  /** Has the session's engine built, for which requests of the session wait. A session that cannot be served is let go. */
  #connect(transport: StreamableHttpTransport, connection: Parameters<SessionAcceptor["accept"]>[0]): Promise<void> {
    const connecting = this.#accept(transport, connection).finally(() => this.#connecting.delete(transport.sessionId));
    this.#connecting.set(transport.sessionId, connecting);
    return connecting;
  }

  async #accept(
    transport: StreamableHttpTransport,
    connection: Parameters<SessionAcceptor["accept"]>[0],
  ): Promise<void> {
    try {
      await this.#acceptor.accept(connection);
      transport.started();
    } catch (error) {
      if (this.#table.remove(transport, "dropped")) transport.shut();
      throw error;
    }
  }

  #failed(response: ServerResponse, error: unknown): void {
    if (error instanceof PatchbayError && error.code === "excluded" && !response.headersSent) {
      answerJson(response, 403, rpcError(null, rpcCodes.refused, error.message));
      return;
    }
    this.#context.logger.error("An agent could not be served.", { cause: messageOf(error) });
    if (response.headersSent || response.destroyed) return;
    answerJson(response, 500, rpcError(null, rpcCodes.internalError, "The session could not be started."));
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    reason: string,
    data?: unknown,
    code: number = rpcCodes.refused,
  ): void {
    refuse(request, response, this.#context.clock, { status, reason, data, code });
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase() === "application/json";
}
