import type { ServerResponse } from "node:http";

/** A whole JSON answer in one write. */
export function answerJson(response: ServerResponse, status: number, text: string, sessionId?: string): void {
  const headers: Record<string, string | number> = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  if (sessionId !== undefined) headers["mcp-session-id"] = sessionId;
  response.writeHead(status, headers);
  response.end(text);
}

export function answerEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 });
  response.end();
}
