import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import { type ConnectionContext, ConnectionTable, Heartbeat, SessionIds, type TableEntry } from "./connection-table.ts";
import type { EndpointLimits, EndpointOptions, HookAcceptor } from "./endpoint.ts";
import { EventFrames, portsOf } from "./event-stream.ts";
import { McpRoute } from "./mcp-route.ts";
import type { WebSocketDoor } from "./websocket-door.ts";
import type { Disposable } from "../support/disposable.ts";
import { refuse, rpcCodes } from "./answers.ts";
import { parseLargeJson } from "./json-rpc.ts";
import { type BodyResult, collectBody } from "./request-body.ts";
import { WaitingTexts, writeAtPace } from "./waiting-texts.ts";
import { jsonLine, type PiecedText } from "../support/json-pieces.ts";

/** How long streams and sockets may take to end by themselves when the endpoint closes, ms. */
const closeGraceMs = 500;

/** Everything that serves agents who are in. Loaded with the first of them; what speaks WebSocket with the first WebSocket. */
export class AgentService {
  readonly #options: EndpointOptions;
  readonly #heartbeat: Heartbeat;
  readonly #table: ConnectionTable<TableEntry>;
  readonly #ids: SessionIds;
  readonly #context: ConnectionContext;
  readonly #route: McpRoute;
  readonly #door: LoadOnce<WebSocketDoor> = new LoadOnce(async () => {
    const { WebSocketDoor } = await import("./websocket-door.ts");
    return new WebSocketDoor({
      context: this.#context,
      acceptor: this.#options.acceptor,
      ids: this.#ids,
      table: this.#table,
      heartbeat: this.#heartbeat,
    });
  });

  readonly #hooks: HookRoute;

  constructor(limits: EndpointLimits, options: EndpointOptions) {
    const { clock, logger, acceptor } = options;
    const onListenerFailure = (error: unknown): void => logger.error("A listener failed.", { cause: messageOf(error) });
    this.#options = options;
    const waiting = new WaitingTexts({ storage: options.storage, logger, token: () => options.random.token(8) });
    waiting
      .sweep()
      .catch((error: unknown) => logger.warn("Old answers could not be removed", { reason: messageOf(error) }));
    this.#heartbeat = new Heartbeat(clock, limits.keepAliveMs);
    this.#table = new ConnectionTable(acceptor, this.#heartbeat, limits, onListenerFailure);
    this.#ids = new SessionIds(options.sessionKey, options.random);
    this.#context = {
      clock,
      logger,
      limits,
      frames: new EventFrames(clock.now()),
      waiting,
      onListenerFailure,
      leave: (entry, why) => this.#table.remove(entry, why),
      considerIdle: (entry, nowMs) => this.#table.considerIdle(entry, nowMs),
    };
    this.#hooks = new HookRoute({ context: this.#context, hooks: options.hooks });
    this.#route = new McpRoute({ context: this.#context, acceptor, ids: this.#ids, table: this.#table });
  }

  /** Answers a request to `/mcp` that the guard has let in. */
  handle(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    this.#route.handle(request, response, tokenName);
  }

  /** Answers a hook that the guard has let in. */
  answerHook(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    this.#hooks.handle(request, response, tokenName);
  }

  /** Completes a WebSocket upgrade that the guard has let in. */
  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer, tokenName: string): Promise<void> {
    (await this.#door.get()).upgrade(request, socket, head, tokenName);
  }

  /** Ends all streams and WebSockets; resolves when they are gone, or after a moment. */
  async close(comeBackMs: number | undefined): Promise<void> {
    this.#heartbeat.stop();
    const door = await this.#door.settled();
    this.#hooks.close();
    const ends = this.#table.entries
      .filter((entry) => entry.kind === "streamable-http")
      .map((entry) => new Promise<void>((resolve) => entry.shut({ comeBackMs, onEnded: resolve })));
    if (door !== undefined) ends.push(new Promise((resolve) => door.close(resolve)));
    await this.#withinGrace(Promise.all(ends));
    door?.terminate();
    for (const entry of this.#table.entries) {
      if (entry.kind === "websocket" && this.#table.remove(entry, "closed")) entry.shut();
    }
  }

  async #withinGrace(ended: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = this.#context.clock.setTimeout(resolve, closeGraceMs);
      ended.then(() => resolve(), reject).finally(() => timer.dispose());
    });
  }
}

/** Header in which a hook names its process. */
const hookProcessHeader = "patchbay-hook-process";
const hookAgentHeader = "patchbay-hook-agent";

