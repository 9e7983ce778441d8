import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

/** Longest wait for an answer to a message, ms. */
const patienceMs = 60_000;

/** Port and token from the record that Claude Code would find in this home. */
export function readLockFile(home: string): { readonly port: number; readonly token: string } {
  const folder = join(home, ".claude", "ide");
  const name = readdirSync(folder).find((one) => one.endsWith(".lock"));
  if (name === undefined) throw new Error("There is no record for Claude Code.");
  const record: { readonly authToken: string } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  return { port: Number.parseInt(name, 10), token: record.authToken };
}

/** A connection as Claude Code's, over which whole messages are sent. */
export class MessageSocket {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open({ port, token }: { readonly port: number; readonly token: string }): Promise<MessageSocket> {
    const socket = connect({ host: "127.0.0.1", port });
    socket.write(
      [
        "GET / HTTP/1.1",
        `Host: 127.0.0.1:${port}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: mcp",
        `X-Claude-Code-Ide-Authorization: ${token}`,
        "\r\n",
      ].join("\r\n"),
    );
    const head = await next(socket);
    if (!head.startsWith("HTTP/1.1 101")) throw new Error(`No upgrade: ${head.slice(0, 100)}`);
    return new MessageSocket(socket);
  }

  /** Sends a message as one frame. */
  send(message: string): void {
    const data = Buffer.from(message);
    const head = Buffer.alloc(14);
    // Whole, text; masked, with a length of eight bytes and a mask of zeros.
    head[0] = 0x81;
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(data.length), 2);
    this.#socket.write(head);
    this.#socket.write(data);
  }

  /** Resolves with the next bytes that come. */
  async next(): Promise<string> {
    return await next(this.#socket);
  }

  end(): void {
    this.#socket.destroy();
  }
}

function next(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("No answer came.")), patienceMs);
    socket.once("data", (chunk: Buffer) => {
      clearTimeout(timer);
      resolve(chunk.toString("utf8"));
    });
    socket.once("error", reject);
  });
}
