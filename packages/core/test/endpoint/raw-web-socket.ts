import { randomBytes } from "node:crypto";
import { token } from "./endpoint-under-test.ts";
import { openRaw, type RawConnection } from "./raw-connection.ts";

export interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The first byte of a frame's payload length and mask, and everything a test may get wrong about it. */
export interface FrameOptions {
  readonly opcode?: number;
  readonly fin?: boolean;
  /** RSV1–3 as the bits 0x40, 0x20, 0x10. */
  readonly reserved?: number;
  readonly masked?: boolean;
  /** Claims another length than the payload has. */
  readonly declaredLength?: number;
}

/** The bytes of one frame as a client sends it. */
export function frame(payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = 1, fin = true, reserved = 0, masked = true } = options;
  const data = Buffer.from(payload);
  const length = options.declaredLength ?? data.length;
  const head = [(fin ? 0x80 : 0) | reserved | opcode];
  const maskBit = masked ? 0x80 : 0;
  if (length < 126) head.push(maskBit | length);
  else if (length < 65_536) head.push(maskBit | 126, length >> 8, length & 255);
  else
    head.push(
      maskBit | 127,
      0,
      0,
      0,
      0,
      (length >>> 24) & 255,
      (length >>> 16) & 255,
      (length >>> 8) & 255,
      length & 255,
    );
  if (!masked) return Buffer.concat([Buffer.from(head), data]);
  // A mask of zeros is one too, and spares tests the work on large payloads.
  if (data.length > 1_000_000) return Buffer.concat([Buffer.from(head), Buffer.alloc(4), data]);
  const mask = randomBytes(4);
  const covered = Buffer.from(data.map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
  return Buffer.concat([Buffer.from(head), mask, covered]);
}

export function closeFrame(code: number, reason: string | Buffer = ""): Buffer {
  return frame(Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]), { opcode: 8 });
}

/** The server's frames (never masked) in what came after the handshake. */
export function framesOf(connection: RawConnection): Frame[] {
  const all = connection.received;
  const frames: Frame[] = [];
  let at = all.indexOf("\r\n\r\n") + 4;
  while (at + 2 <= all.length) {
    const opcode = (all[at] ?? 0) & 15;
    const isFinal = ((all[at] ?? 0) & 0x80) !== 0;
    let length = (all[at + 1] ?? 0) & 127;
    at += 2;
    if (length === 126) {
      length = all.readUInt16BE(at);
      at += 2;
    } else if (length === 127) {
      length = Number(all.readBigUInt64BE(at));
      at += 8;
    }
    if (at + length > all.length) break;
    frames.push({ opcode, isFinal, payload: all.subarray(at, at + length) });
    at += length;
  }
  return frames;
}

/** The close code that came, waiting for it. */
export async function closeCode(connection: RawConnection): Promise<number | undefined> {
  const find = (): Frame | undefined => framesOf(connection).find(({ opcode }) => opcode === 8);
  await connection.until(() => find() !== undefined);
  const found = find();
  return found === undefined || found.payload.length < 2 ? undefined : found.payload.readUInt16BE(0);
}

/** Text messages that are whole, of one frame or of several. */
function textsOf(frames: readonly Frame[]): string[] {
  const texts: string[] = [];
  let parts: Buffer[] = [];
  for (const { opcode, isFinal, payload } of frames) {
    if (opcode > 1) continue;
    parts.push(payload);
    if (!isFinal) continue;
    texts.push(Buffer.concat(parts).toString("utf8"));
    parts = [];
  }
  return texts;
}

/** The JSON messages that came, waiting for `count` of them. */
export async function messages(connection: RawConnection, count: number): Promise<unknown[]> {
  const texts = (): string[] => textsOf(framesOf(connection));
  await connection.until(() => texts().length >= count);
  return texts().map((text): unknown => JSON.parse(text));
}

export interface UpgradeOptions {
  readonly path?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly token?: string | undefined;
  readonly protocol?: string | undefined;
}

/** Asks for an upgrade on a connection of its own; the answer is left to the test. */
export async function upgrade(port: number, options: UpgradeOptions = {}): Promise<RawConnection> {
  const { path = "/", host = `127.0.0.1:${port}`, headers = [] } = options;
  const told = "token" in options ? options.token : token;
  const protocol = "protocol" in options ? options.protocol : "mcp";
  const connection = await openRaw(port);
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...(told === undefined ? [] : [`x-claude-code-ide-authorization: ${told}`]),
    ...headers,
  ];
  connection.write(`${lines.join("\r\n")}\r\n\r\n`);
  return connection;
}

/** A WebSocket that is open. */
export async function openWebSocket(port: number, options: UpgradeOptions = {}): Promise<RawConnection> {
  const connection = await upgrade(port, options);
  const status = await connection.status();
  if (status !== 101) throw new Error(`The upgrade was answered with ${status}.`);
  await connection.until(() => connection.text.includes("\r\n\r\n"));
  return connection;
}
