import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { EndpointAddress } from "../platform/platform.ts";

/** What the guard looks at: the request line and the headers, never the body. */
interface GuardedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

export type GuardVerdict =
  | { readonly kind: "admitted"; readonly route: "mcp" | "hook" | "websocket"; readonly tokenName: string }
  | { readonly kind: "refused"; readonly status: number; readonly reason: string };

export interface RequestGuard {
  /** `isLocal`: it came by the socket beside the port (`Endpoint.take`). */
  check(request: GuardedRequest, isUpgrade: boolean, isLocal?: boolean): GuardVerdict;
}

/** Headers that decide over entry or framing, beside those that hold tokens. */
const decidingHeaders = ["host", "origin", "authorization", "content-length", "mcp-session-id"];
const unauthorized: GuardVerdict = { kind: "refused", status: 401, reason: "Unauthorized" };
const forbidden: GuardVerdict = { kind: "refused", status: 403, reason: "Forbidden" };

/**
 * Decides from the headers alone whether a request comes in, before anything of its body is read. Whoever has no token
 * learns nothing: every method and path is answered alike with 401 or 403.
 */
export function createRequestGuard(options: {
  readonly address: EndpointAddress;
  /** By name. */
  readonly tokens: Readonly<Record<string, string>>;
  /** See `EndpointOptions.tokenHeaders`. */
  readonly tokenHeaders: readonly string[];
  readonly maximumMessageBytes: number;
}): RequestGuard {
  const { address, tokenHeaders, maximumMessageBytes } = options;
  const deciding = new Set([...decidingHeaders, ...tokenHeaders]);
  const lengths = new Set(Array.from(deciding, (name) => name.length));
  const hosts = hostsOf(address);
  const secrets = Object.entries(options.tokens).map(([name, token]) => ({ name, bytes: Buffer.from(token) }));

  const findSecret = (headers: IncomingHttpHeaders, isUpgrade: boolean): (typeof secrets)[number] | undefined => {
    const told = tokenOf(headers, isUpgrade ? tokenHeaders : []);
    if (told === undefined) return undefined;
    const bytes = Buffer.from(told);
    let found: (typeof secrets)[number] | undefined;
    // All are compared, so that the time does not tell which one it was. How long a token is, is no secret.
    for (const secret of secrets) {
      if (secret.bytes.length === bytes.length && timingSafeEqual(secret.bytes, bytes)) found ??= secret;
    }
    return found;
  };

  /** The first header that decides and came more than once. Node keeps only one of them in `headers`. */
  const repeatedHeader = (rawHeaders: readonly string[]): string | undefined => {
    const seen = new Set<string>();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const raw = rawHeaders[index] ?? "";
      // Most headers have another length, and cost nothing.
      if (!lengths.has(raw.length)) continue;
      const name = raw.toLowerCase();
      if (!deciding.has(name)) continue;
      if (seen.has(name)) return name;
      seen.add(name);
    }
    return undefined;
  };

  return {
    check(request, isUpgrade, isLocal = false) {
      const { method, url, headers } = request;
      const twice = repeatedHeader(request.rawHeaders);
      if (twice !== undefined) return twice === "host" ? forbidden : unauthorized;
      const host = headers.host;
      if (host === undefined || !(isLocal ? localHosts : hosts).has(host.toLowerCase())) return forbidden;
      // Agents never send an Origin, browsers do with everything that could do harm (CVE-2025-52882).
      if (headers.origin !== undefined) return forbidden;
      const secret = findSecret(headers, isUpgrade);
      if (secret === undefined) return unauthorized;

      if (isUpgrade) {
        if (url !== "/") return { kind: "refused", status: 404, reason: "Not Found" };
        return { kind: "admitted", route: "websocket", tokenName: secret.name };
      }
      if (url !== "/mcp" && url !== "/hook") return { kind: "refused", status: 404, reason: "Not Found" };
      if (method !== "POST" && (url === "/hook" || (method !== "GET" && method !== "DELETE"))) {
        return { kind: "refused", status: 405, reason: "Method Not Allowed" };
      }
      if (Number(headers["content-length"] ?? 0) > maximumMessageBytes) {
        return { kind: "refused", status: 413, reason: "Payload Too Large" };
      }
      return { kind: "admitted", route: url === "/hook" ? "hook" : "mcp", tokenName: secret.name };
    },
  };
}

/** A socket has no name: clients say what they would of this machine (docs/protocols/copilot.md, "Transport"). */
const localHosts: ReadonlySet<string> = new Set(["localhost"]);

/** What clients name as their host. */
function hostsOf({ port }: EndpointAddress): ReadonlySet<string> {
  // Clients in a container reach the machine's loopback under Docker's name for it (gemini.md, "Discovery").
  return new Set(["127.0.0.1", "localhost", "[::1]", "host.docker.internal"].map((name) => `${name}:${port}`));
}

function tokenOf(headers: IncomingHttpHeaders, tokenHeaders: readonly string[]): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const [, token] = /^(?:bearer|nonce) +(.*)$/iu.exec(authorization) ?? [];
    return token?.trim();
  }
  const own = tokenHeaders.map((name) => headers[name]).find((value) => value !== undefined);
  return typeof own === "string" ? own : undefined;
}

/** Headers that are secrets, or as good as one: `authorization`, and what agents and proxies call theirs. */
const secretHeader = /authorization$|token|cookie|^mcp-session-id$|^sec-websocket-key$/u;

/** The headers of an agent's first request without its secrets, for telling which agent it is. */
export function clientHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const told = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || secretHeader.test(name)) return [];
    return [[name, typeof value === "string" ? value : value.join(", ")]];
  });
  return Object.fromEntries(told);
}
