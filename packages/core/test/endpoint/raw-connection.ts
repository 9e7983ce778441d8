import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { token } from "./endpoint-under-test.ts";

/** A TCP connection on which a test writes what it likes. */
export class RawConnection {
  readonly socket: Socket;
  readonly #chunks: Buffer[] = [];
  readonly #waiting: Set<() => void> = new Set();
  #closed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    // A reset is an outcome like any other here; "close" follows.
    socket.on("error", () => this.#wake());
    socket.on("end", () => this.#wake());
    socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** The status of the (first) answer. */
  async status(): Promise<number> {
    await this.until(() => /^HTTP\/1\.1 \d{3} [^\n]*\n/.test(this.text));
    return Number(this.text.slice(9, 12));
  }

  /** Waits until something holds of what came, or the connection is closed. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#closed) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Waits for a text without joining everything that came at each chunk. */
  async untilText(wanted: string): Promise<void> {
    let seen = 0;
    let tail = "";
    await this.until(() => {
      const fresh = Buffer.concat(this.#chunks.slice(seen)).toString("latin1");
      seen = this.#chunks.length;
      const text = tail + fresh;
      tail = text.slice(-wanted.length);
      return text.includes(wanted);
    });
  }

  async closed(): Promise<void> {
    await this.until(() => this.#closed);
  }

  #wake(): void {
    for (const resolve of Array.from(this.#waiting)) resolve();
    this.#waiting.clear();
  }
}

/** `stubborn`: stays open when the other side ends, until it is destroyed there. */
export async function openRaw(port: number, options: { readonly stubborn?: boolean } = {}): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: options.stubborn ?? false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  onTestFinished(() => {
    socket.destroy();
  });
  return new RawConnection(socket);
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly token?: string | undefined;
  /** Lines without their ends. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** The text of a request; with the right token and Host unless said otherwise. */
export function requestText(port: number, request: RawRequest = {}): Buffer {
  const { method = "POST", path = "/mcp", host = `127.0.0.1:${port}`, headers = [], body } = request;
  const told = "token" in request ? request.token : token;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(told === undefined ? [] : [`Authorization: Bearer ${told}`]),
    ...headers,
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), Buffer.from(body ?? "")]);
}

/** Sends one request on a connection of its own and gives that back. */
export async function sendRaw(port: number, request: RawRequest = {}): Promise<RawConnection> {
  const connection = await openRaw(port);
  connection.write(requestText(port, request));
  return connection;
}
