import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import * as z from "zod";
import type { AgentDriverOptions } from "./agent-driver.ts";

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

const lockSchema = z.object({
  pid: z.number().optional(),
  workspaceFolders: z.array(z.string()).default([]),
  ideName: z.string().default("IDE"),
  transport: z.string().optional(),
  authToken: z.string().optional(),
});

/**
 * The companion that Claude Code 2.1.328 connects to by itself, or undefined (docs/protocols/claude.md): the lock of
 * the port in the environment, whatever its folders; else the one lock whose folders hold the working directory, letter
 * by letter. Two such locks: none, the user would be asked. Locks of dead processes are deleted.
 */
export function findClaudeCompanion(options: AgentDriverOptions): CompanionAddress | undefined {
  const environment = options.environment ?? {};
  const configured = environment["CLAUDE_CONFIG_DIR"];
  const bases = configured === undefined ? [] : [configured];
  const found = [...bases, join(options.home, ".claude")]
    .flatMap((base) => readDiscoveryFiles(join(base, "ide"), /^\d+\.lock$/))
    .flatMap((file) => readLock(file));
  const unique = Array.from(new Map(found.map((lock) => [lock.address.port, lock])).values());
  const named = unique.find((lock) => String(lock.address.port) === environment["CLAUDE_CODE_SSE_PORT"]);
  if (named !== undefined) return named.address;
  const matching = unique.filter((lock) => lock.folders.some((folder) => isWithin(folder, options.cwd)));
  return matching.length === 1 ? matching[0]?.address : undefined;
}

interface FoundLock {
  readonly address: CompanionAddress;
  readonly folders: readonly string[];
}