/** So often a hook that waits is told that the companion lives, ms. */
export const hookBeatMs = 20_000;

/** Hooks that wait at once; a further one is told no where its user wants to be asked. */
const mostWaiting = 256;

export interface HookRouteOptions {
  readonly context: Pick<ConnectionContext, "clock" | "limits" | "logger" | "waiting">;
  readonly hooks: HookAcceptor | undefined;
}

/**
 * What `/hook` answers to requests that the guard has let in: lines of JSON, the last of which says what the hook is to print
 * (docs/decisions/0007-hooks.md).
 */
export class HookRoute {
  readonly #options: HookRouteOptions;
  readonly #waiting: Set<ServerResponse> = new Set();

  constructor(options: HookRouteOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    const { headers } = request;
    if (headers["content-type"] !== "application/json" || headers["content-encoding"] !== undefined) {
      this.#refuse(request, response, 415, "The body must be application/json.");
      return;
    }
    if (headers.expect !== undefined) response.writeContinue();
    collectBody(request, this.#options.context.limits.maximumMessageBytes, (result) => {
      if (result.kind === "cut") return;
      const event = readEvent(result);
      if (event === undefined) void this.#answerUnreadable(request, response, tokenName);
      else void this.#answer(request, response, tokenName, event.value);
    });
  }

  /** The connection ends with the answer: the rest of the body is not read. */
  async #answerUnreadable(request: IncomingMessage, response: ServerResponse, tokenName: string): Promise<void> {
    const { hooks, context } = this.#options;
    const call = { tokenName, agent: agentOf(request), pid: processOf(request), ports: portsOf(request.socket) };
    const output = await hooks?.answerUnreadable?.(call).catch((error: unknown) => {
      context.logger.error("A hook could not be answered.", { cause: messageOf(error) });
      return undefined;
    });
    if (output === undefined) {
      this.#refuse(request, response, 400, "The event cannot be read.");
      return;
    }
    response.shouldKeepAlive = false;
    response.writeHead(400, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    response.end(`${JSON.stringify({ state: "done", output })}\n`);
  }

  /** Nobody is answered any more: hooks that wait look for another companion. */
  close(): void {
    for (const response of this.#waiting) response.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, tokenName: string, event: unknown): Promise<void> {
    const { hooks, context } = this.#options;
    const gone = new AbortController();
    let beat: Disposable | undefined;
    const schedule = (): void => {
      beat = context.clock.setTimeout(() => {
        response.write("\n");
        schedule();
      }, hookBeatMs);
    };
    response.on("close", () => gone.abort());
    // A write that meets a reset connection is told by "close".
    response.on("error", () => undefined);
    response.shouldKeepAlive = false;
    response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    response.flushHeaders();
    this.#waiting.add(response);
    try {
      const output = await hooks?.answerHook({
        tokenName,
        agent: agentOf(request),
        event,
        pid: processOf(request),
        ports: portsOf(request.socket),
        signal: gone.signal,
        isOneTooMany: this.#waiting.size > mostWaiting,
        waiting: (late, ifGone) => {
          response.write(`${JSON.stringify({ state: "waiting", late, gone: ifGone })}\n`);
          if (beat === undefined) schedule();
        },
      });
      // A beat in the middle of a line would end it.
      beat?.dispose();
      // Who is cut off without a last line asks again: the editor may come back.
      await this.#writeText(response, jsonLine(output === undefined ? { state: "none" } : { state: "done", output }));
    } catch (error) {
      context.logger.error("A hook could not be answered.", { cause: messageOf(error) });
    } finally {
      beat?.dispose();
      this.#waiting.delete(response);
      response.end();
    }
  }

  async #writeText(response: ServerResponse, pieced: PiecedText): Promise<void> {
    const text = this.#options.context.waiting.hold(pieced);
    try {
      await writeAtPace(response, text);
    } finally {
      text.dispose();
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: string): void {
    refuse(request, response, this.#options.context.clock, { status, reason, code: rpcCodes.refused });
  }
}

function readEvent(result: BodyResult): { readonly value: unknown } | undefined {
  if (result.kind !== "complete") return undefined;
  try {
    return { value: typeof result.text === "string" ? JSON.parse(result.text) : parseLargeJson(result.text) };
  } catch {
    return undefined;
  }
}

function agentOf({ headers }: IncomingMessage): string | undefined {
  const agent = headers[hookAgentHeader];
  return typeof agent === "string" ? agent : undefined;
}

function processOf({ headers }: IncomingMessage): number | undefined {
  const pid = Number(headers[hookProcessHeader]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}
