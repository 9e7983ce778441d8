import { basename, isAbsolute, relative } from "node:path";
import { plainLine } from "../vim/shape.ts";

/** How reviews look and behave; from `patchbay.review.*` and `patchbay.keys.*`. */
export interface ReviewSettings {
  /** `tab`: a tab page of its own; `vertical` and `horizontal`: beside or below the windows of the current one. */
  readonly layout: "tab" | "vertical" | "horizontal";
  /** `auto`: go to a new review when Vim is in Normal mode and nobody types in it; `never`: the cursor stays where it is. */
  readonly focus: "auto" | "never";
  /** What a proposal for a file with unsaved changes does: show it, or leave the decision to the agent's terminal. */
  readonly unsavedChanges: "compare" | "terminal";
  /** Say which keys decide, in the window bar and on entering a review. */
  readonly hints: boolean;
  /** Keys inside a review; an empty text is no key. */
  readonly keys: Readonly<Record<ReviewKey, string>>;
}

export type ReviewKey = "accept" | "reject" | "next" | "previous";

export const reviewKeys: readonly ReviewKey[] = ["accept", "reject", "next", "previous"];

export const defaultKeys: Readonly<Record<ReviewKey, string>> = {
  accept: "<leader>pa",
  reject: "<leader>pr",
  next: "<leader>pn",
  previous: "<leader>pp",
};

/** The key map to make: none where keys are off, and no text that would end the mapping command early. */
export function effectiveKeys(
  enabled: boolean,
  chosen: Readonly<Partial<Record<ReviewKey, string>>>,
): Readonly<Record<ReviewKey, string>> {
  const key = (name: ReviewKey): string => {
    const text = (chosen[name] ?? defaultKeys[name]).trim();
    return enabled && !/[\s|]/u.test(text) ? text : "";
  };
  return { accept: key("accept"), reject: key("reject"), next: key("next"), previous: key("previous") };
}

/** As much of a proposal's id as keeps the names of two reviews apart: Vim shows them in its messages. */
const idLength = 6;

/** Names of a review's two buffers; the last part is what tab lines and buffer lists show. */
export function reviewNames(
  id: string,
  agentName: string,
  path: string,
): { readonly left: string; readonly right: string } {
  const file = plainLine(basename(path));
  const place = `patchbay://${id.slice(0, idLength)}`;
  return { left: `${place}/now: ${file}`, right: `${place}/${plainLine(agentName)}: ${file}` };
}

/** A path as people read it, as text: relative to the first folder that holds it. */
export function shortPath(path: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const short = relative(folder, path);
    if (short !== "" && !short.startsWith("..") && !isAbsolute(short)) return plainLine(short);
  }
  return plainLine(path);
}
