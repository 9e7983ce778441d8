import { writeFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";

// Draws media/icon.png: two rows of sockets and two cables between them. `node scripts/draw-icon.mts`

type Colour = readonly [red: number, green: number, blue: number];
interface Point {
  readonly x: number;
  readonly y: number;
}

/** In which the shapes are measured. */
const size = 128;
/** Width and height of the picture, pixels: galleries show it on dense screens, too. */
const pixels = 256;
const sockets: readonly Point[] = [34, 94].flatMap((y) => [26, 64, 102].map((x) => ({ x, y })));
const cables: readonly { readonly from: Point; readonly to: Point; readonly colour: Colour }[] = [
  { from: { x: 26, y: 34 }, to: { x: 102, y: 94 }, colour: [255, 176, 59] },
  { from: { x: 64, y: 34 }, to: { x: 26, y: 94 }, colour: [77, 208, 196] },
];

/** A cable hangs in an S from one socket to the other. */
function cablePoint(from: Point, to: Point, along: number): Point {
  const eased = along * along * (3 - 2 * along);
  return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * along };
}

function cableDistance(from: Point, to: Point, x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let step = 0; step <= 100; step++) {
    const point = cablePoint(from, to, step / 100);
    nearest = Math.min(nearest, Math.hypot(point.x - x, point.y - y));
  }
  return nearest;
}

/** How much of a pixel lies within a shape whose edge is `distance` away. */
function coverage(distance: number): number {
  return Math.max(0, Math.min(1, 0.5 - (distance * pixels) / size));
}

function roundedSquareDistance(x: number, y: number): number {
  const half = size / 2;
  const corner = 26;
  const dx = Math.abs(x - half) - (half - 2 - corner);
  const dy = Math.abs(y - half) - (half - 2 - corner);
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner;
}

function blend(under: Colour, over: Colour, amount: number): Colour {
  const mix = (a: number, b: number): number => a + (b - a) * amount;
  return [mix(under[0], over[0]), mix(under[1], over[1]), mix(under[2], over[2])];
}

function pixel(x: number, y: number): readonly number[] {
  let colour: Colour = [31, 41, 58];
  for (const socket of sockets) {
    const distance = Math.hypot(socket.x - x, socket.y - y);
    colour = blend(colour, [138, 155, 181], coverage(distance - 13));
    colour = blend(colour, [17, 23, 34], coverage(distance - 9));
  }
  for (const cable of cables) {
    const distance = cableDistance(cable.from, cable.to, x, y);
    colour = blend(colour, [17, 23, 34], coverage(distance - 6));
    colour = blend(colour, cable.colour, coverage(distance - 4));
    for (const end of [cable.from, cable.to]) {
      colour = blend(colour, cable.colour, coverage(Math.hypot(end.x - x, end.y - y) - 7.5));
    }
  }
  return [...colour.map(Math.round), Math.round(coverage(roundedSquareDistance(x, y)) * 255)];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Colours that are closer than this are one, in each part: the file is a third of what it would be, and nobody sees it. */
const step = 8;

function png(): Buffer {
  const palette = new Map<string, readonly number[]>();
  const places = new Map<string, number>();
  const rows = Array.from({ length: pixels }, (_row, y) => {
    const row = Array.from({ length: pixels }, (_column, x) => {
      const exact = pixel(((x + 0.5) * size) / pixels, ((y + 0.5) * size) / pixels);
      const colour = exact.map((part) => Math.min(255, Math.round(part / step) * step));
      const name = colour.join();
      palette.set(name, colour);
      if (!places.has(name)) places.set(name, places.size);
      return places.get(name) ?? 0;
    });
    return Buffer.from([0, ...row]);
  });
  if (palette.size > 256) throw new Error(`${palette.size} colours are too many for a palette.`);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Array.from(palette.values());
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colours.flatMap((colour) => colour.slice(0, 3)))),
    chunk("tRNS", Buffer.from(colours.flatMap((colour) => colour.slice(3)))),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

await writeFile(new URL("../media/icon.png", import.meta.url), png());
