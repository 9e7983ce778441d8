import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { type Clock, type Logger, messageOf } from "@patchbay/core";
import { mergeTexts } from "@patchbay/core/texts";
import type { FilePlace, SessionHost } from "../driver.ts";
import type { FileChange, OptionValue } from "../model/index.ts";
import type { Answered } from "./json-rpc.ts";
import type { AcpProfile } from "./profiles.ts";
import { type EditedFile } from "./prompts.ts";
import { rpcCodes } from "./failures.ts";
import { isBelow } from "./permissions.ts";
import type { ReadRequest, WriteRequest } from "./wire.ts";

/** What the door needs to know of its session. */
export interface DoorContext {
  readonly profile: AcpProfile;
  readonly host: SessionHost;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether the agent asks before it writes, in the mode it is in. */
  asks(): OptionValue["asks"];
  /** Asks the user about a write that no permission covers; undefined: no. The text may be another than the agent's. */
  ask(change: FileChange): Promise<{ readonly text: string } | undefined>;
  /** Asks the user whether a file outside the workspace may be read, of which the agent has not asked. */
  askToRead(path: string): Promise<"file" | "folder" | undefined>;
  /** A file was written. `callId`: the call that was asked for. */
  onWritten(change: FileChange, isAsked: boolean, callId: string | undefined): void;
}

/** A change that the user has allowed. */
interface Permit {
  readonly callId: string;
  /** What the file held when the agent asked; undefined where it was not there. */
  readonly before: string | undefined;
  /** What the agent has said that it writes. */
  readonly proposed: string;
  /** What the user wants instead. */
  readonly edited: string | undefined;
}

/**
 * The door between an agent and files: it reads the text that the editor has, and writes what the user has allowed, as they
 * want it. What nobody has allowed is asked for here, unless the agent is in a mode in which it does not ask. Outside the
 * workspace so are reads, and writes where the user has allowed edits in general.
 */
export class FileDoor {
  readonly #context: DoorContext;
  readonly #permits: Map<string, Permit> = new Map();
  /** Those by which something was written. */
  readonly #used: WeakSet<Permit> = new WeakSet();
  readonly #edited: Set<string> = new Set();
  /** Files outside the workspace, and folders, that the user has let the agent read. */
  readonly #readable: Set<string> = new Set();
  #isOpenToEdits = false;

  constructor(context: DoorContext) {
    this.#context = context;
  }

  /** The user has allowed a change of a call. */
  allow(path: string, permit: Permit): void {
    this.#permits.set(path, permit);
  }

  /** The user has allowed what a call does with some files. `forGood`: and with others beside them. */
  allowReads(paths: readonly string[], forGood: boolean): void {
    for (const path of paths) this.#readable.add(forGood ? dirname(path) : path);
  }

  /** The user has allowed all edits: the agent asks no more. */
  allowEdits(): void {
    this.#isOpenToEdits = true;
  }

  /** The agent is in another mode: what was allowed for good was so in the one before. */
  resetEdits(): void {
    this.#isOpenToEdits = false;
  }

