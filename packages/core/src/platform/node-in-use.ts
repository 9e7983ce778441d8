import process from "node:process";
import { errorCodeOf } from "../support/errors.ts";

/** What Windows says of a file that somebody else has open, if only to read it or to look for viruses in it. */
const inUse: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** It doubles from the first pause to the last, ms: 1.3 s in all. */
const [firstPauseMs, lastPauseMs] = [5, 640];

/** Replaces or removes a file: on Windows again and again for a while, as it refuses that as long as the file is open elsewhere. */
export async function whileInUse<T>(
  work: () => Promise<T>,
  isWindows: boolean = process.platform === "win32",
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      if (!isWindows || pauseMs > lastPauseMs || !inUse.has(errorCodeOf(error))) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
