import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { EndpointAddress } from "../platform/platform.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";
import type { AgentService } from "./agent-service.ts";
import { answerLastStream, endSocket, rawAnswer, refuse } from "./answers.ts";
import type { CloseOptions, Endpoint, EndpointLimits, EndpointOptions } from "./endpoint.ts";
import { createRequestGuard, type RequestGuard } from "./request-guard.ts";

const defaultLimits: EndpointLimits = {
  maximumMessageBytes: 64 * 1024 * 1024,
  maximumSessions: 256,
  maximumUnauthenticated: 256,
  headersTimeoutMs: 5_000,
  bodyTimeoutMs: 60_000,
  idleSessionMs: 60_000,
  keepAliveMs: 30_000,
};

/** How often Node looks for connections that take too long over their headers or body, ms. */
const connectionsCheckMs = 5_000;

/** How long a connection without a request stays open, ms. Longer than agents pause between calls. */
const keepAliveTimeoutMs = 30_000;

/**
 * Opens the one listener that serves all agents: Streamable HTTP on `/mcp`, WebSockets on `/`, on 127.0.0.1 only.
 * Imports nothing but Node's own modules and small files of core; what speaks WebSocket is loaded with the first of them.
 *
 * @throws PatchbayError `port-unavailable` where the port is taken or not allowed, `invalid-argument` for an empty secret.
 */
export async function listenEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const secrets = [options.sessionKey, ...Object.values(options.tokens)];
  if (secrets.includes("")) throw new PatchbayError("invalid-argument", "A token and a session key are needed.");
  const limits: EndpointLimits = { ...defaultLimits, ...options.limits };
  const server = createServer({
    insecureHTTPParser: false,
    // The guard refuses a missing Host like any other request that does not belong here.
    requireHostHeader: false,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.bodyTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(connectionsCheckMs, limits.headersTimeoutMs),
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  const port = await listen(server, options.port);
  return new LoopbackEndpoint(server, { kind: "tcp", port }, limits, options).open();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const why = "code" in error && error.code === "EADDRINUSE" ? "another program has it" : messageOf(error);
      reject(new PatchbayError("port-unavailable", `Port ${port} cannot be used: ${why}.`, { cause: error }));
    };
    server.once("error", fail);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.off("error", fail);
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new PatchbayError("port-unavailable", "The listener has no port."));
    });
  });
}