function readLock(file: DiscoveryFile): readonly FoundLock[] {
  const lock = lockSchema.safeParse(file.content).data;
  if (lock === undefined) return [];
  if (lock.pid !== undefined && !isAlive(lock.pid)) {
    rmSync(file.path, { force: true });
    return [];
  }
  if (lock.transport !== "ws") return [];
  const port = Number(file.name.replace(".lock", ""));
  const address = { port, token: lock.authToken, editorName: lock.ideName, record: file.path };
  return [{ address, folders: lock.workspaceFolders }];
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

const recordSchema = z.object({
  port: z.union([z.number(), z.string().transform(Number)]),
  workspacePath: z.string().optional(),
  authToken: z.string().optional(),
  ideInfo: z.object({ name: z.string(), displayName: z.string() }).optional(),
});

const namePattern = /^gemini-ide-server-(\d+)-(\d+)\.json$/;

interface Candidate {
  readonly file: DiscoveryFile;
  readonly pid: number;
  readonly record: z.infer<typeof recordSchema>;
}

/**
 * Finds the one companion that Gemini CLI 0.61.0 would try, or undefined (docs/protocols/gemini.md, discovery): the
 * legacy record of its own pid, else the best ranked record whose workspace holds the working directory, else what
 * the environment says.
 */
export function findGeminiCompanion(options: AgentDriverOptions): CompanionAddress | undefined {
  const environment = options.environment ?? {};
  const directory = join(options.temporaryDirectory, "gemini", "ide");
  const ownPid = Number(environment["GEMINI_CLI_IDE_PID"] ?? options.idePid ?? process.pid);
  const legacy = candidates(readDiscoveryFiles(directory, new RegExp(`^gemini-ide-server-${ownPid}\\.json$`)), ownPid);
  const matching = candidates(readDiscoveryFiles(directory, namePattern)).filter((candidate) =>
    workspaceHolds(candidate.record.workspacePath, options.cwd),
  );
  const environmentPort = Number(environment["GEMINI_CLI_IDE_SERVER_PORT"] ?? 0);
  const best =
    legacy[0] ?? matching.sort((a, b) => rank(b, ownPid, environmentPort) - rank(a, ownPid, environmentPort))[0];
  if (best === undefined) return fromEnvironment(environment, options.cwd);
  // Without both names only a few terminals are accepted, none of which a driver pretends to be.
  if (best.record.ideInfo === undefined) return undefined;
  const { port, authToken, ideInfo } = best.record;
  return { port, token: authToken, editorName: ideInfo.displayName, record: best.file.path };
}

function candidates(files: readonly DiscoveryFile[], pidOfLegacy?: number): Candidate[] {
  const uid = process.getuid?.();
  return files.flatMap((file) => {
    const parsed = recordSchema.safeParse(file.content);
    if (!parsed.success || (uid !== undefined && file.uid !== uid)) return [];
    return [{ file, record: parsed.data, pid: pidOfLegacy ?? Number(namePattern.exec(file.name)?.[1] ?? 0) }];
  });
}

function rank(candidate: Candidate, ownPid: number, environmentPort: number): number {
  const tiers = [candidate.record.port === environmentPort, candidate.pid === ownPid, isAlive(candidate.pid)];
  // Each tier outweighs all below it; among equals the largest pid wins.
  return tiers.reduce((sum, holds, index) => sum + (holds ? 2 ** (40 - index) : 0), candidate.pid);
}

function workspaceHolds(workspacePath: string | undefined, cwd: string): boolean {
  if (workspacePath === undefined || workspacePath === "") return false;
  // An empty segment matches any directory: a quirk of the client that a companion must never trigger.
  return workspacePath.split(delimiter).some((root) => root === "" || isWithinReal(decodeUri(root), cwd));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function fromEnvironment(environment: Readonly<Record<string, string>>, cwd: string): CompanionAddress | undefined {
  const port = Number(environment["GEMINI_CLI_IDE_SERVER_PORT"] ?? 0);
  if (port === 0 || !workspaceHolds(environment["GEMINI_CLI_IDE_WORKSPACE_PATH"], cwd)) return undefined;
  return { port, token: environment["GEMINI_CLI_IDE_AUTH_TOKEN"], editorName: "IDE", record: undefined };
}

const qwenLockSchema = z.object({
  port: z.union([z.number(), z.string().transform(Number)]),
  workspacePath: z.string(),
  authToken: z.string().optional(),
  ppid: z.number().optional(),
  ideInfo: z.object({ name: z.string(), displayName: z.string() }).optional(),
});

/**
 * The companions that Qwen Code 0.24.4 would try, best first (docs/protocols/qwen.md): the lock named by the port in
 * the environment, then the newest lock whose workspace holds the working directory. As the client does, scanned locks
 * of dead processes are deleted.
 */
export function findQwenCompanions(options: AgentDriverOptions): readonly CompanionAddress[] {
  const environment = options.environment ?? {};
  const base = environment["QWEN_HOME"] ?? join(options.home, ".qwen");
  const locks = readDiscoveryFiles(join(base, "ide"), /^\d+\.lock$/).filter((file) => !removeWhenStale(file));
  const named = `${environment["QWEN_CODE_IDE_SERVER_PORT"] ?? ""}.lock`;
  return Array.from(locks)
    .sort((a, b) => Number(b.name === named) - Number(a.name === named) || b.modifiedMs - a.modifiedMs)
    .flatMap((file) => {
      const lock = qwenLockSchema.safeParse(file.content).data;
      if (lock?.ideInfo === undefined || !lockHolds(lock.workspacePath, options.cwd)) return [];
      const { port, authToken, ideInfo } = lock;
      return [{ port, token: authToken, editorName: ideInfo.displayName, record: file.path }];
    });
}

function lockHolds(workspacePath: string, cwd: string): boolean {
  return workspacePath.split(delimiter).some((root) => root !== "" && isWithinReal(root, cwd));
}

function removeWhenStale(file: DiscoveryFile): boolean {
  const lock = qwenLockSchema.safeParse(file.content).data;
  if (lock === undefined) return false;
  const stale = lock.ppid === undefined ? !existsSync(lock.workspacePath) : !isAlive(lock.ppid);
  if (stale) rmSync(file.path, { force: true });
  return stale;
}
