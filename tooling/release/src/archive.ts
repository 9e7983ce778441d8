import { gunzipSync, inflateRawSync } from "node:zlib";

/** The files of a package by their paths in it. */
export type Contents = ReadonlyMap<string, Buffer>;

const block = 512;

/** The files of a package for npm, without the folder that all of them are in. */
export function readTarball(archive: Buffer): Contents {
  const tar = gunzipSync(archive);
  const files = new Map<string, Buffer>();
  let longPath: string | undefined;
  for (let at = 0; at + block <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + block);
    const size = Number.parseInt(textIn(header, 124, 12), 8);
    const body = tar.subarray(at + block, at + block + size);
    const prefix = textIn(header, 345, 155);
    const name = textIn(header, 0, 100);
    const path = longPath ?? (prefix === "" ? name : `${prefix}/${name}`);
    const type = String.fromCharCode(header[156] ?? 0);
    longPath = type === "x" ? /\d+ path=([^\n]+)\n/u.exec(body.toString())?.[1] : undefined;
    if (type === "0" || type === "\0") files.set(path.slice(path.indexOf("/") + 1), body);
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}

function textIn(header: Buffer, from: number, length: number): string {
  return header
    .subarray(from, from + length)
    .toString()
    .replace(/\0.*$/su, "")
    .trim();
}

/** The files of a zip archive, such as a `.vsix`. It reads what `vsce` writes: no parts, no zip64, no passwords. */
export function readZip(archive: Buffer): Contents {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error("This is no zip archive.");
  const files = new Map<string, Buffer>();
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry++) {
    const method = archive.readUInt16LE(at + 10);
    const packed = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const path = archive.subarray(at + 46, at + 46 + nameLength).toString();
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const body = archive.subarray(start, start + packed);
    if (!path.endsWith("/")) files.set(path, method === 0 ? body : inflateRawSync(body));
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}
