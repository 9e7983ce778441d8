import type { Disposable } from "../support/disposable.ts";
import type { Clock } from "../support/time.ts";

/** PORT to everything of the machine that core needs, so that tests run on a fake clock and an in-memory machine. */
export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly process: ProcessFacts;
  /** Absent: this machine starts nothing. */
  readonly processes?: Processes;
}

/** Starts programs that outlive this process. */
export interface Processes {
  /**
   * Starts a process with this JavaScript (CommonJS, for Node) and leaves it to itself. The text goes down a pipe: it may
   * hold secrets, and neither the arguments nor the environment of a process do. False where none can be started. An open
   * `descriptor` of this process is open there as `inheritedDescriptor`, whatever becomes of it here.
   */
  startDetached(program: string, descriptor?: number): Promise<boolean>;
  /**
   * Starts a process with this JavaScript: a CommonJS expression whose value is called with each line that is sent, and with
   * undefined when the pipe ends, be it by `end` or by the end of this process, however it comes. Undefined where none can
   * be started. `descriptor` as with `startDetached`. Absent: this machine starts no such programs.
   */
  startAttached?(program: string, descriptor?: number): Promise<ProgramPipe | undefined>;
}

/** The way to a program of `Processes.startAttached`. What is sent may be secret; it may hold no line feed. */
export interface ProgramPipe {
  /** False once the program is known to have ended. */
  readonly isOpen: boolean;
  /** With the system when it returns, unless the program does not read; nothing happens once the program has ended. */
  send(line: string): void;
  /** Resolves once the program has ended, and nothing of ours that it was given is open there any more. */
  end(): Promise<void>;
}

/** Behind the three that every process has, and the one down which the program comes. */
export const inheritedDescriptor = 4;

export interface Random {
  /** Cryptographically strong, `byteLength` bytes, as unpadded base64url text. */
  token(byteLength: number): string;
  /** HMAC-SHA-256 of `text` under `key`, as unpadded base64url text. */
  mac(key: string, text: string): string;
}

/** What lstat says; links are never followed. */
export interface FileFacts {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly uid: number;
  /** Permission bits with the sticky and set-id bits, e.g. 0o600 or 0o1777. On Windows always 0o600 and 0o700. */
  readonly mode: number;
  readonly size: number;
  readonly modifiedMs: number;
  /** When anything about it changed last, its name and its mode included; unlike `modifiedMs` nobody can set it. */
  readonly changedMs: number;
  /** Differs between two entries that are there at one time. */
  readonly id: string;
}

/** A file as it was when it was opened. */
export interface OpenedText {
  readonly text: string;
  /** Of the file that was read, whatever has its name by now. */
  readonly facts: FileFacts;
}

