import type { ServerResponse } from "node:http";

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

/** An answer of some megabytes, put together piece by piece with other work in between. */
export async function answerInPieces(
  response: ServerResponse,
  status: number,
  pieces: Iterable<string>,
  sessionId?: string,
): Promise<void> {
  const parts: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (response.destroyed) return;
    const part = Buffer.from(piece);
    parts.push(part);
    length += part.length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.writeHead(status, headersOf(length, sessionId));
  for (const part of parts) response.write(part);
  response.end();
}

export function answerEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 });
  response.end();
}
