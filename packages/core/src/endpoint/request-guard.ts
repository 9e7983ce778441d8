import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What the guard looks at: the request line and the headers, never the body. */
interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

export type GuardVerdict =
  | { readonly kind: "admitted"; readonly route: "mcp" | "websocket"; readonly tokenName: string }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

export interface RequestGuard {
  check(request: GuardedRequest, isUpgrade: boolean): GuardVerdict;
}

/** Header in which clients of the Claude protocol send their token (claude.md, "Transport"). */
const tokenHeader = "x-claude-code-ide-authorization";
const unauthorized: GuardVerdict = { kind: "refused", status: 401, reason: "Unauthorized" };
const forbidden: GuardVerdict = { kind: "refused", status: 403, reason: "Forbidden" };

/**
 * Decides from the headers alone whether a request comes in, before anything of its body is read. Whoever has no token
 * learns nothing: every method and path is answered alike with 401 or 403.
 */
export function createRequestGuard(options: {
  readonly port: number;
  /** By name. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly maximumMessageBytes: number;
}): RequestGuard {
  const { port, maximumMessageBytes } = options;
  // Clients in a container reach the machine's loopback under Docker's name for it (gemini.md, "Discovery").
  const hosts = new Set(["127.0.0.1", "localhost", "[::1]", "host.docker.internal"].map((name) => `${name}:${port}`));
  const secrets = Object.entries(options.tokens).map(([name, token]) => ({ name, bytes: Buffer.from(token) }));

  const findSecret = (headers: IncomingHttpHeaders, isUpgrade: boolean): (typeof secrets)[number] | undefined => {
    const told = tokenOf(headers, isUpgrade);
    if (told === undefined) return undefined;
    const bytes = Buffer.from(told);
    let found: (typeof secrets)[number] | undefined;
    // All are compared, so that the time does not tell which one it was. How long a token is, is no secret.
    for (const secret of secrets) {
      if (secret.bytes.length === bytes.length && timingSafeEqual(secret.bytes, bytes)) found ??= secret;
    }
    return found;
  };

  return {
    check(request, isUpgrade) {
      const { method, url, headers } = request;
      const twice = repeatedHeader(request.rawHeaders);
      if (twice !== undefined) return twice === "host" ? forbidden : unauthorized;
      const host = headers.host;
      if (host === undefined || !hosts.has(host.toLowerCase())) return forbidden;
      // Agents never send an Origin, browsers do with everything that could do harm (CVE-2025-52882).
      if (headers.origin !== undefined) return forbidden;
      const secret = findSecret(headers, isUpgrade);
      if (secret === undefined) return unauthorized;

      if (isUpgrade) {
        if (url !== "/") return { kind: "refused", status: 404, reason: "Not Found" };
        return { kind: "admitted", route: "websocket", tokenName: secret.name };
      }
      if (url !== "/mcp") return { kind: "refused", status: 404, reason: "Not Found" };
      if (method !== "POST" && method !== "GET" && method !== "DELETE") {
        return { kind: "refused", status: 405, reason: "Method Not Allowed" };
      }
      if (Number(headers["content-length"] ?? 0) > maximumMessageBytes) {
        return { kind: "refused", status: 413, reason: "Payload Too Large" };
      }
      return { kind: "admitted", route: "mcp", tokenName: secret.name };
    },
  };
}

function tokenOf(headers: IncomingHttpHeaders, isUpgrade: boolean): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    return authorization.slice(0, 7).toLowerCase() === "bearer " ? authorization.slice(7).trim() : undefined;
  }
  const own = isUpgrade ? headers[tokenHeader] : undefined;
  return typeof own === "string" ? own : undefined;
}

/** The first header that decides over entry or framing and came more than once. Node keeps only one of them in `headers`. */
function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const bit = bitOf(name);
    if ((seen & bit) !== 0) return name.toLowerCase();
    seen |= bit;
  }
  return undefined;
}

/** One bit for each guarded name; the length is looked at first, so that most headers cost nothing. */
function bitOf(name: string): number {
  switch (name.length) {
    case 4:
      return name.toLowerCase() === "host" ? 1 : 0;
    case 6:
      return name.toLowerCase() === "origin" ? 2 : 0;
    case 13:
      return name.toLowerCase() === "authorization" ? 4 : 0;
    case 14: {
      const lower = name.toLowerCase();
      if (lower === "content-length") return 8;
      return lower === "mcp-session-id" ? 16 : 0;
    }
    case tokenHeader.length:
      return name.toLowerCase() === tokenHeader ? 32 : 0;
    default:
      return 0;
  }
}

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
