import type { Files } from "../platform/platform.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import { byteOrderMark } from "./text-fidelity.ts";

/** Bytes that a file may have more than the text: line ends of two bytes and a byte order mark do not double it. */
const bytesPerUnit = 4;

/** Tells whether an agent has done what the user decided: by the file itself, since agents do not say. */
export class WrittenFiles {
  readonly #files: Pick<Files, "readText">;
  readonly #logger: Logger;

  constructor(files: Pick<Files, "readText">, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
  }

  /** Whether a file holds a text; line ends and a byte order mark, which agents write in their own way, do not count. */
  async holds(path: string, text: string): Promise<boolean> {
    try {
      const found = await this.#files.readText(path, text.length * bytesPerUnit + bytesPerUnit);
      return found !== undefined && plain(found) === plain(text);
    } catch (error) {
      this.#logger.debug("A file could not be compared with what was accepted", { reason: messageOf(error) });
      return false;
    }
  }
}

function plain(text: string): string {
  const body = text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
  return body.replaceAll("\r\n", "\n");
}
