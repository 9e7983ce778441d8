import { stat } from "node:fs/promises";

/** Changes whenever the file is written; undefined where there is none. */
export async function fileMark(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path, { bigint: true });
    return `${facts.ino}:${facts.size}:${facts.mtimeNs}`;
  } catch {
    // No such file, or none that can be seen: the same to whoever waits for it.
    return undefined;
  }
}
