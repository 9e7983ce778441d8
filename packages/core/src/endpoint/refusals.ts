import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../platform/platform.ts";
import { rpcCodes, rpcError } from "./rpc-error.ts";

/** How long a refused client may take to read its answer while its body is left unread, ms. */
const lingerMs = 500;

/**
 * Refuses a request whose body nobody has read and ends its connection. The answer goes out at once; what the client
 * still sends stays in the system's buffers and is dropped with the socket.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
  refusal: { readonly status: number; readonly reason: string; readonly code?: number; readonly data?: unknown },
): void {
  const { status, reason, code = rpcCodes.refused, data } = refusal;
  const text = rpcError(null, code, reason, data);
  // A response that waits behind an earlier one of its connection has no socket yet and must keep its turn.
  if (hasBody(request) && response.socket !== null) {
    endSocket(request.socket, rawAnswer(status, text), clock);
    return;
  }
  const headers: Record<string, string | number> = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 405) headers["allow"] = "POST, GET, DELETE";
  response.writeHead(status, headers);
  response.end(text);
}

/** A complete HTTP answer as text, for sockets that have no response object. */
export function rawAnswer(status: number, text?: string): string {
  const body = text ?? rpcError(null, rpcCodes.refused, STATUS_CODES[status] ?? "Refused");
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ["WWW-Authenticate: Bearer"] : []),
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

/** Writes a last answer and ends the socket without reading on: half-closed at once, gone when the other side closes or after a moment. */
export function endSocket(socket: Duplex, answer: string, clock: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.pause();
  socket.end(answer);
  const timer = clock.setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => timer.dispose());
}

function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
