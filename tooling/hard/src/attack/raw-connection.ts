import { connect, type Socket } from "node:net";

/** A TCP connection on which one writes what one likes. */
export class RawConnection {
  readonly socket: Socket;
  readonly openedAt: number = performance.now();
  readonly #chunks: Buffer[] = [];
  readonly #waiting: Set<() => void> = new Set();
  #closed = false;
  /** When the other side had closed. */
  closedAt = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    // A reset is an outcome like any other here; "close" follows.
    socket.on("error", () => this.#wake());
    socket.on("close", () => {
      this.#closed = true;
      this.closedAt = performance.now();
      this.#wake();
    });
  }

  static async open(port: number, options: { readonly allowHalfOpen?: boolean } = {}): Promise<RawConnection> {
    const socket = connect({ host: "127.0.0.1", port, ...options });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawConnection(socket);
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get receivedBytes(): number {
    return this.socket.bytesRead;
  }

  get text(): string {
    return this.received.toString("latin1");
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  write(data: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(data);
  }

  /** The status of the (first) answer; 0 where the connection closed without one. */
  async status(timeoutMs = 20_000): Promise<number> {
    await this.until(() => /^HTTP\/1\.1 \d{3}/u.test(this.text), timeoutMs);
    return Number(/^HTTP\/1\.1 (\d{3})/u.exec(this.text)?.[1] ?? 0);
  }

  /** Waits until something holds of what came, or the connection is closed. */
  async until(holds: () => boolean, timeoutMs = 20_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!holds() && !this.#closed) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Nothing within ${timeoutMs} ms; received: ${this.text.slice(0, 200)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async closed(timeoutMs?: number): Promise<void> {
    await this.until(() => this.#closed, timeoutMs);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #wake(): void {
    for (const resolve of Array.from(this.#waiting)) resolve();
    this.#waiting.clear();
  }
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Undefined: no Host line. */
  readonly host?: string | undefined;
  readonly token?: string | undefined;
  /** Lines without their ends. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** The bytes of a request, with the right Host unless said otherwise. */
export function requestBytes(port: number, request: RawRequest = {}): Buffer {
  const { method = "POST", path = "/mcp", token, headers = [], body } = request;
  const host = "host" in request ? request.host : `127.0.0.1:${port}`;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...headers,
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), Buffer.from(body ?? "")]);
}

/** Sends one request on a connection of its own and gives that back. */
export async function sendRaw(port: number, request: RawRequest = {}): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  connection.write(requestBytes(port, request));
  return connection;
}

/** The answer to one request as (status, everything received). */
export async function exchange(
  port: number,
  request: RawRequest | Buffer | string,
): Promise<{ readonly status: number; readonly text: string }> {
  const connection = await RawConnection.open(port);
  connection.write(typeof request === "string" || Buffer.isBuffer(request) ? request : requestBytes(port, request));
  const status = await connection.status();
  await connection.until(() => isWhole(connection.text));
  const { text } = connection;
  connection.destroy();
  return { status, text };
}

/** Whether an answer is there to its end; one that tells no length ends with its connection. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /^content-length: (\d+)/imu.exec(text.slice(0, end))?.[1];
  const isBodiless = /^HTTP\/1\.1 (?:204|304)/u.test(text);
  return end >= 0 && (isBodiless || (length !== undefined && text.length >= end + 4 + Number(length)));
}
