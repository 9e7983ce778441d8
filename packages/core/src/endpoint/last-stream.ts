import type { IncomingMessage, ServerResponse } from "node:http";

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
