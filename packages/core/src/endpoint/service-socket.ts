import { connect } from "node:net";
import { WebSocket } from "ws";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** A conversation as a whole may come in one message. */
const largestMessageBytes = 32 * 1024 * 1024;

/** Until the other end has answered. */
const handshakeMs = 5_000;

export interface ServiceSocketOptions {
  readonly logger: Logger;
  /** A Unix socket that is this user's alone. */
  readonly path: string;
  readonly onMessage: (message: unknown) => void;
  /** Once, also where it could never be opened. */
  readonly onClosed: () => void;
}

/** A connection to a service of an agent's. */
export interface ServiceSocket {
  send(message: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** Connects to a Unix socket that speaks WebSocket, one message of JSON in each frame. Resolves when it is open; undefined where nobody answers so. */
export async function connectToService({
  logger,
  path,
  onMessage,
  onClosed,
}: ServiceSocketOptions): Promise<ServiceSocket | undefined> {
  // VS Code sends requests by agents of its own that know nothing of `createConnection`, unless they go to a socket by its path. The one that
  // is named here stands for it: an address cannot name every path.
  const socket = new WebSocket("ws+unix:/service:/", {
    createConnection: () => connect({ path }),
    perMessageDeflate: false,
    followRedirects: false,
    handshakeTimeout: handshakeMs,
    maxPayload: largestMessageBytes,
  });
  const isOpen = new Promise<boolean>((resolve) => {
    socket.once("open", () => resolve(true));
    socket.once("close", () => resolve(false));
  });
  socket.on("error", (error) => logger.debug("A service's connection failed", { reason: messageOf(error) }));
  socket.once("close", onClosed);
  socket.on("message", (data, isBinary) => {
    const text = isBinary || !Buffer.isBuffer(data) ? undefined : data.toString("utf8");
    try {
      onMessage(JSON.parse(text ?? ""));
    } catch (error) {
      logger.debug("A service's message cannot be read", { reason: messageOf(error) });
      socket.terminate();
    }
  });
  if (!(await isOpen)) return undefined;
  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message), () => {});
    },
    close: () => socket.terminate(),
  };
}
