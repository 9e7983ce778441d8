import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Clock, type Disposable, type Logger, messageOf, PatchbayError } from "@patchbay/core";
import type { Texts } from "@patchbay/languages";
import type { PanelHost } from "../host/index.ts";
import type { ShellMessage } from "../messages/shell.ts";
import { keyHeader, keyProtocol, PageDoor } from "./door.ts";
import { LinkDesk } from "./link-desk.ts";
import { commonHeaders, PageFiles } from "./page-files.ts";
import { PageSockets } from "./page-sockets.ts";

/** Without a page, and without an agent at work, the server ends after this, ms. */
export const idleMs: number = 15 * 60_000;

/** How long a request may take to come in, ms: nothing that is sent here is long. */
const requestMs = 5_000;

/** Connections at once that are no page's WebSocket: of browsers that load something, and of anybody on this machine. */
const mostUnknown = 96;

/** A link's secret, or a proof, is all that anybody posts, bytes. */
const longestBody = 4_096;

export interface PanelServerOptions {
  readonly panels: PanelHost;
  /** Absolute path of the folder with `panel.js`, `connect.js` and what they load. */
  readonly pageDirectory: string;
  /** BCP 47: of what the page says before its host does. */
  readonly locale: string;
  readonly texts: Texts;
  /** Listens here if it can, else anywhere: a page of an earlier run finds its server again. */
  readonly port?: number | undefined;
  /** By which others of this user ask for a link (`askForLink`); absent: nobody can. */
  readonly deskSecret?: string | undefined;
  /** The agent with which the first page begins a conversation; absent: the user chooses there. */
  readonly beginWith?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Nobody has looked for a while, and no agent is at work. */
  readonly onIdle: () => void;
}

export interface PanelServer {
  readonly port: number;
  /** A new link, which one browser can open once within a minute. */
  url(): string;
  /** Has the page in which the user is say or show something. */
  tell(message: ShellMessage): void;
  /** Lets go of all pages. The host, its conversations and agents go on. */
  close(): Promise<void>;
}

/** Serves the panel as a page on the loopback interface, for browsers of this machine that have come by a link. */
export async function startPanelServer(options: PanelServerOptions): Promise<PanelServer> {
  const running = new RunningServer(options);
  await running.listen();
  return running;
}

class RunningServer implements PanelServer {
  readonly #options: PanelServerOptions;
  readonly #door: PageDoor;
  readonly #desk: LinkDesk | undefined;
  readonly #files: PageFiles;
  readonly #pages: PageSockets;
  readonly #server: Server;
  readonly #following: Disposable;
  readonly #unknown: Set<Duplex> = new Set();
  #idle: Disposable | undefined;
  #port = 0;

