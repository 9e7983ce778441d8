import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../support/time.ts";

/** A whole JSON answer in one write. */
export function answerJson(response: ServerResponse, status: number, text: string, sessionId?: string): void {
  response.writeHead(status, headersOf(Buffer.byteLength(text), sessionId));
  response.end(text);
}

function headersOf(length: number, sessionId: string | undefined): Record<string, string | number> {
  const headers: Record<string, string | number> = { "content-type": "application/json", "content-length": length };
  if (sessionId !== undefined) headers["mcp-session-id"] = sessionId;
  return headers;
}

export function answerEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 });
  response.end();
}

/** Says nothing: clients ignore methods they do not know (gemini.md, "The connection"). */
const nothing = JSON.stringify({ jsonrpc: "2.0", method: "patchbay/away" });

/**
 * Answers a GET that comes while everything closes with a stream that ends at once. Clients re-open such a stream
 * silently, whereas one attempt that fails disconnects Gemini CLI. They then name only an event of this stream, so the
 * last one they have stands on it: without it they would be told again what they know.
 */
export function answerLastStream(
  request: IncomingMessage,
  response: ServerResponse,
  retryMs: number | undefined,
): void {
  const has = Number(request.headers["last-event-id"]);
  response.shouldKeepAlive = false;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" });
  if (retryMs !== undefined) response.write(`retry: ${retryMs}\n\n`);
  if (Number.isSafeInteger(has) && has > 0) response.write(`id: ${has}\ndata: ${nothing}\n\n`);
  response.end();
}

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

/** Codes of JSON-RPC 2.0 and the one that MCP uses for a connection that is not there. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  refused: -32_000,
} as const;

/** The JSON text of an error answer. */
export function rpcError(id: string | number | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}
