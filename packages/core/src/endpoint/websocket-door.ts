import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { rpcCodes, rpcError } from "./answers.ts";
import type { ConnectionContext, ConnectionTable, Heartbeat, SessionIds, TableEntry } from "./connection-table.ts";
import type { SessionAcceptor } from "./endpoint.ts";
import { portsOf } from "./event-stream.ts";
import { FrameSplitter, PeerWatch, ReadingGate } from "./websocket-peer.ts";
import { type IncomingRpc, readRpc } from "./json-rpc.ts";
import { BodyText, type TextRefusal } from "./request-body.ts";
import { clientHeaders } from "./request-guard.ts";
import { type WebSocketPeer, WebSocketTransport } from "./websocket-transport.ts";

/** The subprotocol that clients of the Claude protocol require (claude.md, "Transport"). */
const subprotocol = "mcp";

/** How long a peer may take to answer a close, ms. */
const closeTimeoutMs = 2_000;

/** How long a message may take from its first bytes to its end, ms. */
const messageTimeoutMs = 30_000;

export interface WebSocketDoorOptions {
  readonly context: ConnectionContext;
  readonly acceptor: SessionAcceptor;
  readonly ids: SessionIds;
  readonly table: ConnectionTable<TableEntry>;
  readonly heartbeat: Heartbeat;
}

/** Completes upgrades that the guard has let in and makes sessions of them. Loaded with the first of them. */
export class WebSocketDoor {
  readonly #options: WebSocketDoorOptions;
  readonly #server: WebSocketServer;
  readonly #open: Set<WebSocket> = new Set();

  constructor(options: WebSocketDoorOptions) {
    this.#options = options;
    // In a variable, because the type package does not know `closeTimeout` yet.
    const serverOptions = {
      noServer: true,
      // The watch answers pings, at the pace at which the peer reads.
      autoPong: false,
      clientTracking: false,
      perMessageDeflate: false,
      skipUTF8Validation: false,
      maxPayload: options.context.limits.maximumMessageBytes,
      closeTimeout: closeTimeoutMs,
      handleProtocols: (offered: Set<string>) => (offered.has(subprotocol) ? subprotocol : (false as const)),
    };
    this.#server = new WebSocketServer(serverOptions);
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer, tokenName: string): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) =>
      this.#serve(request, socket, webSocket, tokenName),
    );
  }

  /** Says goodbye to all; `onClosed` runs when the last socket is gone. */
  close(onClosed: () => void): void {
    if (this.#open.size === 0) {
      onClosed();
      return;
    }
    for (const webSocket of this.#open) {
      webSocket.once("close", () => {
        if (this.#open.size === 0) onClosed();
      });
      webSocket.close(1001);
    }
  }

  /** Ends the sockets that did not answer the goodbye. */
  terminate(): void {
    for (const webSocket of this.#open) webSocket.terminate();
  }

  #serve(request: IncomingMessage, socket: Socket, webSocket: WebSocket, tokenName: string): void {
    const { context, heartbeat, table } = this.#options;
    const gate = new ReadingGate(webSocket);
    const splitter = new FrameSplitter(context.limits.maximumMessageBytes);
    splitter.follow(socket);
    webSocket.binaryType = "fragments";
    const peer: WebSocketPeer = { webSocket, socket, gate };
    let transport: WebSocketTransport | undefined;
    const watch = new PeerWatch({
      ...peer,
      hasMore: () => transport?.hasOutgoing === true,
      clock: context.clock,
      messageTimeoutMs: Math.min(messageTimeoutMs, context.limits.bodyTimeoutMs),
    });
    // oxlint-disable-next-line patchbay/no-kept-promise -- A failure closes this WebSocket.
    let starting: Promise<void> | undefined;
    const early: JSONRPCMessage[] = [];
    this.#open.add(webSocket);
    heartbeat.add(watch);
    watch.follow();

    const receive = (incoming: Exclude<IncomingRpc, { kind: "invalid" }>): void => {
      if (transport !== undefined) {
        transport.receive(incoming.message);
        return;
      }
      early.push(incoming.message);
      // Read on when the engine is there; what has been parsed already waits in `early`.
      gate.hold("starting");
      if (starting !== undefined) return;
      starting = this.#start(request, peer, tokenName, incoming).then((started) => {
        transport = started;
        started?.open();
        for (const message of early.splice(0)) started?.receive(message);
        gate.release("starting");
      });
      starting.catch((error: unknown) => {
        context.logger.error("An agent could not be served.", { cause: messageOf(error) });
        webSocket.close(1011);
      });
    };
    const take = (incoming: IncomingRpc | undefined): void => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      if (incoming === undefined) webSocket.close(1003, "Only text messages are supported.");
      else if (incoming.kind === "invalid") {
        const answer = rpcError(incoming.id, incoming.code, incoming.reason);
        if (transport === undefined) webSocket.send(answer);
        else transport.answer(answer);
      } else receive(incoming);
    };
    const reading = new InTurns(gate);
    webSocket.on("message", (data, isBinary) => {
      const isText = splitter.takeKind() === "long-text" || !isBinary;
      reading.next(isText ? readText(data) : undefined, take);
    });
    webSocket.on("error", (error) =>
      context.logger.debug("A WebSocket was closed for what its peer sent.", { cause: messageOf(error) }),
    );
    webSocket.on("close", () => {
      this.#open.delete(webSocket);
      heartbeat.delete(watch);
      if (transport === undefined) return;
      table.remove(transport, "closed");
      transport.shut();
    });
  }

  /** Has the engine built for a socket's first message. */
  async #start(
    request: IncomingMessage,
    peer: WebSocketPeer,
    tokenName: string,
    first: Exclude<IncomingRpc, { kind: "invalid" }>,
  ): Promise<WebSocketTransport | undefined> {
    const { acceptor, context, ids, table } = this.#options;
    const { webSocket } = peer;
    const isInitialize = first.kind === "request" && first.message.method === "initialize";
    const facts = {
      transport: "websocket",
      headers: clientHeaders(request.headers),
      initialize: isInitialize ? first.message.params : undefined,
      tokenName,
    } as const;
    let transport: WebSocketTransport | undefined;
    try {
      const dialectHint = await acceptor.recognise({ ...facts, ports: portsOf(peer.socket) });
      const sessionId = ids.issue(dialectHint);
      transport = new WebSocketTransport(sessionId, peer, context);
      if (!table.add(transport)) {
        webSocket.close(1013, "Too many agents are connected.");
        return undefined;
      }
      await acceptor.accept({ ...facts, sessionId, transport, dialectHint });
    } catch (error) {
      const isExcluded = error instanceof PatchbayError && error.code === "excluded";
      if (!isExcluded) context.logger.error("An agent could not be served.", { cause: messageOf(error) });
      if (transport !== undefined) table.remove(transport, "dropped");
      webSocket.close(1011, "The session could not be started.");
      return undefined;
    }
    if (webSocket.readyState === webSocket.OPEN) return transport;
    // The peer went away while the engine was being loaded.
    table.remove(transport, "closed");
    transport.shut();
    return undefined;
  }
}

