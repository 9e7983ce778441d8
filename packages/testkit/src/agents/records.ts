import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";

/** A record that a companion left for agents. */
export interface DiscoveryFile {
  readonly path: string;
  readonly name: string;
  readonly uid: number;
  readonly modifiedMs: number;
  /** Parsed JSON, undefined where it is none. */
  readonly content: unknown;
}

/** The regular files of a directory whose names match; none where there is no such directory. */
export function readDiscoveryFiles(directory: string, name: RegExp): readonly DiscoveryFile[] {
  return namesIn(directory).flatMap((entry) => {
    if (!name.test(entry)) return [];
    const path = join(directory, entry);
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isFile() !== true) return [];
    const modifiedMs = statSync(path).mtimeMs;
    return [{ path, name: entry, uid: facts.uid, modifiedMs, content: readJson(path) }];
  });
}

/** Whether `directory` is `root` or below it, links resolved on both sides. */
export function isWithinReal(root: string, directory: string): boolean {
  return isWithin(realOrSame(root), realOrSame(directory));
}

/** Whether `directory` is `root` or below it, by the letters of the paths. */
export function isWithin(root: string, directory: string): boolean {
  const way = relative(root, directory);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to someone else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A companion as an agent found it. */
export interface CompanionAddress {
  readonly port: number;
  readonly token: string | undefined;
  /** What the agent shows to the user. */
  readonly editorName: string;
  /** The record it was found through; undefined where the environment alone named it. */
  readonly record: string | undefined;
}
