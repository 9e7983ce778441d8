import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import { type ConnectionContext, Heartbeat, SessionIds, ConnectionTable, type TableEntry } from "./connection-table.ts";
import type { EndpointLimits, EndpointOptions } from "./endpoint.ts";
import { EventFrames } from "./event-stream.ts";
import type { HookRoute } from "./hook-route.ts";
import { McpRoute } from "./mcp-route.ts";
import type { WebSocketDoor } from "./websocket-door.ts";

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

  readonly #hooks: LoadOnce<HookRoute> = new LoadOnce(async () => {
    const { HookRoute } = await import("./hook-route.ts");
    return new HookRoute({ context: this.#context, hooks: this.#options.hooks });
  });

  constructor(limits: EndpointLimits, options: EndpointOptions) {
    const { clock, logger, acceptor } = options;
    const onListenerFailure = (error: unknown): void => logger.error("A listener failed.", { cause: messageOf(error) });
    this.#options = options;
    this.#heartbeat = new Heartbeat(clock, limits.keepAliveMs);
    this.#table = new ConnectionTable(acceptor, this.#heartbeat, limits, onListenerFailure);
    this.#ids = new SessionIds(options.sessionKey, options.random);
    this.#context = {
      clock,
      logger,
      limits,
      frames: new EventFrames(clock.now()),
      onListenerFailure,
      leave: (entry, why) => this.#table.remove(entry, why),
      considerIdle: (entry, nowMs) => this.#table.considerIdle(entry, nowMs),
    };
    this.#route = new McpRoute({ context: this.#context, acceptor, ids: this.#ids, table: this.#table });
  }

  /** Answers a request to `/mcp` that the guard has let in. */
  handle(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    this.#route.handle(request, response, tokenName);
  }

  /** Answers a hook that the guard has let in. */
  async answerHook(request: IncomingMessage, response: ServerResponse, tokenName: string): Promise<void> {
    (await this.#hooks.get()).handle(request, response, tokenName);
  }

  /** Completes a WebSocket upgrade that the guard has let in. */
  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer, tokenName: string): Promise<void> {
    (await this.#door.get()).upgrade(request, socket, head, tokenName);
  }

  /** Ends all streams and WebSockets; resolves when they are gone, or after a moment. */
  async close(comeBackMs: number | undefined): Promise<void> {
    this.#heartbeat.stop();
    const door = await this.#door.settled();
    (await this.#hooks.settled())?.close();
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
