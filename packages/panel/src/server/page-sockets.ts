import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Clock, type Disposable, Emitter, type Logger, messageOf } from "@patchbay/core";
import { DepthGate } from "@patchbay/core/json-input";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { PageChannel, PageLink, PanelHost } from "../host/index.ts";
import { pageMessageSchema } from "../messages/from-page.ts";
import type { ShellMessage } from "../messages/shell.ts";
import { keyProtocol } from "./door.ts";

/** A page says so much at once at most, bytes: a prompt with its images. */
const longestMessage = 64 * 1024 * 1024;

/** So many pages are connected at once at most. */
const mostPages = 32;

/** So often a page is told that its server lives, and asked whether it does, ms. */
const beatMs = 20_000;

export interface PageSocketsOptions {
  readonly panels: Pick<PanelHost, "connect" | "disconnect" | "active">;
  readonly beginWith: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A page has come, or gone. */
  readonly onDidChange: () => void;
}

interface OpenPage {
  readonly socket: WebSocket;
  readonly guest: number;
  readonly link: PageLink;
}

/** The WebSockets of the pages, each a page of the panel's host. */
export class PageSockets {
  readonly #options: PageSocketsOptions;
  readonly #server: WebSocketServer;
  readonly #pages: Set<OpenPage> = new Set();
  #hasBegun = false;

  constructor(options: PageSocketsOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: longestMessage,
      handleProtocols: (offered) => Array.from(offered).find((one) => one.startsWith(keyProtocol)) ?? false,
    });
  }

  get count(): number {
    return this.#pages.size;
  }

  /** Has the page say or show something: the one that the user is in, or was in last. */
  tell(message: ShellMessage): void {
    const { active } = this.#options.panels;
    const pages = Array.from(this.#pages);
    const page = pages.find(({ link }) => link === active) ?? pages.at(-1);
    page?.socket.send(JSON.stringify({ shell: message }));
  }

  /** Completes an upgrade that the door has let in. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, guest: number): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket, guest));
  }

  /** Ends the pages of a browser that was shut out. */
  shutOut(guest: number): void {
    for (const page of this.#pages) if (page.guest === guest) page.socket.terminate();
  }

  close(): void {
    for (const { socket } of this.#pages) {
      socket.close(1001);
      socket.terminate();
    }
    this.#server.close();
  }

  #serve(socket: WebSocket, guest: number): void {
    const { panels, logger, onDidChange } = this.#options;
    if (this.#pages.size >= mostPages) {
      socket.close(1013);
      return;
    }
    const said = new Emitter<unknown>((error) =>
      logger.error("A page could not be heard", { reason: messageOf(error) }),
    );
    const channel: PageChannel = { post: async (message) => await send(socket, { message }), onMessage: said.event };
    const page = { socket, guest, link: panels.connect(channel) };
    this.#pages.add(page);
    const beat = this.#beat(socket);
    socket.on("message", (data, isBinary) => {
      const frame = isBinary ? undefined : frameOf(data);
      if (frame === undefined) {
        logger.warn("A page sent what could not be read");
        return;
      }
      said.fire(frame.message);
      this.#begin(page.link, frame.message);
      // What has been taken is not sent again.
      void send(socket, { ack: frame.n });
    });
    socket.on("error", (error) => logger.warn("A page was cut off for what it sent", { reason: messageOf(error) }));
    socket.on("close", () => {
      beat.dispose();
      this.#pages.delete(page);
      // Its user may be back at once: agents go on.
      panels.disconnect(page.link);
      onDidChange();
    });
    onDidChange();
  }

  /**
   * The first page that comes with nothing to show begins what was asked for with the server's start. It has said that it is
   * ready: what it is shown stays. A page of an earlier run, which may be back before it, keeps its conversation.
   */
  #begin(link: PageLink, message: unknown): void {
    const { beginWith, logger } = this.#options;
    if (this.#hasBegun || beginWith === undefined || !isEmptyPage(message)) return;
    this.#hasBegun = true;
    link.begin(beginWith).catch((error: unknown) => {
      logger.warn("A conversation could not be begun", { reason: messageOf(error) });
    });
  }

  /** A page that does not answer is gone, whatever its socket says. */
  #beat(socket: WebSocket): Disposable {
    const { clock } = this.#options;
    let isAlive = true;
    let timer: Disposable | undefined;
    socket.on("pong", () => (isAlive = true));
    const schedule = (): void => {
      timer = clock.setTimeout(() => {
        if (!isAlive) {
          socket.terminate();
          return;
        }
        isAlive = false;
        socket.ping();
        // Scripts see no pings.
        socket.send("{}");
        schedule();
      }, beatMs);
    };
    schedule();
    return { dispose: () => timer?.dispose() };
  }
}

async function send(socket: WebSocket, frame: object): Promise<boolean> {
  if (socket.readyState !== socket.OPEN) return false;
  return await new Promise((resolve) => socket.send(JSON.stringify(frame), (error) => resolve(error == null)));
}

/** The first message of a page that shows no conversation. */
function isEmptyPage(message: unknown): boolean {
  const parsed = pageMessageSchema.safeParse(message);
  return parsed.success && parsed.data.type === "ready" && parsed.data.conversation === undefined;
}

/**
 * A message with its number, by which the page knows that it was heard. What is nested deeply, or of very many members, would be
 * parsed for seconds: that is not begun.
 */
function frameOf(data: RawData): { readonly n: number; readonly message: unknown } | undefined {
  try {
    if (!Buffer.isBuffer(data) || new DepthGate().refusal(data) !== undefined) return undefined;
    const frame: unknown = JSON.parse(data.toString("utf8"));
    if (typeof frame !== "object" || frame === null || !("n" in frame) || !("message" in frame)) return undefined;
    const { n, message } = frame;
    return typeof n === "number" ? { n, message } : undefined;
  } catch {
    return undefined;
  }
}
