import type { IncomingHttpHeaders } from "node:http";

/** Headers that are secrets, or as good as one. */
const secretHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "x-claude-code-ide-authorization",
  "mcp-session-id",
  "sec-websocket-key",
]);

/** The headers of an agent's first request without its secrets, for telling which agent it is. */
export function clientHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const told = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || secretHeaders.has(name)) return [];
    return [[name, typeof value === "string" ? value : value.join(", ")]];
  });
  return Object.fromEntries(told);
}
