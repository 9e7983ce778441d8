import type { WindowSet } from "./attached-window.ts";

/** What decoding needs of Theia. */
export interface Encodings {
  /** What the bytes themselves show: a byte order mark, or what UTF-16 looks like without one. */
  detect(bytes: Uint8Array): Promise<string | undefined>;
  decode(bytes: Uint8Array, encoding: string): string;
}

/** Reads files as the windows of a workspace do: in the encoding of the settings, or the one that the user chose for a document. */
export class FileDecoding {
  readonly #encodings: Encodings;
  readonly #windows: WindowSet;
  /** By path, for the time in which a window is loaded anew: the text of a file must not change with it. */
  readonly #known: Map<string, string> = new Map();

  constructor(encodings: Encodings, windows: WindowSet) {
    this.#encodings = encodings;
    this.#windows = windows;
  }

  /** The text of a file's bytes; undefined where that is plain UTF-8. */
  async decode(path: string, bytes: Uint8Array): Promise<string | undefined> {
    // What the bytes show wins over the settings in Theia, too.
    const encoding = (await this.#encodings.detect(bytes)) ?? (await this.#encodingOf(path));
    return encoding === undefined || encoding.startsWith("utf8") ? undefined : this.#encodings.decode(bytes, encoding);
  }

  async #encodingOf(path: string): Promise<string | undefined> {
    const windows = this.#windows.byUse();
    const window = windows.find(({ context }) => context.files.some((file) => file.path === path)) ?? windows[0];
    try {
      const encoding = await window?.call((client) => client.encodingOf(path));
      if (encoding !== undefined) this.#known.set(path, encoding);
    } catch (error) {
      // What was known before counts while nobody can be asked.
      if (window?.isGone !== true) throw error;
    }
    return this.#known.get(path);
  }
}
