import type { ProcessFacts } from "./platform.ts";

/** Whether a file is found by its name as it was made alone: macOS and Windows find it in another case, too, and macOS in any Unicode normalisation. */
export function hasOneSpelling({ process }: { readonly process: Pick<ProcessFacts, "platform"> }): boolean {
  return process.platform !== "darwin" && process.platform !== "win32";
}