/** The endpoint on a listening server: has each request looked at by the guard, and loads what serves agents when the first is in. */
class LoopbackEndpoint implements Endpoint {
  readonly address: EndpointAddress;
  readonly #server: Server;
  readonly #limits: EndpointLimits;
  readonly #options: EndpointOptions;
  readonly #guard: RequestGuard;
  /** Sockets that were refused outside of Node's request handling and may still read their answer. */
  readonly #lingering: Set<Duplex> = new Set();
  /** Those that came by the socket beside the port. */
  readonly #local: WeakSet<Duplex> = new WeakSet();
  /** Connections that have not shown the token, the oldest first: they must use up neither memory nor descriptors of the editor. */
  readonly #unauthenticated: Set<Duplex> = new Set();
  readonly #service: LoadOnce<AgentService> = new LoadOnce(async () => {
    const { AgentService } = await import("./agent-service.ts");
    return new AgentService(this.#limits, this.#options);
  });
  // oxlint-disable-next-line patchbay/no-kept-promise -- There is one end, and no second one after it.
  #closing: Promise<void> | undefined;
  #isLeaving = false;
  #comeBackMs: number | undefined;

  constructor(server: Server, address: EndpointAddress, limits: EndpointLimits, options: EndpointOptions) {
    this.address = address;
    this.#server = server;
    this.#limits = limits;
    this.#options = options;
    this.#guard = createRequestGuard({ ...options, address, maximumMessageBytes: limits.maximumMessageBytes });
  }

  get descriptor(): number | undefined {
    // Node tells it in no other way.
    const handle: unknown = Reflect.get(this.#server, "_handle");
    const descriptor: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
    return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
  }

  /** Begins to answer; to be called in the same turn in which the server began to listen. */
  open(): this {
    const server = this.#server;
    const handle = (request: IncomingMessage, response: ServerResponse): void => this.#handle(request, response);
    server.on("connection", (socket) => this.#arrived(socket));
    server.on("request", handle);
    // Without these two Node would ask for a body before the guard has seen the headers.
    server.on("checkContinue", handle);
    server.on("checkExpectation", handle);
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    server.on("connect", (request, socket) => {
      const verdict = this.#guard.check(request, false, this.#local.has(request.socket));
      this.#end(socket, verdict.kind === "refused" ? verdict.status : 405);
    });
    server.on("clientError", (error, socket) => this.#clientError(error, socket));
    server.on("error", (error) => this.#options.logger.error("The listener failed.", { cause: messageOf(error) }));
    return this;
  }

  take(connection: Socket): void {
    if (this.#closing !== undefined) {
      connection.destroy();
      return;
    }
    this.#local.add(connection);
    this.#server.emit("connection", connection);
  }

  #arrived(socket: Socket): void {
    this.#unauthenticated.add(socket);
    socket.once("close", () => this.#unauthenticated.delete(socket));
    if (this.#unauthenticated.size <= this.#limits.maximumUnauthenticated) return;
    const [oldest] = this.#unauthenticated;
    oldest?.destroy();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const verdict = this.#guard.check(request, false, this.#local.has(request.socket));
    if (verdict.kind === "admitted") this.#unauthenticated.delete(request.socket);
    if (verdict.kind === "refused") refuse(request, response, this.#options.clock, verdict);
    else if (verdict.route === "hook") this.#hook(request, response, verdict.tokenName);
    else if (this.#isLeaving && request.method === "GET") answerLastStream(request, response, this.#comeBackMs);
    else if (this.#closing !== undefined) this.#unavailable(request, response, "The endpoint is closing.");
    else if (this.#service.loaded !== undefined) this.#service.loaded.handle(request, response, verdict.tokenName);
    else {
      this.#service
        .get()
        .then((service) => service.handle(request, response, verdict.tokenName))
        .catch((error: unknown) => {
          this.#options.logger.error("An agent could not be served.", { cause: messageOf(error) });
          if (!response.headersSent) this.#unavailable(request, response, "The endpoint cannot serve agents.");
        });
    }
  }

  #hook(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    if (this.#closing !== undefined || this.#isLeaving) {
      this.#unavailable(request, response, "The endpoint is closing.");
      return;
    }
    this.#service
      .get()
      .then((service) => service.answerHook(request, response, tokenName))
      .catch((error: unknown) => {
        this.#options.logger.error("A hook could not be answered.", { cause: messageOf(error) });
        if (!response.headersSent) this.#unavailable(request, response, "The endpoint cannot answer hooks.");
      });
  }

  #unavailable(request: IncomingMessage, response: ServerResponse, reason: string): void {
    refuse(request, response, this.#options.clock, { status: 503, reason });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", ignore);
    const verdict = this.#guard.check(request, true, this.#local.has(request.socket));
    if (verdict.kind === "admitted") this.#unauthenticated.delete(socket);
    if (verdict.kind === "refused") this.#end(socket, verdict.status);
    else if (!(socket instanceof Socket) || this.#closing !== undefined) this.#end(socket, 503);
    else {
      this.#service
        .get()
        .then((service) => service.upgrade(request, socket, head, verdict.tokenName))
        .catch((error: unknown) => {
          this.#options.logger.error("A WebSocket could not be served.", { cause: messageOf(error) });
          socket.destroy();
        });
    }
  }

  #clientError(error: Error, socket: Duplex): void {
    const code = "code" in error ? error.code : undefined;
    // Something was answered on this connection before, or nobody is there: no further answer can be told apart.
    if (code === "ECONNRESET" || (socket instanceof Socket && socket.bytesWritten > 0)) socket.destroy();
    else this.#end(socket, statusOfClientError(code));
  }

  #end(socket: Duplex, status: number): void {
    this.#lingering.add(socket);
    socket.once("close", () => this.#lingering.delete(socket));
    endSocket(socket, rawAnswer(status), this.#options.clock);
  }

  leave(options?: CloseOptions): void {
    this.#isLeaving = true;
    this.#comeBackMs = options?.comeBackMs;
  }

  close(options?: CloseOptions): Promise<void> {
    if (this.#closing === undefined) {
      this.leave(options);
      this.#closing = this.#close(this.#comeBackMs);
    }
    return this.#closing;
  }

  async #close(comeBackMs: number | undefined): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const service = await this.#service.settled();
    await service?.close(comeBackMs);
    this.#server.closeAllConnections();
    for (const socket of this.#lingering) socket.destroy();
    await closed;
  }
}

function ignore(): void {
  // A socket that breaks before its upgrade is done is simply gone.
}

function statusOfClientError(code: unknown): number {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    // A method that Node does not know: like every method without a token.
    case "HPE_INVALID_METHOD":
      return 401;
    default:
      return 400;
  }
}