/** File operations on private files. Every failure other than the documented values is a thrown system error with its `code`. */
export interface Files {
  /** Facts of the entry itself (no link is followed), or undefined where there is none. */
  lstat(path: string): Promise<FileFacts | undefined>;
  /** Makes one directory level with exactly `mode`; says whether it was there before. */
  makeDirectory(path: string, mode: number): Promise<"created" | "exists">;
  chmod(path: string, mode: number): Promise<void>;
  /**
   * O_CREAT | O_EXCL | O_NOFOLLOW with `mode` from the start; nothing is left where writing fails, or where asking for the
   * next piece does. No fsync: records may be lost with the machine.
   */
  createExclusive(path: string, data: string | Iterable<string>, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; a missing one is fine. */
  remove(path: string): Promise<void>;
  /** Removes a directory if it is empty; a missing one is fine. */
  removeDirectory(path: string): Promise<void>;
  /** For the last moment of a process, where only synchronous code runs. Never throws. */
  removeSync(path: string): void;
  /** The text of a regular file of at most `limitBytes` (opened with O_NOFOLLOW), or undefined where there is no regular file (a link is none), it is larger or not UTF-8. */
  readText(path: string, limitBytes: number): Promise<string | undefined>;
  /**
   * As `readText`, with what the system says of the file that was opened: whose text it is. An `lstat` before or after may be
   * of another file.
   */
  readOpened(path: string, limitBytes: number): Promise<OpenedText | undefined>;
  /**
   * The bytes of the regular file at a path without links, such as `realPath` and `checkPath` give, of at most `limitBytes`.
   * Undefined where there is no regular file, it is larger, or a link stands at any level of the path by now: what was
   * checked before may have been replaced since, so it is the opened file that is looked at. Never waits for a pipe.
   * `found`: what `lstat` has just said of it, which saves asking once more.
   */
  readReal(path: string, limitBytes: number, found?: FileFacts): Promise<Uint8Array | undefined>;
  /**
   * Replaces the whole text of a regular file in place, so that its owner, mode and links stay, if it still holds
   * `heldText` at that moment; `stale` where it holds anything else, or is no regular file (a link is none).
   */
  replaceText(path: string, heldText: string, text: string): Promise<"replaced" | "stale">;
  /** Whether a regular file starts with the UTF-8 byte order mark; false where it cannot be read. */
  startsWithByteOrderMark(path: string): Promise<boolean>;
  /** Names in a directory; empty where there is none. */
  list(path: string): Promise<readonly string[]>;
  /** All links resolved, or undefined where the path does not exist. */
  realPath(path: string): Promise<string | undefined>;
  /** What a link says, as it stands there; undefined where there is no link. */
  readLink(path: string): Promise<string | undefined>;
  /**
   * Tells that entries of a directory came, went or changed, or that the directory itself did; never keeps the process alive.
   * Undefined where it cannot be watched. Absent: nothing can be on this machine.
   */
  watch?(directory: string, onChange: () => void): Disposable | undefined;
}

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  /** The user's numeric id; -1 on Windows. */
  readonly uid: number;
  readonly platform: string;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  environment(name: string): string | undefined;
  /** Whether a process with this id exists and has not ended; true where it cannot be told. */
  isAlive(pid: number): boolean;
  /** The parent of another process, or undefined where it cannot be told. */
  parentOf(pid: number): Promise<number | undefined>;
  /** A text that differs between two processes that had one pid after another (start time), or undefined where it cannot be told. */
  startMark(pid: number): Promise<string | undefined>;
  /**
   * The process at the other end of an open loopback connection of ours; undefined where it cannot be told, or where that
   * process only passes connections on. Looks through the descriptors of this user's processes: not for every message.
   */
  peerOf?(ports: TcpPorts): Promise<number | undefined>;
  /** One letter for what a process is at, as `ps` has it (`T`: stopped); undefined where it cannot be told. */
  stateOf?(pid: number): Promise<string | undefined>;
  /** The words with which another process was started, its program first; undefined where it cannot be told. */
  commandOf?(pid: number): Promise<readonly string[] | undefined>;
}

/**
 * Where agents dial: a port of the loopback interface. Those that know no ports dial a socket beside it
 * (`LocalSocketAddress`), which leads to the same endpoint (docs/decisions/0005).
 */
export interface EndpointAddress {
  readonly kind: "tcp";
  readonly port: number;
}

/** A socket of the system's beside the port, for agents that look for no port: a Unix socket, or on Windows a named pipe. */
export interface LocalSocketAddress {
  readonly kind: "unix" | "pipe";
  /** Absolute; of a pipe, its name. */
  readonly path: string;
  /** When it was opened, Unix milliseconds. */
  readonly since: number;
}

/** A TCP connection of this process on the loopback interface. */
export interface TcpPorts {
  readonly localPort: number;
  readonly remotePort: number;
}

/** What tells a program that it runs in a container: left by Docker and by Podman. */
const containerMarks = ["/.dockerenv", "/run/.containerenv"];

/** Whether this machine is a container. Two lstats. Never rejects. */
export async function isInContainer({ files }: Pick<Platform, "files">): Promise<boolean> {
  const marks = await Promise.all(containerMarks.map((path) => files.lstat(path).catch(() => undefined)));
  return marks.some((mark) => mark !== undefined);
}
