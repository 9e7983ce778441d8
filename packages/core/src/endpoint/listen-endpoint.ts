import { createServer, type Server } from "node:http";
import { messageOf, PatchbayError } from "../support/errors.ts";
import type { Endpoint, EndpointLimits, EndpointOptions } from "./endpoint.ts";
import { LoopbackEndpoint } from "./loopback-endpoint.ts";

const defaultLimits: EndpointLimits = {
  maximumMessageBytes: 64 * 1024 * 1024,
  maximumSessions: 256,
  maximumStrangers: 256,
  headersTimeoutMs: 5_000,
  bodyTimeoutMs: 60_000,
  idleSessionMs: 60_000,
  keepAliveMs: 30_000,
};

/** How often Node looks for connections that take too long over their headers or body, ms. */
const connectionsCheckMs = 5_000;

/** How long a connection without a request stays open, ms. Longer than agents pause between calls. */
const keepAliveTimeoutMs = 30_000;

/**
 * Opens the one listener that serves all agents: Streamable HTTP on `/mcp`, WebSockets on `/`, on 127.0.0.1 only.
 * Imports nothing but Node's own modules and small files of core; what speaks WebSocket is loaded with the first of them.
 *
 * @throws PatchbayError `port-unavailable` where the port is taken or not allowed, `invalid-argument` for an empty secret.
 */
export async function listenEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const secrets = [options.token, options.sessionKey, ...Object.values(options.namedTokens ?? {})];
  if (secrets.includes("")) throw new PatchbayError("invalid-argument", "A token and a session key are needed.");
  const limits: EndpointLimits = { ...defaultLimits, ...options.limits };
  const server = createServer({
    insecureHTTPParser: false,
    // The guard refuses a missing Host like any other request that does not belong here.
    requireHostHeader: false,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.bodyTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(connectionsCheckMs, limits.headersTimeoutMs),
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  const port = await listen(server, options.port);
  return new LoopbackEndpoint(server, port, limits, options).open();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      const why = "code" in error && error.code === "EADDRINUSE" ? "another program has it" : messageOf(error);
      reject(new PatchbayError("port-unavailable", `Port ${port} cannot be used: ${why}.`, { cause: error }));
    };
    server.once("error", fail);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.off("error", fail);
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new PatchbayError("port-unavailable", "The listener has no port."));
    });
  });
}
