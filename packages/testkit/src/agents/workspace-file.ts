import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const byteOrderMark = "\uFEFF";

/** What an agent keeps in mind of a file between reading and writing it. */
export interface WorkspaceFile {
  readonly exists: boolean;
  readonly hasByteOrderMark: boolean;
  readonly usesCrLf: boolean;
}

export function inspectFile(path: string): WorkspaceFile {
  if (!existsSync(path)) return { exists: false, hasByteOrderMark: false, usesCrLf: false };
  const text = readFileSync(path, "utf8");
  return { exists: true, hasByteOrderMark: text.startsWith(byteOrderMark), usesCrLf: text.includes("\r\n") };
}

/** Puts a byte order mark in front, unless there is one. */
export function withByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text : byteOrderMark + text;
}

/** Puts a byte order mark in front, also where there is one: a client that does so shows when it is handed one too many. */
export function prependByteOrderMark(text: string): string {
  return byteOrderMark + text;
}

export function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

export function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
