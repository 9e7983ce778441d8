import { finish, finishWithPauses } from "../support/time.ts";
import type { TextEdit } from "./line-diff.ts";

/** Texts of so many UTF-16 units together are compared at once. */
const comparedAtOnce = 256 * 1024;

/**
 * The smallest edits, in whole lines, that make `before` into `after`: an editor that applies them keeps its cursors, folds
 * and marks. In order, not overlapping, all in units of `before`. Long texts are compared in steps, after each of which `pause`
 * gives other work its turn: who applies the edits looks first whether the text is still the same.
 */
export async function textEdits(
  before: string,
  after: string,
  pause: () => Promise<void>,
): Promise<readonly TextEdit[]> {
  const { textEditSteps } = await import("./line-diff.ts");
  const steps = textEditSteps(before, after);
  return before.length + after.length <= comparedAtOnce ? finish(steps) : await finishWithPauses(steps, pause);
}
