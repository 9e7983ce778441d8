import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameSplitter } from "../../src/endpoint/websocket-peer.ts";
import { frame } from "./raw-web-socket.ts";

const longest = 256 * 1024;

interface ReadFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

/** A client's frames, unmasked. */
function framesIn(bytes: Buffer): readonly ReadFrame[] {
  const frames: ReadFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [first = 0, second = 0] = bytes.subarray(at, at + 2);
    const short = second & 0x7f;
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    at += short === 127 ? 10 : short === 126 ? 4 : 2;
    const mask = bytes.subarray(at, at + 4);
    at += 4;
    const payload = Buffer.from(bytes.subarray(at, at + length).map((byte, index) => byte ^ (mask[index & 3] ?? 0)));
    frames.push({ opcode: first & 15, isFinal: (first & 0x80) !== 0, payload });
    at += length;
  }
  return frames;
}

/** Messages by their kinds and contents, and control frames, as a receiver has them. */
function messagesIn(frames: readonly ReadFrame[]): readonly (readonly [kind: number, payload: string])[] {
  const messages: (readonly [number, string])[] = [];
  let kind = 0;
  let parts: Buffer[] = [];
  for (const { opcode, isFinal, payload } of frames) {
    if (opcode >= 8) messages.push([opcode, payload.toString("latin1")]);
    else {
      if (opcode !== 0) kind = opcode;
      parts.push(payload);
      if (!isFinal) continue;
      messages.push([kind, Buffer.concat(parts).toString("latin1")]);
      parts = [];
    }
  }
  return messages;
}

function splitBy(splitter: FrameSplitter, bytes: Buffer, chunkLength: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkLength) {
    parts.push(...splitter.split(bytes.subarray(start, start + chunkLength)));
  }
  return Buffer.concat(parts);
}

const payload = fc
  .constantFrom(0, 1, 125, 126, 65_536, longest, longest + 1, 2 * longest + 3)
  .map((length) => Buffer.alloc(length, "some words "));
const message = fc
  .tuple(fc.array(payload, { minLength: 1, maxLength: 3 }), fc.constantFrom(1, 2), fc.boolean())
  .map(([parts, opcode, pings]) =>
    parts.flatMap((part, index) => [
      frame(part, { opcode: index === 0 ? opcode : 0, fin: index === parts.length - 1 }),
      ...(pings ? [frame("ping", { opcode: 9 })] : []),
    ]),
  );

describe("a client's frames", () => {
  it("say the same in parts of a bounded size, wherever the chunks are cut", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 3 }), fc.constantFrom(1_000, 65_536, 99_999), (all, chunkLength) => {
        const bytes = Buffer.concat(all.flat());
        const splitter = new FrameSplitter(64 * 1024 * 1024);
        const after = framesIn(splitBy(splitter, bytes, chunkLength));
        for (const one of after) expect(one.payload.length).toBeLessThanOrEqual(longest);
        const told = messagesIn(after).map(([kind, text]) => {
          if (kind >= 8) return [kind, text];
          // A long text comes as a binary message.
          return [splitter.takeKind() === "long-text" ? 1 : kind, text];
        });
        const wanted = messagesIn(framesIn(bytes));
        expect(told.map(([kind]) => kind)).toEqual(wanted.map(([kind]) => kind));
        expect(told.every(([, text], index) => text === wanted[index]?.[1])).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("are left as they are where they come byte by byte", () => {
    const bytes = Buffer.concat([frame("one"), frame("ping", { opcode: 9 }), frame(Buffer.alloc(300))]);
    expect(splitBy(new FrameSplitter(1_000), bytes, 1).equals(bytes)).toBe(true);
  });

  it.each([
    ["unmasked", frame(Buffer.alloc(longest + 1), { masked: false })],
    ["marked with what nobody agreed on", frame(Buffer.alloc(longest + 1), { reserved: 0x40 })],
    ["longer than anything that is taken", frame(Buffer.alloc(longest + 1), { declaredLength: 3 * longest })],
  ])("are left to be refused where they are %s", (_what, bytes) => {
    expect(splitBy(new FrameSplitter(2 * longest), bytes, 65_536).equals(bytes)).toBe(true);
  });
});
