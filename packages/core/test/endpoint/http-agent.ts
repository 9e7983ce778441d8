import { type EndpointUnderTest, token } from "./endpoint-under-test.ts";

export const initializeMessage = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1.0.0" } },
} as const;

/** A POST with the right token. */
export function post(under: EndpointUnderTest, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(under.url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Begins a session by hand and says its id. */
export async function beginSession(under: EndpointUnderTest): Promise<string> {
  const response = await post(under, initializeMessage);
  await response.text();
  const id = response.headers.get("mcp-session-id");
  if (id === null) throw new Error("No session id came.");
  return id;
}

export function call(id: number | string, name: string, text: string): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { text } } };
}