  /** A call has ended: it writes nothing more. */
  forget(callId: string): void {
    for (const [path, permit] of this.#permits) if (permit.callId === callId) this.#permits.delete(path);
  }

  /** The files that the user made something else of than the agent believes, with their text by now; each is told once. */
  async takeEdited(): Promise<readonly EditedFile[]> {
    const paths = Array.from(this.#edited);
    this.#edited.clear();
    const files = await Promise.all(
      paths.map(async (path) => ({ path, text: await this.#context.host.readText(path).catch(() => undefined) })),
    );
    return files.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  }

  /** `fs/read_text_file`. */
  async read({ path, line, limit }: ReadRequest): Promise<Answered> {
    const { host, profile } = this.#context;
    const place = await this.#placeOf(path);
    if ("kind" in place) return place;
    const text = await host.readText(path);
    if (text === undefined) {
      if (profile.missingFile === "empty") return { kind: "result", value: { content: "" } };
      return {
        kind: "error",
        error: { code: rpcCodes.notFound, message: `Resource not found: ${path}`, data: { uri: path } },
      };
    }
    if (!place.isInside && !(await this.#mayReadOutside(path))) return notShared(path);
    if (line === undefined && limit === undefined) return { kind: "result", value: { content: text } };
    const start = Math.max(1, line ?? 1) - 1;
    return { kind: "result", value: { content: linesFrom(text, start, limit) } };
  }

  /** `fs/write_text_file`. */
  async write({ path, text }: WriteRequest): Promise<Answered> {
    if (!isAbsolute(path)) return refused(`The path is not absolute: ${path}`);
    const permit = this.#permits.get(path);
    if (permit !== undefined && (await this.#isAllowed(path, permit, text))) {
      this.#used.add(permit);
      const wanted = permit.edited === undefined ? text : inFormOf(text, permit.edited);
      return await this.#put(path, wanted, { isAsked: true, isEdited: wanted !== text, callId: permit.callId });
    }
    const place = await this.#placeOf(path);
    if ("kind" in place) return place;
    if (this.#isUnasked(place.isInside || this.#isOwn(path)))
      return await this.#put(path, text, { isAsked: false, isEdited: false, callId: undefined });
    return await this.#askFirst(path, text);
  }

  /**
   * Whether this is the change that the user has allowed. One agent makes its change anew of what the file holds when it writes, which
   * may have changed while its question waited. A text of the user's takes the place of whatever the call writes first.
   */
  async #isAllowed(path: string, permit: Permit, text: string): Promise<boolean> {
    if (isSameText(permit.proposed, text) || (permit.edited !== undefined && !this.#used.has(permit))) return true;
    const { host, clock } = this.#context;
    const held = await host.readText(path).catch(() => undefined);
    if (permit.before === undefined || held === undefined) return false;
    const made = await mergeTexts(plain(permit.before), plain(permit.proposed), plain(held), clock);
    return made.kind === "clean" && isSameText(made.text, text);
  }

  #isUnasked(isAtHome: boolean): boolean {
    const asks = this.#context.asks();
    return asks === "never" || (isAtHome && (this.#isOpenToEdits || asks === "sometimes"));
  }

  /** In the folder that is the agent's own. */
  #isOwn(path: string): boolean {
    const { ownFolder } = this.#context.profile;
    const home = knownHome();
    return ownFolder !== undefined && home !== undefined && isBelow(join(home, ownFolder), path);
  }

  async #mayReadOutside(path: string): Promise<boolean> {
    if (this.#context.asks() === "never") return true;
    if (Array.from(this.#readable).some((one) => isBelow(one, path))) return true;
    if (this.#isOwn(path)) return false;
    const allowed = await this.#context.askToRead(path);
    if (allowed !== undefined) this.allowReads([path], allowed === "folder");
    return allowed !== undefined;
  }

  async #askFirst(path: string, text: string): Promise<Answered> {
    const before = await this.#context.host.readText(path);
    const allowed = await this.#context.ask({ path, ...(before === undefined ? {} : { before }), after: text });
    if (allowed === undefined) return refused("The user did not allow this change.");
    const wanted = inFormOf(text, allowed.text);
    return await this.#put(path, wanted, { isAsked: true, isEdited: wanted !== text, callId: undefined });
  }

  async #put(
    path: string,
    text: string,
    how: { readonly isAsked: boolean; readonly isEdited: boolean; readonly callId: string | undefined },
  ): Promise<Answered> {
    const { host, logger } = this.#context;
    const before = await host.readText(path);
    try {
      await host.writeText(path, text);
    } catch (error) {
      logger.warn("A file could not be written for an agent", { reason: messageOf(error) });
      return refused(`The file could not be written: ${messageOf(error)}`);
    }
    if (how.isEdited) this.#edited.add(path);
    else this.#edited.delete(path);
    this.#context.onWritten(
      { path, ...(before === undefined ? {} : { before }), after: text },
      how.isAsked,
      how.callId,
    );
    return { kind: "result", value: {} };
  }

  /** Where a path leads; or why nothing is done with it. */
  async #placeOf(path: string): Promise<FilePlace | Answered> {
    if (!isAbsolute(path)) return refused(`The path is not absolute: ${path}`);
    try {
      const place = await this.#context.host.locate(path);
      return place.isShared ? place : notShared(path);
    } catch (error) {
      return refused(`${messageOf(error)} (${path})`);
    }
  }
}

/** One agent reads its own files by itself then. */
function notShared(path: string): Answered {
  return refused(`The editor does not share this file: ${path}`, { errorKind: "path_outside_workspace" });
}

function refused(message: string, data?: unknown): Answered {
  const error = { code: rpcCodes.internal, message };
  return { kind: "error", error: data === undefined ? error : { ...error, data } };
}

/** Lines with their ends, from an index on. */
function linesFrom(text: string, start: number, limit: number | undefined): string {
  const lines = text.split("\n");
  const end = limit === undefined ? lines.length : start + limit;
  const part = lines.slice(start, end).join("\n");
  return end < lines.length && part !== "" ? `${part}\n` : part;
}

const byteOrderMark = "\uFEFF";

function plain(text: string): string {
  return text.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");
}

/** Agents compare and show texts with other ends of lines than they write. */
function isSameText(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

/** A text of the user's with the ends of lines and the mark at the start of the agent's. */
function inFormOf(model: string, text: string): string {
  if (isSameText(model, text)) return model;
  const hasReturns = model.includes("\r\n");
  const lines = hasReturns && !text.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
  return model.startsWith(byteOrderMark) && !lines.startsWith(byteOrderMark) ? byteOrderMark + lines : lines;
}

/** In a container the process may run under an id that the system does not know: without HOME Node throws there. */
function knownHome(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