  constructor(options: PanelServerOptions) {
    const { panels, clock, logger, deskSecret } = options;
    this.#options = options;
    this.#files = new PageFiles(options.pageDirectory, options.locale, options.texts);
    const { beginWith } = options;
    this.#pages = new PageSockets({ panels, clock, logger, beginWith, onDidChange: () => this.#look() });
    this.#door = new PageDoor(clock, (guest) => {
      logger.warn("A link was opened twice, by two browsers. Both are shut out.");
      this.#pages.shutOut(guest);
    });
    this.#desk = deskSecret === undefined ? undefined : new LinkDesk(deskSecret, () => this.url());
    this.#server = createServer(
      {
        headersTimeout: requestMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: 1_000,
        keepAliveTimeout: 5_000,
      },
      (request, response) => {
        this.#handle(request, response).catch((error: unknown) => {
          logger.error("A page could not be served", { reason: messageOf(error) });
          if (!response.headersSent) response.writeHead(500, commonHeaders);
          response.end();
        });
      },
    );
    this.#server.on("connection", (socket) => this.#arrived(socket));
    this.#server.maxHeadersCount = 64;
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on("clientError", (_error, socket) => socket.destroy());
    this.#following = panels.onDidChange(() => this.#look());
  }

  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    const { port = 0, logger } = this.#options;
    try {
      await this.#listenOn(port);
    } catch (error) {
      if (port === 0) throw error;
      logger.info("The port is taken; another one is used", { port });
      await this.#listenOn(0);
    }
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new PatchbayError("host-failed", "There is no port.");
    this.#port = address.port;
    this.#door.listensOn(address.port);
    this.#look();
  }

  url(): string {
    return `${this.#door.origin}/#${this.#door.issueLink()}`;
  }

  tell(message: ShellMessage): void {
    this.#pages.tell(message);
  }

  async close(): Promise<void> {
    this.#idle?.dispose();
    this.#following.dispose();
    this.#pages.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #listenOn(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  /** The oldest makes room: whoever holds connections open and says nothing keeps nobody out. */
  #arrived(socket: Duplex): void {
    this.#unknown.add(socket);
    socket.once("close", () => this.#unknown.delete(socket));
    const [oldest] = this.#unknown;
    if (this.#unknown.size > mostUnknown) oldest?.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "", headers } = request;
    const refuse = (status: number): void => {
      response.writeHead(status, { ...commonHeaders, "content-length": "0", connection: "close" });
      response.end();
    };
    if (!this.#door.isAddressed(headers) || isRepeated(request)) return refuse(403);
    if (method === "POST" && url === "/link" && this.#desk !== undefined && headers.origin === undefined) {
      const answer = this.#desk.answer(await bodyOf(request));
      return answer === undefined ? refuse(403) : respond(response, 200, answer);
    }
    if (url === "/door" && method === "POST") {
      if (!this.#door.isFromPage(headers)) return refuse(403);
      const entry = this.#door.enter((await bodyOf(request)) ?? "", headers);
      if (entry === undefined) return refuse(401);
      return respond(response, 200, JSON.stringify({ key: entry.key }), { "set-cookie": entry.setCookie });
    }
    if (method !== "GET") return refuse(405);
    if (url === "/door") {
      const key = headers[keyHeader];
      const guest = this.#door.guestOf(headers, typeof key === "string" ? key : undefined);
      if (!this.#door.mayLoad(headers) || guest === undefined) return refuse(401);
      return respond(response, 204, "");
    }
    if (url === "/") {
      // Anybody may lead a browser here: there is nothing without a link.
      const { headers: own, body } = this.#files.document(this.#door.origin);
      return respond(response, 200, body, own);
    }
    if (!this.#door.mayLoad(headers)) return refuse(403);
    const file = await this.#files.file(url);
    return file === undefined ? refuse(404) : respond(response, 200, file.body, file.headers);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { headers, url } = request;
    socket.on("error", () => socket.destroy());
    const protocol = headers["sec-websocket-protocol"];
    const key = protocol?.startsWith(keyProtocol) === true ? protocol.slice(keyProtocol.length) : undefined;
    const isRight = this.#door.isAddressed(headers) && this.#door.isFromPage(headers) && !isRepeated(request);
    const guest = isRight && url === "/socket" ? this.#door.guestOf(headers, key) : undefined;
    if (guest === undefined) {
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    this.#unknown.delete(socket);
    this.#pages.upgrade(request, socket, head, guest);
  }

  /** Ends the server some time after the last page has gone and the last agent has come to rest. */
  #look(): void {
    const { panels, clock, onIdle } = this.#options;
    const isUsed =
      this.#pages.count > 0 || panels.library.summaries.some(({ state }) => state === "running" || state === "waiting");
    if (isUsed) {
      this.#idle?.dispose();
      this.#idle = undefined;
    } else this.#idle ??= clock.setTimeout(onIdle, idleMs);
  }
}

/** Headers that decide, and came twice: what reads the first is deceived by the second. */
function isRepeated({ rawHeaders }: IncomingMessage): boolean {
  const deciding = ["host", "origin", "content-length", "sec-websocket-protocol", keyHeader];
  const names = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [name.toLowerCase()] : []));
  return deciding.some((name) => names.indexOf(name) !== names.lastIndexOf(name));
}

function respond(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...commonHeaders, ...headers, ...length });
  response.end(body);
}

/** A short text; undefined where it is longer, or does not end. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Whoever sends too much is answered all the same.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) return undefined;
      size += chunk.length;
      if (size > longestBody) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
