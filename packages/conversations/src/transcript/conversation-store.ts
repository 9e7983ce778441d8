import { dirname, join } from "node:path";
import {
  causeOf,
  claimFile,
  createPrivateStorage,
  type Logger,
  markerFor,
  PatchbayError,
  type Platform,
  type PrivateStorage,
  releaseClaim,
} from "@patchbay/core";
import type { ConversationAccess } from "../model/snapshot.ts";
import type { LineFiles } from "./line-files.ts";
import { Transcript } from "./transcript.ts";

export interface ConversationStoreOptions {
  readonly platform: Platform;
  readonly files: LineFiles;
  /** Absolute; for conversations alone, in the host's private storage. Made when first needed. */
  readonly directory: string;
  /** Key of the editor's window, where it has one that outlives its process: after a reload it takes its own conversations again. */
  readonly owner?: string;
  readonly logger: Logger;
}

/** A conversation on disk, and whether it is this window's. */
export interface ConversationFile {
  readonly transcript: Transcript;
  readonly isOwn: boolean;
  /** The same for people. */
  readonly access: ConversationAccess;
  /** Gives the conversation back to other windows. Never rejects. */
  release(): Promise<void>;
}

/** A conversation among the files. */
export interface StoredConversation {
  readonly id: string;
  /** Of its transcript, bytes. */
  readonly size: number;
  readonly modifiedMs: number;
}

const transcriptSuffix = ".ndjson";
const claimSuffix = ".claim";
const textsSuffix = ".files";
/** By it the directory is known to be made and private. */
const markKey = "store";
/** Most bytes of images and texts of files that one conversation keeps. */
const maximumTextBytes = 64 * 1024 * 1024;
const idPattern = /^[A-Za-z0-9_-]{1,100}$/;

/** Where conversations are kept: a transcript for each, and beside it what is large. Private to this user. */
export class ConversationStore {
  readonly #options: ConversationStoreOptions;
  /** For small things: what is not sent yet, the index. */
  readonly values: PrivateStorage;

  constructor(options: ConversationStoreOptions) {
    const { platform, directory, logger } = options;
    this.#options = options;
    this.values = createPrivateStorage({ platform, directory, logger });
  }

  /** Opens a conversation, also one that has no file yet, and takes it for this window unless another one has it. */
  async open(id: string): Promise<ConversationFile> {
    const { platform, logger } = this.#options;
    // It becomes the name of files, and may come from a page.
    if (!idPattern.test(id)) throw new PatchbayError("invalid-argument", "This is not the id of a conversation.");
    const { path: directory, refusal } = await this.#make();
    const path = join(directory, id + claimSuffix);
    let claim: string | undefined;
    let isOwn = true;
    try {
      if (refusal !== undefined) throw refusal;
      claim = await claimFile(platform, path, await markerFor(platform, this.#options.owner));
      isOwn = claim !== undefined;
    } catch (error) {
      // A disk that is full, or cannot be written: the conversation goes on all the same.
      logger.warn("A conversation could not be claimed", { reason: causeOf(error) });
    }
    return {
      transcript: await this.#openTranscript(directory, id, isOwn, refusal),
      isOwn,
      access: { kind: isOwn ? "own" : "read-only" },
      release: async () => {
        if (claim === undefined) return;
        await releaseClaim(platform, path, claim).catch((error: unknown) => {
          logger.warn("A conversation could not be given back", { reason: causeOf(error) });
        });
      },
    };
  }

  /** Reads a conversation, whoever has it. Undefined where there is none. */
  async read(id: string): Promise<Transcript | undefined> {
    if (!idPattern.test(id)) return undefined;
    const directory = await this.#look();
    if (directory === undefined) return undefined;
    const isThere = (await this.#options.files.size(join(directory, id + transcriptSuffix))) !== undefined;
    return isThere ? await this.#openTranscript(directory, id, false) : undefined;
  }

  /** The file of a transcript, for who reads it from its beginning; undefined: nothing may be read where it would be. */
  async locate(id: string): Promise<string | undefined> {
    const directory = await this.#look();
    return directory === undefined ? undefined : join(directory, id + transcriptSuffix);
  }

  /** All conversations that have a transcript. */
  async list(): Promise<readonly StoredConversation[]> {
    const { files } = this.#options.platform;
    const directory = await this.#look();
    if (directory === undefined) return [];
    const names = await files.list(directory);
    const found: StoredConversation[] = [];
    for (const name of names) {
      const id = name.slice(0, -transcriptSuffix.length);
      if (!name.endsWith(transcriptSuffix) || !idPattern.test(id)) continue;
      const facts = await files.lstat(join(directory, name));
      if (facts?.kind !== "file") continue;
      found.push({ id, size: facts.size, modifiedMs: facts.modifiedMs });
    }
    return found;
  }

  /** What its images and texts of files take, bytes. */
  async sizeOfTexts(id: string): Promise<number> {
    const { files } = this.#options.platform;
    const directory = await this.#look();
    if (directory === undefined) return 0;
    const texts = join(directory, id + textsSuffix);
    let size = 0;
    for (const name of await files.list(texts)) size += (await files.lstat(join(texts, name)))?.size ?? 0;
    return size;
  }

  /** Removes everything of a conversation that no window has. False: one has it. */
  async remove(id: string): Promise<boolean> {
    const file = await this.open(id);
    if (!file.isOwn) return false;
    const { files } = this.#options.platform;
    const directory = await this.#look();
    try {
      if (directory === undefined) return true;
      await files.remove(join(directory, id + transcriptSuffix));
      await this.#options.files.removeDirectory(join(directory, id + textsSuffix));
    } finally {
      await file.release();
    }
    return true;
  }

  async #openTranscript(directory: string, id: string, isOwn: boolean, refusal?: unknown): Promise<Transcript> {
    const { platform, files, logger } = this.#options;
    return await Transcript.open({
      path: join(directory, id + transcriptSuffix),
      files: refusal === undefined ? files : closedFiles(refusal),
      clock: platform.clock,
      logger,
      texts: createPrivateStorage({
        platform,
        logger,
        directory: join(directory, id + textsSuffix),
        bounds: [{ prefix: "", maximumBytes: maximumTextBytes }],
      }),
      isOwn,
    });
  }

  /** The directory, made and checked to be private. `refusal`: it is somebody else's, or behind a link, and nothing may be written there. */
  async #make(): Promise<{ readonly path: string; readonly refusal?: unknown }> {
    const { directory, logger } = this.#options;
    try {
      if ((await this.values.read(markKey)) === undefined) await this.values.write(markKey, '{"version":1}');
    } catch (error) {
      logger.warn("Conversations cannot be kept", { reason: causeOf(error) });
    }
    try {
      return { path: dirname((await this.values.locate(markKey)) ?? join(directory, markKey)) };
    } catch (refusal) {
      return { path: directory, refusal };
    }
  }

  /** The directory; undefined where others could have put there what is in it. */
  async #look(): Promise<string | undefined> {
    try {
      await this.values.locate(markKey);
      return this.#options.directory;
    } catch {
      // The storage has logged why.
      return undefined;
    }
  }
}

/** A conversation that nothing may be kept of lives in memory, and says so as with a disk that is full. */
function closedFiles(refusal: unknown): LineFiles {
  const refuse = async (): Promise<never> => {
    throw refusal;
  };
  return {
    size: async () => undefined,
    read: async () => new Uint8Array(),
    append: refuse,
    truncate: refuse,
    replace: refuse,
    removeDirectory: refuse,
  };
}
