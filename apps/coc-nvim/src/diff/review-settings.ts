/** How reviews look and behave; from `patchbay.review.*` and `patchbay.keys.*`. */
export interface ReviewSettings {
  /** `tab`: a tab page of its own; `vertical` and `horizontal`: beside or below the windows of the current one. */
  readonly layout: "tab" | "vertical" | "horizontal";
  /** `split`: the file beside the proposal; `unified`: one window with the proposal, and what it removes between its lines. */
  readonly diffLayout: "split" | "unified";
  /** `auto`: go to a new review when Vim is in Normal mode and nobody types in it; `never`: the cursor stays where it is. */
  readonly focus: "auto" | "never";
  /** What a proposal for a file with unsaved changes does: show it, or leave the decision to the agent's terminal. */
  readonly unsavedChanges: "compare" | "terminal";
  /** Say which keys decide, in the window bar and on entering a review. */
  readonly hints: boolean;
  /** Keys inside a review; an empty text is no key. */
  readonly keys: Readonly<Record<ReviewKey, string>>;
}

export type ReviewKey = "accept" | "reject" | "next" | "previous" | "hold" | "undoHunk";

export const reviewKeys: readonly ReviewKey[] = ["accept", "reject", "next", "previous", "hold", "undoHunk"];

export const defaultKeys: Readonly<Record<ReviewKey, string>> = {
  accept: "<leader>pa",
  reject: "<leader>pr",
  next: "<leader>pn",
  previous: "<leader>pp",
  hold: "<leader>ph",
  undoHunk: "<leader>pu",
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
  return {
    accept: key("accept"),
    reject: key("reject"),
    next: key("next"),
    previous: key("previous"),
    hold: key("hold"),
    undoHunk: key("undoHunk"),
  };
}
