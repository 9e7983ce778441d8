import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Puts the token into every request, since the conformance suite has none to send. A Host that names the proxy becomes
 * the companion's, and an Origin that names the proxy, which the companion refuses like every Origin, is taken out;
 * whatever names somebody else goes on as it came and is the companion's to judge.
 */
export class TokenProxy {
  readonly #server: Server;
  readonly port: number;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async listen(target: { readonly port: number; readonly token: string }): Promise<TokenProxy> {
    const server = createServer((incoming, answer) => {
      const own = new RegExp(`^(?:http://)?(localhost|127\\.0\\.0\\.1):${addressOf(server).port}$`, "u");
      const { host = "", origin, ...headers } = incoming.headers;
      const onward = request(
        {
          host: "127.0.0.1",
          port: target.port,
          method: incoming.method,
          path: incoming.url,
          headers: {
            ...headers,
            ...(origin === undefined || own.test(origin) ? {} : { origin }),
            host: host.replace(own, `$1:${target.port}`),
            authorization: `Bearer ${target.token}`,
          },
        },
        (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          answer.flushHeaders();
          response.pipe(answer);
        },
      );
      onward.on("error", () => answer.destroy());
      answer.on("close", () => onward.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new TokenProxy(server, addressOf(server).port);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The proxy does not listen.");
  return address;
}