/** A longer message is read piece by piece, bytes; one piece is a matter of a millisecond or two. */
const readAtOnceBytes = 256 * 1024;

type Incoming = IncomingRpc | undefined;

/** Hands on messages in the order in which they came, also where reading one takes several turns. */
class InTurns {
  readonly #gate: ReadingGate;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(gate: ReadingGate) {
    this.#gate = gate;
  }

  next(incoming: Incoming | Promise<Incoming>, take: (incoming: Incoming) => void): void {
    if (this.#waiting === 0 && !(incoming instanceof Promise)) {
      take(incoming);
      return;
    }
    this.#waiting += 1;
    // What the peer sends meanwhile waits on its side.
    this.#gate.hold("reading");
    this.#last = this.#last.then(async () => {
      const read = await incoming;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#gate.release("reading");
      take(read);
    });
  }
}

/** What a text message says; undefined where it is none. */
function readText(data: RawData): Incoming | Promise<Incoming> {
  const chunks = Array.isArray(data) ? data : Buffer.isBuffer(data) ? [data] : undefined;
  if (chunks === undefined) return undefined;
  const text = new BodyText();
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined && only.length <= readAtOnceBytes) {
    return readWhole(text, text.add(only));
  }
  return readInPieces(text, chunks);
}

async function readInPieces(text: BodyText, chunks: readonly Buffer[]): Promise<Incoming> {
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += readAtOnceBytes) {
      const refusal = text.add(chunk.subarray(start, start + readAtOnceBytes));
      if (refusal !== undefined) return readWhole(text, refusal);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return readWhole(text, undefined);
}

function readWhole(text: BodyText, refusal: TextRefusal | undefined): Incoming {
  const whole = refusal === undefined ? text.end() : undefined;
  if (whole !== undefined) return readRpc(whole);
  const [code, reason] = refusalOf(refusal ?? "not-utf8");
  return { kind: "invalid", id: null, code, reason };
}

function refusalOf(refusal: TextRefusal): readonly [code: number, reason: string] {
  switch (refusal) {
    case "too-deep":
      return [rpcCodes.invalidRequest, "The message is nested too deeply."];
    case "too-many-members":
      return [rpcCodes.invalidRequest, "The message has too many members."];
    case "not-utf8":
      return [rpcCodes.parseError, "The message is not valid UTF-8."];
  }
}
