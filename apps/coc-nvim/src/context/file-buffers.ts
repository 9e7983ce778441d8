import { asBoolean, asNumber, asShape, asText } from "../vim/shape.ts";

/** A buffer that shows a file. */
export interface FileBuffer {
  readonly number: number;
  readonly path: string;
  /** On the disk; a buffer that was never written is not shared with anybody. */
  readonly exists: boolean;
  readonly modified: boolean;
  readonly type: string;
  /** When it was used last, Unix seconds. */
  readonly used: number;
}

/** Reads what `patchbay#track#buffer()` says; undefined for buffers that show no file. */
export function readFileBuffer(value: unknown): FileBuffer | undefined {
  const shape = asShape(value);
  const number = asNumber(shape["number"]);
  const path = asText(shape["path"]);
  if (number <= 0 || path === "") return undefined;
  return {
    number,
    path,
    exists: asBoolean(shape["exists"]),
    modified: asBoolean(shape["modified"]),
    type: asText(shape["type"]),
    used: asNumber(shape["used"]),
  };
}

/** The loaded file buffers of the editor, by number. */
export class FileBuffers {
  readonly #buffers: Map<number, FileBuffer> = new Map();

  get(number: number): FileBuffer | undefined {
    return this.#buffers.get(number);
  }

  ofPath(path: string): FileBuffer | undefined {
    for (const buffer of this.#buffers.values()) if (buffer.path === path) return buffer;
    return undefined;
  }

  /** Paths of those that are on the disk. */
  paths(): readonly string[] {
    return [...new Set([...this.#buffers.values()].filter((buffer) => buffer.exists).map((buffer) => buffer.path))];
  }

  /** Takes a buffer in; says what it was before. */
  put(buffer: FileBuffer): FileBuffer | undefined {
    const before = this.#buffers.get(buffer.number);
    this.#buffers.set(buffer.number, buffer);
    return before;
  }

  setModified(number: number, modified: boolean): void {
    const buffer = this.#buffers.get(number);
    if (buffer !== undefined && buffer.modified !== modified) this.#buffers.set(number, { ...buffer, modified });
  }

  remove(number: number): FileBuffer | undefined {
    const buffer = this.#buffers.get(number);
    this.#buffers.delete(number);
    return buffer;
  }

  all(): readonly FileBuffer[] {
    return [...this.#buffers.values()];
  }
}
