import { randomBytes } from "node:crypto";

export interface FrameSpec {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  readonly fin?: boolean;
  /** The three reserved bits, e.g. 4 for the first. */
  readonly rsv?: number;
  readonly masked?: boolean;
  /** Told instead of the true length. */
  readonly declaredLength?: number;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The bytes of one frame, right or wrong. */
export function frame(spec: FrameSpec): Buffer {
  const { opcode, payload = "", fin = true, rsv = 0, masked = true } = spec;
  const data = Buffer.from(payload);
  const length = spec.declaredLength ?? data.length;
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const maskBit = masked ? 0x80 : 0;
  let head: Buffer;
  if (length < 126) head = Buffer.from([first, maskBit | length]);
  else if (length < 65_536) {
    head = Buffer.alloc(4);
    head[0] = first;
    head[1] = maskBit | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head = Buffer.alloc(10);
    head[0] = first;
    head[1] = maskBit | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  const hidden = Buffer.allocUnsafe(data.length);
  for (let index = 0; index < data.length; index += 1) hidden[index] = (data[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return Buffer.concat([head, mask, hidden]);
}

export interface ReceivedFrame {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly rsv: number;
  readonly isFinal: boolean;
}

export interface ReadFrames {
  readonly frames: readonly ReceivedFrame[];
  readonly rest: Buffer;
  /** How long `rest` must get before there is another frame, as far as that is known. */
  readonly neededBytes: number;
}

/** Takes whole frames of a server off the front of what was received. */
export function readFrames(bytes: Buffer): ReadFrames {
  const frames: ReceivedFrame[] = [];
  let at = 0;
  let neededBytes = 0;
  for (;;) {
    const [first, second] = [bytes[at], bytes[at + 1]];
    if (first === undefined || second === undefined) break;
    let length = second & 0x7f;
    let start = at + 2;
    if (length === 126) {
      if (bytes.length < start + 2) break;
      length = bytes.readUInt16BE(start);
      start += 2;
    } else if (length === 127) {
      if (bytes.length < start + 8) break;
      length = Number(bytes.readBigUInt64BE(start));
      start += 8;
    }
    if (bytes.length < start + length) {
      neededBytes = start + length - at;
      break;
    }
    const payload = bytes.subarray(start, start + length);
    frames.push({ opcode: first & 0x0f, rsv: (first >> 4) & 7, isFinal: (first & 0x80) !== 0, payload });
    at = start + length;
  }
  return { frames, rest: bytes.subarray(at), neededBytes };
}
